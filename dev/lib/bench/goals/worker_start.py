"""Start of the workers of a JVM until they are ready, beside the Python worker's."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence

from bench.goals import Bench, Goal
from bench.in_pod import program
from bench.kubernetes import Kubernetes
from bench.pods import first_output, pod_of_run, with_worker_alone
from bench.tools import SQL_CLASS

Starts = Sequence[Mapping[str, Mapping[str, float]]]
"""Seconds and mebibytes of each worker, by its name, in each round."""

_RUN = {"language": "sql", "code": "SELECT 1", "className": SQL_CLASS}


def measure(bench: Bench) -> list[Goal]:
    """Starts them in turn in one Pod."""
    starts = worker_starts(bench.kubernetes, bench.namespace, bench.rounds * 2)
    return [
        *_goals("JVM worker", "jvm", starts, of_python=0.5, mebibytes=110),
        *_goals("JavaScript worker", "javascript", starts, of_python=0.8, mebibytes=160),
    ]


def worker_starts(kubernetes: Kubernetes, namespace: str, rounds: int) -> Starts:
    """Start the workers in turn in a Pod of the class of SQL, without its supervisor."""
    pod = pod_of_run(kubernetes, namespace, _RUN)
    spec = with_worker_alone(pod, program("worker_starts", {"rounds": rounds}))
    starts: Starts = json.loads(first_output(kubernetes, namespace, spec).text)
    return starts


def _goals(
    title: str, name: str, starts: Starts, *, of_python: float, mebibytes: float
) -> list[Goal]:
    seconds = {
        worker: statistics.median(each[worker]["seconds"] for each in starts)
        for worker in (name, "python")
    }
    return [
        Goal(
            f"{title}, start to ready / Python worker",
            "<=",
            of_python,
            statistics.median(each[name]["seconds"] / each["python"]["seconds"] for each in starts),
            "",
            f"{seconds[name] * 1000:.0f} / {seconds['python'] * 1000:.0f} ms",
        ),
        Goal(
            f"{title}, resident when ready",
            "<=",
            mebibytes,
            max(each[name]["mebibytes"] for each in starts),
            "MiB",
            "the most of all starts",
        ),
    ]
