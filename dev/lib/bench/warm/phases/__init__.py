"""One module for each phase, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.kubernetes import Kubernetes, Object
from bench.meter import Cost, Meter
from bench.warm.agent_sandbox.installation import Installation
from bench.warm.client import Client
from bench.warm.timed_runs import TimedRun, library_share, stages_ms, timed_code, warm_share
from bench.warm_pool import Pool, room

RUN_SECONDS = 120
# Requests of a Pod of the pool's class.
_EACH = {"cpu": 0.06, "memory": 300.0 * 1024 * 1024}


@dataclass(frozen=True)
class Setting:
    """What phases use.

    Attributes:
        namespace: that of runs and Pods.
        pool: that of a class like `python`, without idle Pods when a phase begins.
        rounds: how many runs a series has where its size is free.
        results: folder of the results of earlier phases.
        kubectl, kubeconfig: by which a process of a phase reaches the API server.
        context: name of the dev/cluster.
        motherduck: the program mcp-server-motherduck, if there is one to compare with.
        agent_sandbox: what installs agent-sandbox, if there is one to compare with.
    """

    kubernetes: Kubernetes
    namespace: str
    pool: Pool
    meter: Meter
    rounds: int
    results: Path
    kubectl: Path
    kubeconfig: Path
    context: str
    motherduck: Path | None
    agent_sandbox: Installation | None

    def spec(self, **others: object) -> Object:
        """That of a run of the pool's class, whose code prints its times."""
        return {
            "code": timed_code(),
            "className": self.pool.name,
            "timeoutSeconds": RUN_SECONDS,
            **others,
        }


def series(name: str, runs: Sequence[TimedRun]) -> dict[str, list[float]]:
    """The samples of runs, with the name of their series before each part."""
    return {f"{name}: {part}": values for part, values in stages_ms(runs).items()}


def shares(name: str, runs: Sequence[TimedRun]) -> dict[str, float]:
    """Figures that tell whether runs were what their series claims."""
    return {
        f"{name}: share with a warm Pod": warm_share(runs),
        f"{name}: share with libraries": library_share(runs),
    }


def places(setting: Setting) -> int:
    """How many more Pods of the pool's class the node has room for."""
    return room(setting.kubernetes, _EACH)


def fill(setting: Setting, count: int) -> None:
    """Have this many idle Pods, with lower requests if the node has no room for them."""
    setting.pool.resize(count, lowers_requests=count > places(setting))


def run_and_cost(
    setting: Setting, client: Client, times: Sequence[float]
) -> tuple[list[TimedRun], Cost]:
    """Returns the runs that are created at these times, and the cost of one.

    That includes the Pods that are started meanwhile.
    """
    runs: list[TimedRun] = []
    spec = setting.spec()
    cost = setting.meter.cost(len(times), lambda: runs.extend(client.run_all(times, spec)))
    return runs, cost


def cost_of_bursts(
    setting: Setting, count: int, times: int, burst: Callable[[], None], refill: Callable[[], None]
) -> Cost:
    """Returns the cost of a run of some bursts of `count` runs, each with a full pool.

    The pool is full when this is called, and is not filled again after the last burst.
    """

    def bursts() -> None:
        for number in range(times):
            if number > 0:
                refill()
            burst()

    return setting.meter.cost(count * times, bursts)


def pods_of(runs: Sequence[TimedRun]) -> set[str]:
    """Names of the Pods that they have had."""
    return {run.pod for run in runs}
