"""The table that ends a run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from e2e.scenarios import Outcome

_CASE_WIDTH = 78
_MESSAGE_LINES = 6


def _row(scenario: str, case: str, result: str, seconds: float) -> str:
    return f"{scenario:<18} {case[:_CASE_WIDTH]:<{_CASE_WIDTH}} {result:<6} {seconds:7.2f}"


def _method(outcome: Outcome) -> str:
    """The name of a test without its parameters."""
    return outcome.case.partition("(")[0].partition("[")[0].strip()


def table(outcomes: Sequence[Outcome]) -> str:
    """One line per test; passed rows of one parameterized test share a line.

    Failed tests come last, with their messages: who keeps only the end of a log has them.
    """
    lines = [_row("scenario", "case", "result", 0.0)[:-7] + "seconds"]
    failures = []
    for (scenario, method), group in groupby(outcomes, key=lambda o: (o.scenario, _method(o))):
        rows = list(group)
        passed = [row for row in rows if row.passed]
        if len(rows) == 1 and passed:
            lines.append(_row(scenario, rows[0].case, "passed", rows[0].seconds))
        elif passed:
            seconds = sum(row.seconds for row in passed)
            lines.append(_row(scenario, f"{method} ({len(passed)} rows)", "passed", seconds))
        for row in rows:
            if not row.passed:
                message = row.message.splitlines()[:_MESSAGE_LINES]
                failures.append(_row(scenario, row.case, "FAILED", row.seconds))
                failures += [f"    {line[:200]}" for line in message]
    return "\n".join(lines + failures)


def last_line(outcomes: Sequence[Outcome]) -> str:
    """The closing count."""
    passed = sum(outcome.passed for outcome in outcomes)
    return f"{passed} passed, {len(outcomes) - passed} failed"
