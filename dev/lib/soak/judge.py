"""Decides which runs went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from soak.callers import Made
from soak.work import CODE_ERROR, LOST, SUCCEEDED, Ending

# How a run may end whose Pod, or a process of it, was killed.
_AFTER_A_KILL = frozenset({LOST, CODE_ERROR, ("Failed", "PodLost"), ("Failed", "StartFailed")})
# Of a run whose call a gateway may have died with: no other may repeat it.
_AFTER_A_GATEWAY = frozenset({CODE_ERROR, ("TimedOut", "DeadlineExceeded")})


@dataclass(frozen=True)
class Kill:
    """A process or a Pod that was killed.

    Attributes:
        what: `operator`, `mcp-frontend`, `tool-gateway`, or `run`.
        pod: the name of its Pod.
        seconds: since the soak began.
    """

    what: str
    pod: str
    seconds: float


@dataclass(frozen=True)
class Known:
    """What the cluster knows of a run.

    Attributes:
        uid: of its object.
        pod: the name of its Pod; empty if it had none.
    """

    uid: str
    pod: str


def problems(
    runs: Iterable[Made],
    kills: Sequence[Kill],
    known: Mapping[str, Known],
    counted: Counter[str],
    started: Counter[str],
) -> list[str]:
    """What is lost, twice or wrong, a line each.

    Args:
        runs: all runs.
        kills: what was killed.
        known: each run by its name; a run that was deleted soon may be missing.
        counted: calls that the tool server has seen, by token.
        started: how often supervisors have started code, by the UID of its run.
    """
    killed = {kill.pod for kill in kills if kill.what == "run"}
    found = []
    for run in runs:
        of = known.get(run.name, Known("", ""))
        # A cold Pod has the name of its run; a run whose Pod did not start does not name it.
        expected = set(run.job.endings)
        if of.pod in killed or f"run-{of.uid}" in killed:
            expected |= _AFTER_A_KILL
        if run.job.token and _meets(run, kills, "tool-gateway"):
            expected |= _AFTER_A_GATEWAY
        problem = _problem(run, expected, counted) or _starts(run, started[of.uid], of)
        if problem:
            found.append(
                f"{run.job.kind} {run.name or 'without a name'} of {run.caller}: {problem}"
            )
    return found


def _meets(run: Made, kills: Sequence[Kill], what: str) -> bool:
    end = run.began + run.seconds
    return any(kill.what == what and run.began <= kill.seconds <= end for kill in kills)


def _problem(run: Made, expected: Set[Ending], counted: Counter[str]) -> str:
    ending: Ending = (run.phase, run.reason)
    times = counted[run.job.token] if run.job.token else 0
    if times > 1:
        return f"twice: its call was seen {times} times"
    if run.problem:
        return f"refused or lost: {run.problem}"
    if not run.phase:
        return "lost: it has not ended"
    if ending not in expected:
        return f"ended with {run.phase}, {run.reason}"
    if ending != SUCCEEDED:
        return (
            f"never started, but was counted {times} times" if _ran_despite_no(run, times) else ""
        )
    if run.job.token and times == 0:
        return "lost: it succeeded, and its call was not seen"
    if run.job.output is not None and run.output != run.job.output:
        return f"wrong: printed {str(run.output)[:80]!r}, not {run.job.output[:80]!r}"
    return ""


def _starts(run: Made, times: int, of: Known) -> str:
    if times > 1:
        return f"twice: its code was started {times} times"
    if run.payload_started == "No" and times:
        return "never started, but its supervisor has started it"
    if of.uid and (run.phase, run.reason) == SUCCEEDED and times == 0:
        return "it succeeded, and no supervisor has started it"
    return ""


def _ran_despite_no(run: Made, times: int) -> bool:
    return run.payload_started == "No" and times > 0


def kinds(runs: Iterable[Made]) -> dict[str, Counter[str]]:
    """Endings by kind of run."""
    found: dict[str, Counter[str]] = {}
    for run in runs:
        ending = f"{run.phase or 'lost'}/{run.reason}"
        found.setdefault(run.job.kind, Counter())[ending] += 1
    return found
