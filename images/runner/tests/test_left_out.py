"""What is said of files that were not collected."""

from __future__ import annotations

from assay_runner.launcher.left_out import LeftOut
from assay_runner.text import MAX_NOTE_BYTES

REASONS = ("count", "bytes", "kind", "name", "depth", "mount", "unreadable")


def left_out(path: str) -> LeftOut:
    found = LeftOut(max_count=100, max_bytes=2**26)
    for reason in REASONS:
        for number in range(4):
            found.add(reason, f"{path}{number}")
    return found


def test_every_reason_is_told_whatever_the_names_of_the_files_are() -> None:
    message = left_out("d" * 50).message()
    assert message is not None
    assert len(message.encode()) <= MAX_NOTE_BYTES
    assert message.count(";") == len(REASONS) - 1
    assert message.endswith("4 missing or not readable.")


def test_as_many_examples_are_given_as_there_is_room_for() -> None:
    message = left_out("a").message()
    assert message is not None
    assert "4 too deep (a0, a1, a2, …)" in message
    found = LeftOut(max_count=100, max_bytes=2**26)
    found.add("depth", "a")
    assert found.message() == "Left out: 1 too deep (a)."
    assert LeftOut(1, 1).message() is None
