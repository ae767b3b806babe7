"""50 scripts at once in a class that lets ten run at a time: all end, in the order they came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import accumulate
from typing import NamedTuple

from bench.arrivals import at_once
from bench.burst import run_ended
from bench.kubernetes import Object
from bench.report.result import Result
from bench.scripts.phases import Setting
from bench.subjects import runs_path
from bench.timed_client import Known, TimedClient

_COUNT = 50
_AT_ONCE = 10
_RUN = {"language": "javascript", "code": "'done'"}
_VALUE = '"done"'
# Kubernetes cuts off the fraction of the second in which a Pod was created.
_MAX_CUT_OFF_MS = 999.0


class Slot(NamedTuple):
    """When a run got its Pod, and when it ended, in epoch milliseconds."""

    taken: float
    left: float


class _Client(TimedClient[Object]):
    """Creates runs one after the other, so that their order is known, and waits for none."""

    def create(self, count: int) -> list[Object]:
        """The runs, in their order, once all have succeeded; BurstError if one does not."""
        return self._create_all(at_once(count), dict(_RUN))

    def _end(self, item: Object, known: Known, at: int) -> Object | None:
        return item if run_ended(item) else None


def measure(setting: Setting) -> Iterator[Result]:
    """Each needs a Pod of its own, since there are no warm ones."""
    setting.script_class.allow(_AT_ONCE)
    path = runs_path(setting.namespace)
    with _Client(
        setting.kubernetes, path, "assay.dev/v1alpha1", "AnalyticsRun", connections=1
    ) as client:
        runs = client.create(_COUNT)
        yield _result(runs)


def _result(runs: Sequence[Object]) -> Result:
    slots = [slot_of(run) for run in runs]
    began = min(slot.taken for slot in slots)
    return Result(
        "script-queue",
        {
            "first Pod to own Pod": [slot.taken - began for slot in slots],
            "own Pod to end": [slot.left - slot.taken for slot in slots],
        },
        {
            "scripts that have their value": float(
                sum(run["status"]["result"]["value"] == _VALUE for run in runs)
            ),
            "most that had a Pod at a time, at least": float(most_at_once(latest(slots))),
            "most that had a Pod at a time, at most": float(most_at_once(slots)),
            "most later scripts that one was overtaken by": float(overtaken(slots)),
        },
    )


def latest(slots: Sequence[Slot]) -> list[Slot]:
    """The same, taken at the end of the second of which they only have the beginning."""
    return [Slot(min(slot.taken + _MAX_CUT_OFF_MS, slot.left), slot.left) for slot in slots]


def most_at_once(slots: Sequence[Slot]) -> int:
    """How many had taken a slot and not left it, at most; one that is left can be taken at once."""
    changes = sorted([(slot.taken, 1) for slot in slots] + [(slot.left, -1) for slot in slots])
    return max(accumulate(change for _, change in changes))


def overtaken(slots: Sequence[Slot]) -> int:
    """By how many that came later a run was overtaken, at most; the slots are in their order."""
    return max(
        sum(later.taken < slot.taken for later in slots[place + 1 :])
        for place, slot in enumerate(slots)
    )


def slot_of(run: Object) -> Slot:
    """The slot of a run that has ended, taken at the beginning of the second of its Pod."""
    timings = run["status"]["timings"]
    taken, left = (
        datetime.fromisoformat(timings[step]).timestamp() * 1000
        for step in ("podCreated", "finished")
    )
    return Slot(taken, left)
