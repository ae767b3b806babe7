"""What became of the calls of an upgrade: a log, and the judgement of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from e2e.scenarios import Outcome

_SHOWN = 10


@dataclass(frozen=True)
class Call:
    """One call. `began` is in seconds since the first one."""

    kind: str
    phase: str
    began: float
    seconds: float
    error: str = ""
    marker: str = ""
    """A number that is in the spec of its run and of no other; empty where it makes no run."""


@dataclass(frozen=True)
class Seen:
    """What is left of a run: its name, its spec as text, and the output of its code."""

    name: str
    spec: str
    output: str = ""


def add(call: Call, file: Path) -> None:
    """Adds a line of JSON to the log, which has what has ended whatever becomes of the rest."""
    with file.open("a") as log:
        log.write(json.dumps(asdict(call)) + "\n")


def by_marker(runs: Iterable[Seen]) -> dict[str, list[Seen]]:
    """The runs of each number that occurs in their specs."""
    found: dict[str, list[Seen]] = {}
    for run in runs:
        for number in set(re.findall(r"\b\d{7}\b", run.spec)):
            found.setdefault(number, []).append(run)
    return found


def problems(calls: Sequence[Call], runs: Mapping[str, Sequence[Seen]]) -> list[str]:
    """What must not happen: a call that failed, one that ran twice, one whose run is missing."""
    found = [
        f"{call.began:.1f} s, {call.phase}: {call.kind} failed after {call.seconds:.1f} s:"
        f" {call.error}"
        for call in calls
        if call.error
    ]
    for call in calls:
        if not call.marker:
            continue
        of_call = runs.get(call.marker, ())
        names = ", ".join(run.name for run in of_call)
        lines = sum(run.output.splitlines().count(call.marker) for run in of_call)
        where = f"{call.began:.1f} s, {call.phase}: {call.kind} {call.marker}"
        if len(of_call) > 1:
            found.append(f"{where} made {len(of_call)} runs: {names}")
        elif lines > 1:
            found.append(f"{where} ran {lines} times in {names}")
        elif not of_call and not call.error:
            found.append(f"{where} was answered, and no run is there")
    return found


def outcomes(calls: Sequence[Call], found: Sequence[str]) -> list[Outcome]:
    """A row for each phase, with the number of its calls and their latency, and one for all."""
    phases = list(dict.fromkeys(call.phase for call in calls))
    rows = [_row(phase, [call for call in calls if call.phase == phase]) for phase in phases]
    said = "\n".join(found[:_SHOWN])
    if len(found) > _SHOWN:
        said += f"\n{len(found) - _SHOWN} more"
    return [*rows, Outcome("upgrade", "no call failed or ran twice", not found, 0.0, said)]


def _row(phase: str, calls: Sequence[Call]) -> Outcome:
    seconds = sorted(call.seconds for call in calls)
    failed = [call for call in calls if call.error]
    case = (
        f"{phase}: {len(calls)} calls, {sum(bool(call.marker) for call in calls)} runs;"
        f" p50 {median(seconds):.2f} s, max {seconds[-1]:.2f} s"
    )
    message = f"{len(failed)} failed" if failed else ""
    return Outcome("upgrade", case, not failed, calls[-1].began - calls[0].began, message)
