"""200 calls at once that return 1 MiB each: memory of the tool gateway and of the operator.

Each is the call of a run of its own, and its Pod a stand-in, since a machine has no memory for so
many workers. Gateway, operator, supervisors and the tool are what they always are.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from bench import warm_pool
from bench.arrivals import at_once
from bench.burst import run_ended
from bench.kubernetes import Object
from bench.memory import LargestPod
from bench.report.result import Result
from bench.scripts.gateway import Components
from bench.scripts.phases import Setting
from bench.scripts.tool_server import SERVER
from bench.stand_in import objects
from bench.stand_in.code import call_code
from bench.stand_in.process import StandInNode
from bench.subjects import runs_path
from bench.timed_client import Known, TimedClient

_COUNT = 200
_BURSTS = 3
_MIB = 1024 * 1024
# As JSON the text has two quotes more.
_LENGTH = _MIB - 2
_OK = "OK"
_RESOURCES = {"cpu": "1", "cpuRequest": "10m", "memory": "192Mi"}
_OUTPUT_BYTES = 64 * 1024
_RUN_SECONDS = 240
_CONNECTIONS = 16
_GATEWAY, _OPERATOR = "tool-gateway", "operator"
_NANOSECONDS_OF_MS = 1e6


class _Client(TimedClient[tuple[str, float]]):
    """Creates runs; each ends with the outcome of its call, and milliseconds from its creation."""

    def create(self, count: int, spec: Object) -> list[tuple[str, float]]:
        """Create runs at once, and wait for all; BurstError if one does not succeed."""
        return self._create_all(at_once(count), spec)

    def _end(self, item: Object, known: Known, at: int) -> tuple[str, float] | None:
        if not run_ended(item):
            return None
        outcome: str = item["status"]["result"]["output"].splitlines()[-1]
        return outcome, (at - known.posted) / _NANOSECONDS_OF_MS


def measure(setting: Setting) -> Iterator[Result]:
    """The first burst is that in which the operator's heap grows to what such calls take."""
    components = setting.components
    restarts = components.restarts(_GATEWAY)
    before = _memory(components, _OPERATOR)
    before.read()
    code = call_code(SERVER, "bytes", {"length": _LENGTH})
    bursts: list[list[tuple[str, float]]] = []
    operators: list[float] = []
    fields = {**objects.class_fields(), "tools": {"servers": [SERVER]}}
    log = setting.results / "stand-in.log"
    with (
        StandInNode(setting.kubernetes, setting.kubectl, setting.kubeconfig, setting.context, log),
        warm_pool.create(
            setting.kubernetes, setting.namespace, "python", _RESOURCES, _OUTPUT_BYTES, fields
        ) as stand_ins,
        _client(setting) as client,
    ):
        spec = {
            "code": code,
            "className": stand_ins.name,
            "timeoutSeconds": _RUN_SECONDS,
        }
        with _memory(components, _GATEWAY) as gateway:
            for _ in range(_BURSTS):
                with _memory(components, _OPERATOR) as operator:
                    bursts.append(client.create(_COUNT, spec))
                operators.append(operator.mib)
        outcomes = [outcome for burst in bursts for outcome, _ in burst]
        yield Result(
            "large-results",
            {
                f"burst {number + 1}: create to end of a run": [took for _, took in burst]
                for number, burst in enumerate(bursts)
            },
            {
                "share of calls with their result": _share(outcomes),
                "gateway: most MiB of a replica": gateway.mib,
                "gateway: restarts": float(components.restarts(_GATEWAY) - restarts),
                "operator: MiB of a replica before": before.mib,
                "operator: most MiB in the first burst": operators[0],
                "operator: MiB that later bursts add": max(operators[1:]) - operators[0],
            },
            {},
            {"outcomes": _counted(outcomes)},
        )


def _client(setting: Setting) -> _Client:
    path = runs_path(setting.namespace)
    return _Client(
        setting.kubernetes, path, "assay.dev/v1alpha1", "AnalyticsRun", connections=_CONNECTIONS
    )


def _memory(components: Components, component: str) -> LargestPod:
    return LargestPod(components.groups(component))


def _share(outcomes: Sequence[str]) -> float:
    return statistics.fmean(outcome == _OK for outcome in outcomes)


def _counted(outcomes: Sequence[str]) -> str:
    return ", ".join(f"{name} {outcomes.count(name)}" for name in sorted(set(outcomes)))
