"""One run at a time without a pool, beside a bare Pod that imports the same libraries."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from bench.meter import Cost
from bench.pods import first_output, pod_of_run, wait_until_alone, with_worker_alone
from bench.report.result import Result
from bench.subjects import IMPORTS
from bench.warm.client import Client
from bench.warm.phases import Setting, series, shares
from bench.warm.timed_runs import TimedRun

_COST_ROUNDS = 5
_POD_CODE = f"{IMPORTS}; print('x', flush=True)"


def measure(setting: Setting) -> Iterator[Result]:
    """In turn; one uncounted round first, then some runs without bare Pods for their cost."""
    pod = pod_of_run(setting.kubernetes, setting.namespace, setting.spec())
    spec = with_worker_alone(pod, _POD_CODE)
    runs: list[TimedRun] = []
    pods: list[float] = []
    with Client(setting.kubernetes, setting.namespace) as client:
        for _ in range(setting.rounds + 1):
            wait_until_alone(setting.kubernetes, setting.namespace)
            runs.append(client.run(setting.spec()))
            wait_until_alone(setting.kubernetes, setting.namespace)
            pods.append(first_output(setting.kubernetes, setting.namespace, spec).seconds * 1000)

        def run_alone() -> None:
            client.run(setting.spec())
            wait_until_alone(setting.kubernetes, setting.namespace)

        wait_until_alone(setting.kubernetes, setting.namespace)
        yield _result(runs[1:], pods[1:], setting.meter.cost_of_each(_COST_ROUNDS, run_alone))


def _result(runs: list[TimedRun], pods: list[float], cost: Cost) -> Result:
    samples = series("cold", runs)
    ratios = [run / pod for run, pod in zip(samples["cold: create to answer"], pods, strict=True)]
    return Result(
        "cold",
        {**samples, "bare Pod: create to first output": pods},
        {**shares("cold", runs), "run / bare Pod, to the output": statistics.median(ratios)},
        {"cold": cost},
    )
