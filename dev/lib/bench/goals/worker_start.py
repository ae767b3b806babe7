"""Start of the JVM worker until it is ready, beside the Python worker's."""

from __future__ import annotations

import json
import statistics

from bench.goals import Bench, Goal
from bench.in_pod import program
from bench.pods import first_output, pod_of_run, with_worker_alone
from bench.tools import SQL_CLASS

_RUN = {"language": "sql", "code": "SELECT 1", "className": SQL_CLASS}


def measure(bench: Bench) -> list[Goal]:
    """Starts both in turn in a Pod of the class of SQL, without its supervisor."""
    pod = pod_of_run(bench.kubernetes, bench.namespace, _RUN)
    code = program("worker_starts", {"rounds": bench.rounds * 2})
    spec = with_worker_alone(pod, code)
    output = first_output(bench.kubernetes, bench.namespace, spec)
    starts = json.loads(output.text)
    ratios = [both["jvm"]["seconds"] / both["python"]["seconds"] for both in starts]
    seconds = {
        name: statistics.median(both[name]["seconds"] for both in starts)
        for name in ("jvm", "python")
    }
    resident = max(both["jvm"]["mebibytes"] for both in starts)
    conditions = f"{seconds['jvm'] * 1000:.0f} / {seconds['python'] * 1000:.0f} ms"
    return [
        Goal(
            "JVM worker, start to ready / Python worker",
            "<=",
            0.5,
            statistics.median(ratios),
            "",
            conditions,
        ),
        Goal(
            "JVM worker, resident when ready", "<=", 110, resident, "MiB", "the most of all starts"
        ),
    ]
