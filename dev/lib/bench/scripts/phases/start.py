"""Start of the worker for scripts until it is ready, beside the Python worker's."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from bench.goals.worker_start import worker_starts
from bench.report.result import Result
from bench.scripts.phases import Setting

_SCRIPTS, _PYTHON = "javascript", "python"
_TIMES = 4


def measure(setting: Setting) -> Iterator[Result]:
    """In turn in one Pod, without its supervisor; the ratio is that of each turn."""
    starts = worker_starts(setting.kubernetes, setting.namespace, setting.rounds * _TIMES)
    ratios = [each[_SCRIPTS]["seconds"] / each[_PYTHON]["seconds"] for each in starts]
    yield Result(
        "script-start",
        {
            f"{name} worker: start to ready": [each[name]["seconds"] * 1000 for each in starts]
            for name in (_SCRIPTS, _PYTHON)
        },
        {
            f"{_SCRIPTS} / {_PYTHON} worker": statistics.median(ratios),
            f"{_SCRIPTS} worker: most MiB resident when ready": max(
                each[_SCRIPTS]["mebibytes"] for each in starts
            ),
        },
    )
