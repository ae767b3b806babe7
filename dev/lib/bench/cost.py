"""CPU time of cold runs by component, and how many end per second, beside Pods.

A burst is a number of runs, or of Pods, that are created at once. What each component has used from
the creation until nothing is left of them, less what it uses when idle, is divided among them.
Kernel threads are not counted.

Runs are compared with Pods of one container that imports the same libraries, and with Pods of the
containers and volumes of a run Pod, one after another in each round, so that a noisy machine
disturbs them alike: trust the ratios.
"""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from bench.burst import container_names
from bench.bursts import Bursts
from bench.container_sampler import ContainerSampler, Sample
from bench.kubernetes import Kubernetes, Object
from bench.node import Component, Node, Usage, lasting_pods
from bench.runs import run_to_end
from bench.subjects import (
    IMPORTS,
    FrontEnd,
    Pods,
    Runs,
    Subject,
    one_container,
    same_shape,
)
from cluster.settings import Paths
from cluster.waiting import wait_for

RUN, SAME_SHAPE, ONE_CONTAINER = "run", "same containers and volumes", "one container"
SUPERVISOR, LAUNCHER, WORKER, REST = "supervisor", "launcher", "worker", "rest of the Pod"
_POD_CODE = f"{IMPORTS}; print('x', flush=True)"
_RUN_SECONDS = 240
_IDLE_SECONDS = 10.0
# After the last object is gone, for what components do late.
_SETTLE_SECONDS = 3.0
_SUBPROCESSES = 10
_SUBPROCESS_CODE = f"""
import json, resource, subprocess, sys
def spent(code):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range({_SUBPROCESSES}):
        subprocess.run([sys.executable, "-I", "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps([spent(code) / {_SUBPROCESSES} for code in ("pass", {IMPORTS!r})]))
"""


@dataclass(frozen=True)
class Cost:
    """Of one run or Pod of a burst.

    Attributes:
        components: CPU seconds of each component, less its idle load.
        processes: CPU seconds of the processes in its Pod.
        per_second: how many ended per second.
    """

    components: Usage
    processes: Mapping[str, float]
    per_second: float

    @property
    def total(self) -> float:
        return sum(self.components.values())


@dataclass(frozen=True)
class Round:
    """The cost of each subject, and CPU seconds of fresh processes in a run."""

    costs: Mapping[str, Cost]
    interpreter: float
    imports: float


def measure(
    kubernetes: Kubernetes,
    context: str,
    namespace: str,
    front_end: FrontEnd | None,
    rounds: int,
    at_once: int,
    warm_up: int = 0,
) -> list[Round]:
    """Run all in turn, after bursts of runs that do not count.

    Args:
        kubernetes: the API server.
        context: name of the dev/cluster.
        namespace: where runs and Pods are created.
        front_end: creates the runs; the API server if None.
        rounds: how often each is measured.
        at_once: runs or Pods of a burst.
        warm_up: how many runs do not count, at least; there is always one burst of them. Operator
            and front end compile their bytecode in their first hundreds of runs.
    """
    bench = _Bench(kubernetes, namespace, Node(Paths(context), lasting_pods(kubernetes)))
    runs = Runs(kubernetes, namespace, front_end)
    # One burst at least, which shows what Pods to compare with.
    for _ in range(max(1, math.ceil(warm_up / at_once))):
        run_pod = bench.warm_up(runs, at_once)
    subjects: dict[str, Subject] = {
        RUN: runs,
        SAME_SHAPE: Pods(kubernetes, namespace, same_shape(run_pod, _POD_CODE)),
        ONE_CONTAINER: Pods(kubernetes, namespace, one_container(run_pod, _POD_CODE)),
    }
    names = list(subjects)
    measured = []
    for number in range(rounds):
        idle = bench.idle()
        # Each begins a round in turn.
        first = number % len(names)
        costs = {
            name: bench.cost(subjects[name], at_once, idle)
            for name in names[first:] + names[:first]
        }
        measured.append(Round(costs, *bench.fresh_processes()))
    return measured


