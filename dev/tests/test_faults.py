"""The judgement of a run that met a fault."""

from __future__ import annotations

from collections import Counter

from faults import cli
from faults.cli import Row
from faults.table import COUNTED, FAULTS


def test_a_call_that_was_made_twice_or_not_at_all_is_said() -> None:
    output = f"t1 {COUNTED}\nt2 UPSTREAM_TIMEOUT\nt3 {COUNTED}\n"

    assert cli.call_problems(Counter({"t1": 1, "t3": 1}), output, output) == []
    assert cli.call_problems(Counter({"t1": 2}), "", output) == [
        "call t3 succeeded, and was not seen",
        "call t1: 2 times",
    ]


def test_calls_have_to_succeed_again() -> None:
    before = f"t1 {COUNTED}\n"
    after = before + "t2 UPSTREAM_UNREACHABLE\n"

    assert cli.call_problems(Counter({"t1": 1}), before, after) == ["calls do not succeed again"]


def test_a_row_is_that_of_a_table() -> None:
    row = Row("fault", "Failed/PodLost", "Yes", 2.4, "20, 25", "a | b", ["late", "left: pod"])

    assert row.markdown() == (
        "| fault | Failed/PodLost | Yes | 2 s | 20, 25 | a / b | late; left: pod |"
    )


def test_faults_can_be_told_apart() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
