"""Runs that are created at the same moment: 20 and 100 with as many idle Pods, 100 with 10."""

from __future__ import annotations

from collections.abc import Iterator

from bench import arrivals
from bench.bursts import Bursts
from bench.pods import pod_of_run, wait_until_alone
from bench.report.result import Result
from bench.subjects import IMPORTS, Pods, same_shape
from bench.warm.client import Client
from bench.warm.phases import (
    Setting,
    cost_of_bursts,
    fill,
    places,
    pods_of,
    run_and_cost,
    series,
    shares,
)
from bench.warm.timed_runs import TimedRun, in_order, overtaken, per_second

_POD_CODE = f"{IMPORTS}; print('x', flush=True)"


def twenty(setting: Setting) -> Iterator[Result]:
    """With 20 idle Pods; three times."""
    return _warm(setting, "burst-20", 20, times=3)


def hundred(setting: Setting) -> Iterator[Result]:
    """With 100 idle Pods."""
    return _warm(setting, "burst-100", 100, times=1)


def hundred_of_ten(setting: Setting) -> Iterator[Result]:
    """With 10 idle Pods, beside as many bare Pods of the same containers and volumes."""
    count, idle = 100, 10
    pod = pod_of_run(setting.kubernetes, setting.namespace, setting.spec())
    wait_until_alone(setting.kubernetes, setting.namespace)
    at_a_time = places(setting)
    bare = Pods(setting.kubernetes, setting.namespace, same_shape(pod, _POD_CODE))
    pods, _ = Bursts(setting.kubernetes, setting.namespace).execute(bare, count)
    setting.pool.resize(idle)
    with Client(setting.kubernetes, setting.namespace, count) as client:
        runs, cost = run_and_cost(setting, client, arrivals.at_once(count))
        name = f"{count} with {idle}"
        yield Result(
            "burst-100-of-10",
            series(name, runs),
            {
                **shares(name, runs),
                "warm Pods among the first 10 that were created": float(_warm_among(runs, idle)),
                "most later runs that a run was overtaken by": float(overtaken(runs)),
                "Pods that the node has room for": float(at_a_time),
                # Which of the Pods that start together is ready first is up to the kubelet.
                "runs that one was overtaken by / Pods with room": overtaken(runs) / at_a_time,
                "runs per second": per_second(runs),
                "bare Pods per second": pods.per_second,
                "runs / bare Pods per second": per_second(runs) / pods.per_second,
            },
            {name: cost},
        )


def _warm(setting: Setting, phase: str, count: int, times: int) -> Iterator[Result]:
    fill(setting, count)
    samples: dict[str, list[float]] = {}
    runs: list[TimedRun] = []
    with Client(setting.kubernetes, setting.namespace, count) as client:

        def burst() -> None:
            runs.extend(client.run_all(arrivals.at_once(count), setting.spec()))

        def refill() -> None:
            setting.pool.refill(pods_of(runs))

        cost = cost_of_bursts(setting, count, times, burst, refill)
        for number in range(times):
            samples |= series(f"{number + 1}", runs[number * count :][:count])
        figures = {**shares(phase, runs), "runs per second": per_second(runs[-count:])}
        yield Result(phase, samples, figures, {phase: cost})


def _warm_among(runs: list[TimedRun], count: int) -> int:
    return sum(run.is_warm for run in in_order(runs)[:count])
