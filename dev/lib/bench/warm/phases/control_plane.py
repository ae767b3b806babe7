"""Runs whose Pods are stand-ins: what the control plane does with a thousand, and ten thousand.

Nothing runs in the Pods, so that what is measured is Assay and Kubernetes. Everything else is as
always: an API server with etcd, the scheduler, and the runner protocol with its signatures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from bench import warm_pool
from bench.kubernetes import Object
from bench.memory import LargestPod
from bench.meter import Cost
from bench.node import Component
from bench.report.result import Result
from bench.stand_in import objects
from bench.stand_in.code import sleep_code
from bench.stand_in.process import StandInNode
from bench.warm.client import Client
from bench.warm.phases import Setting, series
from bench.warm.timed_runs import (
    TimedRun,
    most_concurrent,
    starts_per_second,
    steady_starts_per_second,
    timed_code,
)

CONCURRENT = 1_000
KEPT = 10_000
# The operator compiles its bytecode in its first hundreds of runs.
_WARM_UP = 600
_IN_TURN = 100
_COUNTED = 400
_SHORT_SECONDS = 1.0
# Until all of a thousand have started.
_LONG_SECONDS = 75.0
_BULK_SECONDS = 10.0
_RUN_SECONDS = 300
_CONNECTIONS = 16
_IDLE_SECONDS = 30.0
_RESOURCES = {"cpu": "1", "cpuRequest": "10m", "memory": "192Mi"}
_OUTPUT_BYTES = 64 * 1024
_STAND_IN, _CLIENT = "stand-in Pods", "this command"


def measure(setting: Setting) -> Iterator[Result]:
    """What a run costs with 100, 1,000 and 10,000 that are kept, and in between 1,000 at once.

    There is a result after each step, since all of them together take many minutes.
    """
    log = setting.results / "stand-in.log"
    with (
        StandInNode(
            setting.kubernetes, setting.kubectl, setting.kubeconfig, setting.context, log
        ) as node,
        warm_pool.create(
            setting.kubernetes,
            setting.namespace,
            "python",
            _RESOURCES,
            _OUTPUT_BYTES,
            objects.class_fields(),
        ) as stand_ins,
    ):
        with Client(setting.kubernetes, setting.namespace, _CONNECTIONS) as client:
            client.run_in_turn(_WARM_UP, _IN_TURN, _spec(stand_ins.name, _SHORT_SECONDS))
        with Client(setting.kubernetes, setting.namespace, _CONNECTIONS) as client:
            yield from _Measurement(setting, node, client, stand_ins.name).results()


class _Measurement:
    """All runs of the phase, none of which is deleted before its end."""

    def __init__(
        self, setting: Setting, node: StandInNode, client: Client, class_name: str
    ) -> None:
        self._meter = setting.meter
        self._node = node
        self._client = client
        self._class_name = class_name
        self._kept = 0
        self._samples: dict[str, list[float]] = {}
        self._figures: dict[str, float] = {}
        self._costs: dict[str, Cost] = {}

    def results(self) -> Iterator[Result]:
        """Measure in this order, since the number of kept runs only grows."""
        steps: Sequence[Callable[[], None]] = (
            partial(self._keep, 100),
            partial(self._keep, 1_000),
            self._start_at_once,
            self._start_in_turn,
            self._keep_all,
        )
        for step in steps:
            step()
            yield Result("control-plane", self._samples, self._figures, self._costs)

    def _keep(self, count: int) -> None:
        """Have so many kept runs, and then the cost of a run."""
        self._run(count - self._kept, _IN_TURN, _SHORT_SECONDS)
        self._add_cost(f"{count:,} kept")

    def _start_at_once(self) -> None:
        with self._memory() as memory:
            runs = self._run(CONCURRENT, CONCURRENT, _LONG_SECONDS)
        self._samples |= series("at once", runs)
        self._figures |= {
            "at once: most that ran at the same time": float(most_concurrent(runs)),
            "at once: starts per second": starts_per_second(runs),
            "at once: operator MiB": memory.mib,
        }

    def _start_in_turn(self) -> None:
        runs = self._run(KEPT - self._kept - _COUNTED, CONCURRENT, _BULK_SECONDS)
        self._samples |= series("in turn", runs)
        self._figures["in turn: starts per second"] = steady_starts_per_second(runs, CONCURRENT)

    def _keep_all(self) -> None:
        name = f"{KEPT:,} kept"
        self._add_cost(name)
        with self._memory() as memory:
            idle = self._idle_ms()
        first, last = (self._figures[_operator_ms(kept)] for kept in ("100 kept", name))
        self._figures |= {
            f"operator CPU of a run, {name} / 100 kept": last / first,
            f"{name}: operator CPU ms per idle second": idle,
            f"{name}: operator MiB": memory.mib,
        }

    def _add_cost(self, name: str) -> None:
        cost = self._cost()
        self._costs[name] = cost
        self._figures[_operator_ms(name)] = cost.cpu_ms[Component.OPERATOR.value]

    def _run(self, count: int, at_once: int, seconds: float) -> list[TimedRun]:
        runs = self._client.run_in_turn(count, at_once, _spec(self._class_name, seconds))
        self._kept += count
        return runs

    def _cost(self) -> Cost:
        """Of a run, with what the parts do in that time anyway: that grows with what is kept."""
        stand_in, own = self._node.cpu_seconds(), time.process_time()
        cost = self._meter.cost(
            _COUNTED,
            lambda: self._run(_COUNTED, _IN_TURN, _SHORT_SECONDS),
            subtract_idle=False,
        )
        others = {
            _STAND_IN: (self._node.cpu_seconds() - stand_in) * 1000 / _COUNTED,
            _CLIENT: (time.process_time() - own) * 1000 / _COUNTED,
        }
        return replace(cost, cpu_ms={**cost.cpu_ms, **others})

    def _idle_ms(self) -> float:
        """CPU milliseconds of all operators in a second in which nothing happens."""
        before = self._meter.usage()[Component.OPERATOR]
        time.sleep(_IDLE_SECONDS)
        used = self._meter.usage()[Component.OPERATOR] - before
        return used * 1000 / _IDLE_SECONDS

    def _memory(self) -> LargestPod:
        return LargestPod(self._meter.groups(Component.OPERATOR))


def _operator_ms(name: str) -> str:
    """The name of a figure."""
    return f"{name}: operator CPU ms of a run"


def _spec(class_name: str, seconds: float) -> Object:
    return {
        "code": timed_code(sleep_code(seconds)),
        "className": class_name,
        "timeoutSeconds": _RUN_SECONDS,
    }
