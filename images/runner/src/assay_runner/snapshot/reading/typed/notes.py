"""Notes on the values of a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay_runner.snapshot.reading.notes import Code, Note, counted
from assay_runner.snapshot.reading.seen import Seen
from assay_runner.snapshot.reading.typed.evidence import Evidence, Kind
from assay_runner.snapshot.reading.typed.plans import Plan

_NUMBERS = {Kind.WHOLE, Kind.NUMBER}


def notes_of(evidence: Evidence, plan: Plan, escaped: Seen) -> tuple[Note, ...]:
    """Return what a column does not have as its source has it.

    Args:
        evidence: what its values are.
        plan: what they are stored as.
        escaped: texts that had to be escaped.
    """
    notes: list[Note] = []
    is_nested = evidence.kinds.keys() <= {Kind.LIST, Kind.OBJECT}
    if plan.as_text:
        notes += _text_notes(evidence)
    # The text of nested values is as in the source, but df has their numbers.
    if (not plan.as_text or is_nested) and (rounded := evidence.all_rounded()):
        notes.append(
            _note(
                Code.ROUNDED,
                f"has {_values(rounded)} that a double does not hold, which were rounded",
                rounded,
            )
        )
    if escaped:
        notes.append(
            _note(
                Code.READER_WARNING,
                f"has {_values(escaped)} with half of a surrogate pair, which no encoding has:"
                " it is written as an escape",
                escaped,
            )
        )
    return tuple(notes)


def _text_notes(evidence: Evidence) -> Iterable[Note]:
    kinds = set(evidence.kinds)
    if kinds == {Kind.WHOLE}:
        yield _beyond(evidence)
    elif kinds and kinds <= _NUMBERS:
        yield _numbers(evidence)
    elif len(kinds) > 1:
        yield _mixed(evidence)


def _beyond(evidence: Evidence) -> Note:
    # Among negative numbers, those that need all 64 bits have no type either.
    seen = evidence.beyond or evidence.unsigned
    return _note(
        Code.BEYOND_64_BITS,
        f"is text: {_numbers_are(seen)} beyond 64 bits, the first in row {_first(seen)}",
        seen,
    )


def _numbers(evidence: Evidence) -> Note:
    if evidence.overflowed:
        seen = evidence.overflowed
        return _note(
            Code.BEYOND_64_BITS,
            f"is text: {_numbers_are(seen)} beyond the greatest double,"
            f" the first in row {_first(seen)}",
            seen,
        )
    seen = evidence.inexact
    return _note(
        Code.BEYOND_64_BITS if evidence.beyond else Code.MIXED_VALUES,
        f"is text: {_numbers_are(seen)} whole, and too long for a double, among decimal numbers,"
        f" the first in row {_first(seen)}",
        seen,
    )


def _mixed(evidence: Evidence) -> Note:
    kinds = _without_overlap(evidence.kinds)
    rarest = min(kinds, key=lambda kind: kinds[kind].count)
    seen = kinds[rarest]
    others = " and ".join(sorted(kind for kind in kinds if kind != rarest))
    rows = ", ".join(map(str, seen.rows))
    further = " and others" if seen.count > len(seen.rows) else ""
    where = f"row {rows}" if seen.count == 1 else f"rows {rows}{further}"
    return _note(Code.MIXED_VALUES, f"is text: it has {rarest} among {others}, in {where}", seen)


def _without_overlap(kinds: Mapping[Kind, Seen]) -> dict[Kind, Seen]:
    """Count whole numbers as numbers where a column has both."""
    found = dict(kinds)
    if found.keys() >= _NUMBERS:
        found[Kind.NUMBER] = found[Kind.NUMBER] + found.pop(Kind.WHOLE)
    return found


def _note(code: Code, message: str, seen: Seen) -> Note:
    return Note(code, message, seen.count, seen.rows[0] if seen.rows else None)


def _first(seen: Seen) -> str:
    return str(seen.rows[0]) if seen.rows else "?"


def _values(seen: Seen) -> str:
    return counted(seen.count, "value")


def _numbers_are(seen: Seen) -> str:
    return "1 number is" if seen.count == 1 else f"{seen.count} numbers are"