def table(rounds: list[Round]) -> str:
    """Render medians in milliseconds of CPU time, and the ratios round by round."""
    names = [RUN, SAME_SHAPE, ONE_CONTAINER]
    lines = ["| CPU ms of one | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for label, value in _rows():
        cells = []
        for name in names:
            values = [value(measured.costs[name]) for measured in rounds]
            known = [number for number in values if number is not None]
            cells.append(_rendered(statistics.median(known)) if known else "")
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    lines.append("")
    interpreter = statistics.median(measured.interpreter for measured in rounds)
    imports = statistics.median(measured.imports for measured in rounds)
    lines.append(
        f"A fresh process in a run: {_rendered(imports * 1000)} ms with the same imports,"
        f" {_rendered(interpreter * 1000)} ms without."
    )
    for other in (SAME_SHAPE, ONE_CONTAINER):
        lines.append(_ratios(f"CPU of a run / {other}", rounds, other, lambda cost: cost.total))
        lines.append(
            _ratios(f"runs per second / {other}", rounds, other, lambda cost: cost.per_second)
        )
    return "\n".join(lines)


def split_pods(
    pods_seconds: float,
    samples: Mapping[str, Sample],
    names: Mapping[str, str],
    runs: Iterable[Object],
) -> dict[str, float]:
    """Divide what Pods have used among their processes.

    Args:
        pods_seconds: CPU seconds of all Pods of a burst.
        samples: those of their containers, by ID.
        names: the containers' names, by ID.
        runs: the runs, whose statuses have the CPU time of their workers.
    """
    supervisors = _sampled(samples, names, "supervisor")
    workers = _sampled(samples, names, "worker")
    spent = {WORKER: sum(sample.total for sample in workers)}
    reported = [float(run["status"]["usage"]["cpuSeconds"]) for run in runs]
    if reported:
        spent = {
            SUPERVISOR: sum(sample.total for sample in supervisors),
            LAUNCHER: sum(sample.first_process for sample in workers),
            WORKER: sum(reported),
        }
    return {**spent, REST: pods_seconds - sum(spent.values())}


def _rows() -> Iterator[tuple[str, Callable[[Cost], float | None]]]:
    for component in Component:
        if component is not Component.PODS:
            yield component.value, partial(_component_ms, component)
    for process in (SUPERVISOR, LAUNCHER, WORKER, REST):
        yield process, partial(_process_ms, process)
    yield "total", lambda cost: cost.total * 1000
    yield "ended per second", lambda cost: cost.per_second


def _component_ms(component: Component, cost: Cost) -> float:
    return cost.components[component] * 1000


def _process_ms(process: str, cost: Cost) -> float | None:
    return cost.processes[process] * 1000 if process in cost.processes else None


class _Bench:
    """Bursts in one namespace, which nobody else may use meanwhile."""

    def __init__(self, kubernetes: Kubernetes, namespace: str, node: Node) -> None:
        self._kubernetes = kubernetes
        self._namespace = namespace
        self._node = node
        self._lasting_shims = node.shims()
        self._bursts = Bursts(kubernetes, namespace)

    def warm_up(self, runs: Runs, count: int) -> Object:
        """Execute a burst of runs; returns one of their Pods."""
        _, pods = self._bursts.execute(runs, count)
        self._settle()
        return next(iter(pods.objects.values()))

    def idle(self) -> Usage:
        """CPU seconds per second of each component while nothing happens."""
        began, before = time.monotonic(), self._node.usage()
        time.sleep(_IDLE_SECONDS)
        elapsed, after = time.monotonic() - began, self._node.usage()
        return {component: (after[component] - before[component]) / elapsed for component in after}

    def cost(self, subject: Subject, count: int, idle: Usage) -> Cost:
        """Execute a burst; returns what each of its objects costs."""
        began, before = time.monotonic(), self._node.usage()
        with ContainerSampler(self._node.containers) as sampler:
            burst, pods = self._bursts.execute(subject, count)
        self._settle()
        elapsed, after = time.monotonic() - began, self._node.usage()
        spent = {
            component: after[component] - before[component] - idle[component] * elapsed
            for component in after
        }
        processes = split_pods(
            spent[Component.PODS],
            sampler.samples,
            container_names(pods.objects.values()),
            burst.objects.values() if isinstance(subject, Runs) else (),
        )
        return Cost(
            {component: seconds / count for component, seconds in spent.items()},
            {name: seconds / count for name, seconds in processes.items()},
            burst.per_second,
        )

    def fresh_processes(self) -> tuple[float, float]:
        """CPU seconds of a process in a run that does nothing, and of one with the imports."""
        spec = {"code": _SUBPROCESS_CODE, "timeoutSeconds": _RUN_SECONDS}
        run = run_to_end(self._kubernetes, self._namespace, spec, _RUN_SECONDS)
        interpreter, imports = json.loads(run.status["result"]["output"])
        self._settle()
        return interpreter, imports

    def _settle(self) -> None:
        """Wait until nothing is left of Pods; what their containers used is known only then."""

        def settled() -> bool:
            return self._node.shims() <= self._lasting_shims

        wait_for("removal of the Pods' sandboxes", settled, seconds=60)
        time.sleep(_SETTLE_SECONDS)


def _sampled(samples: Mapping[str, Sample], names: Mapping[str, str], name: str) -> list[Sample]:
    return [sample for container, sample in samples.items() if names.get(container) == name]


def _ratios(label: str, rounds: list[Round], other: str, value: Callable[[Cost], float]) -> str:
    ratios = [value(measured.costs[RUN]) / value(measured.costs[other]) for measured in rounds]
    return (
        f"{label}, round by round: median {statistics.median(ratios):.2f}"
        f" (min {min(ratios):.2f}, max {max(ratios):.2f}, {len(ratios)} rounds)"
    )


def _rendered(number: float) -> str:
    return f"{number:.2f}" if abs(number) < 10 else f"{number:.0f}"
