"""What a run's code prints about itself, and the times of a run that has ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from bench.kubernetes import Object

_NANOSECONDS_OF_MS = 1_000_000
_NANOSECONDS = 1_000_000_000

# The first line has to be the first instruction, and the libraries to be there before it.
_CODE = """first = __import__("time").time_ns()
import json, sys, time
has_libraries = "pandas" in sys.modules
{body}
print(json.dumps([first, has_libraries, time.time_ns()]))
"""


def timed_code(body: str = "") -> str:
    """Python that prints when it began and ended; `body` is a part of it, without output."""
    return _CODE.format(body=body)


@dataclass(frozen=True)
class TimedRun:
    """A run that has succeeded, with epoch nanoseconds of one machine's clock.

    Attributes:
        posted: just before the request that created it.
        acknowledged: when the API server had answered; None if nobody waited for that.
        created_seen: when the watch showed that it exists.
        bound_seen: when the watch showed that it has a Pod.
        first: the first instruction of its code.
        last: the last one but the output.
        ended_seen: when the watch showed its final status, which has the output.
        stages: the operator's times, by their names in the status; whole milliseconds.
        pod: the name of its Pod.
        is_warm: whether that existed before.
        has_libraries: whether pandas was imported before the first instruction.
    """

    name: str
    posted: int
    acknowledged: int | None
    created_seen: int
    bound_seen: int
    first: int
    last: int
    ended_seen: int
    stages: Mapping[str, int]
    pod: str
    is_warm: bool
    has_libraries: bool


def timed_run(
    run: Object,
    posted: int,
    acknowledged: int | None,
    seen: Mapping[str, int],
) -> TimedRun:
    """Read a run that has succeeded; `seen` has `created`, `bound` and `ended`."""
    status = run["status"]
    first, has_libraries, last = json.loads(status["result"]["output"])
    return TimedRun(
        run["metadata"]["name"],
        posted,
        acknowledged,
        seen["created"],
        seen["bound"],
        first,
        last,
        seen["ended"],
        {name: _epoch_ns(text) for name, text in status["timings"].items()},
        status["pod"]["name"],
        status["pod"]["warm"],
        has_libraries,
    )


def stages_ms(runs: Sequence[TimedRun]) -> dict[str, list[float]]:
    """Milliseconds of each part of the runs. All but those of the code begin with the create."""
    parts = {
        "create to first instruction": [_ms(run.posted, run.first) for run in runs],
        "create to seen by a watch": [_ms(run.posted, run.created_seen) for run in runs],
        "create to seen by the operator": [
            _ms(run.posted, run.stages["queued"]) for run in runs if "queued" in run.stages
        ],
        "create to decision to bind": [
            _ms(run.posted, run.stages["bound"]) for run in runs if "bound" in run.stages
        ],
        "create to bind seen by a watch": [_ms(run.posted, run.bound_seen) for run in runs],
        "first to last instruction": [_ms(run.first, run.last) for run in runs],
        "last instruction to end decided": [
            _ms(run.last, run.stages["finished"]) for run in runs if "finished" in run.stages
        ],
        "last instruction to answer": [_ms(run.last, run.ended_seen) for run in runs],
        "create to answer": [_ms(run.posted, run.ended_seen) for run in runs],
    }
    parts["create to acknowledged"] = [
        _ms(run.posted, run.acknowledged) for run in runs if run.acknowledged is not None
    ]
    return {name: values for name, values in parts.items() if values}


def warm_share(runs: Sequence[TimedRun]) -> float:
    """The share of the runs that got a Pod which existed before."""
    return sum(run.is_warm for run in runs) / len(runs)


def library_share(runs: Sequence[TimedRun]) -> float:
    """The share of the runs whose first instruction found pandas imported."""
    return sum(run.has_libraries for run in runs) / len(runs)


def overtaken(runs: Sequence[TimedRun]) -> int:
    """By how many that were created later a run was overtaken, at most, on the way to its code."""
    ordered = in_order(runs)
    return max(
        sum(later.first < run.first for later in ordered[place + 1 :])
        for place, run in enumerate(ordered)
    )


def in_order(runs: Sequence[TimedRun]) -> list[TimedRun]:
    """As the API server created them: requests that are sent at once arrive in any order."""
    return sorted(runs, key=lambda run: run.created_seen)


def per_second(runs: Sequence[TimedRun]) -> float:
    """How many ended per second, from the first create until the last answer."""
    elapsed = max(run.ended_seen for run in runs) - min(run.posted for run in runs)
    return len(runs) * _NANOSECONDS / elapsed


def starts_per_second(runs: Sequence[TimedRun]) -> float:
    """How many started per second, from the first create until the last first instruction."""
    elapsed = max(run.first for run in runs) - min(run.posted for run in runs)
    return len(runs) * _NANOSECONDS / elapsed


def steady_starts_per_second(runs: Sequence[TimedRun], edge: int) -> float:
    """The same between the first instructions of two runs, with so many before and after them."""
    firsts = sorted(run.first for run in runs)[edge : len(runs) - edge]
    return (len(firsts) - 1) * _NANOSECONDS / (firsts[-1] - firsts[0])


def most_concurrent(runs: Sequence[TimedRun]) -> int:
    """How many were between their first and their last instruction at the same time."""
    changes = sorted([(run.first, 1) for run in runs] + [(run.last, -1) for run in runs])
    return max(accumulate(change for _, change in changes))


def _ms(begin: int, end: int) -> float:
    return (end - begin) / _NANOSECONDS_OF_MS


def _epoch_ns(timestamp: str) -> int:
    return round(datetime.fromisoformat(timestamp).timestamp() * 1_000_000) * 1_000
