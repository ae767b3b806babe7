"""A trivial script that needs a Pod, beside a bare Pod that runs it without Assay.

The bare Pod has the image and the volumes of the worker, and starts the same worker, which runs
the same script. Another one only prints a line.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator

from bench.in_pod import program
from bench.pods import first_output, pod_of_run, with_worker_alone
from bench.report.result import Result
from bench.runs import run_to_end
from bench.scripts.phases import Setting

_RUN = {"language": "javascript", "code": "1 + 1"}
_VALUE = "2"
_TIMES = 2
_SECONDS = 300.0
_JOB = {"once": {"code": _RUN["code"], "language": _RUN["language"]}}


def measure(setting: Setting) -> Iterator[Result]:
    """In turn; one uncounted round first."""
    kubernetes, namespace = setting.kubernetes, setting.namespace
    pod = pod_of_run(kubernetes, namespace, _RUN)
    parameters = {"jobs": _JOB, "rounds": 0, "warm": False}
    with_script = with_worker_alone(pod, program("script_times", parameters))
    alone = with_worker_alone(pod, "print('x', flush=True)")
    runs, scripts, lines = [], [], []
    for _ in range(setting.rounds * _TIMES + 1):
        setting.settle()
        run = run_to_end(kubernetes, namespace, dict(_RUN), _SECONDS)
        _check(run.status["result"]["value"])
        runs.append((run.seen - run.began) * 1000)
        setting.settle()
        output = first_output(kubernetes, namespace, with_script)
        (value,) = json.loads(output.text)["once"]["values"]
        _check(value)
        scripts.append(output.seconds * 1000)
        setting.settle()
        lines.append(first_output(kubernetes, namespace, alone).seconds * 1000)
    runs, scripts, lines = runs[1:], scripts[1:], lines[1:]
    yield Result(
        "script-cold",
        {
            "run: create to answer": runs,
            "bare Pod with the script: create to output": scripts,
            "bare Pod with a line: create to output": lines,
        },
        {
            "run / bare Pod with the script": _ratio(runs, scripts),
            "run / bare Pod with a line": _ratio(runs, lines),
        },
    )


def _ratio(runs: list[float], pods: list[float]) -> float:
    """The median of those of each round."""
    return statistics.median(run / pod for run, pod in zip(runs, pods, strict=True))


def _check(value: str) -> None:
    if value != _VALUE:
        raise ValueError(f"{_RUN['code']} is {value}")
