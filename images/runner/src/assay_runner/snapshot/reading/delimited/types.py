"""Decides the type of a column of texts by what all of its values are; pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from assay_runner.snapshot.reading.delimited.evidence import Evidence
from assay_runner.snapshot.reading.delimited.kinds import FORMS, NUMBERS, Kind
from assay_runner.snapshot.reading.notes import Code, Note
from assay_runner.snapshot.reading.seen import NONE, Seen

_MAX_INT64 = 2**63 - 1

_TEXT = pa.large_string()


@dataclass(frozen=True)
class Decision:
    """How a column of texts is read.

    Attributes:
        type: the type of its values.
        form: of dates, how the texts are written.
        notes: what this says of the column.
    """

    type: Any
    form: str | None = None
    notes: tuple[Note, ...] = ()


def decide(name: str, seen: Evidence) -> Decision:
    """Return the type that all values of a column have; text, if there is none.

    Args:
        name: of the column, for the options that notes propose.
        seen: what is known of its values.
    """
    found = _decide(name, seen)
    if found.type != _TEXT and seen.present:
        return found
    return Decision(found.type, found.form, (*found.notes, *_missing_texts(seen)))


def _decide(name: str, seen: Evidence) -> Decision:
    if not seen.present:
        # As pandas has a column without values.
        return Decision(pa.float64() if seen.rows else _TEXT)
    if seen.count(Kind.BOOLEAN) == seen.present:
        return Decision(pa.bool_())
    if seen.count(Kind.DATE) == seen.present and len(seen.forms) == 1:
        form = next(iter(seen.forms))
        return Decision(FORMS[form].type, form)
    if seen.count(*NUMBERS, Kind.EXPONENT, Kind.PREFIXED) == seen.present:
        return _number(name, seen)
    return Decision(_TEXT, notes=_mixed(name, seen))


def _number(name: str, seen: Evidence) -> Decision:
    prefixed, exponents = seen.of(Kind.PREFIXED), seen.of(Kind.EXPONENT)
    if prefixed:
        message = f"is text: {_values(prefixed)} with a zero or a plus in front"
        return _as_text(Code.LEADING_ZEROS, message, prefixed, _dtype(name, "float64"))
    if exponents and not seen.of(Kind.DECIMAL):
        message = f"is text: {_values(exponents)} like 1E5, which need not be numbers"
        return _as_text(Code.EXPONENTS, message, exponents, _dtype(name, "float64"))
    if seen.overflowing:
        message = f"is text: {_values(seen.overflowing)} that no double holds"
        return _as_text(Code.BEYOND_64_BITS, message, seen.overflowing, None)
    if seen.count(Kind.INTEGER) < seen.present:
        return _double(seen)
    if seen.beyond or (seen.least < 0 and seen.most > _MAX_INT64):
        message = "is text: 64 bits do not hold all of its whole numbers"
        return _as_text(Code.BEYOND_64_BITS, message, seen.beyond, None)
    return Decision(pa.uint64() if seen.most > _MAX_INT64 else pa.int64())


def _double(seen: Evidence) -> Decision:
    rounded = _rounded(seen)
    if not rounded:
        return Decision(pa.float64())
    message = f"has {_values(rounded)} of more digits than a double holds: they are rounded"
    return Decision(
        pa.float64(), notes=(Note(Code.ROUNDED, message, rounded.count, rounded.first),)
    )


def _rounded(seen: Evidence) -> Seen:
    return seen.rounded or seen.inexact


def _as_text(code: Code, message: str, rows: Seen, option: str | None) -> Decision:
    where = "" if rows.first is None else f", the first in row {rows.first}"
    return Decision(_TEXT, notes=(Note(code, message + where, rows.count, rows.first, option),))


def _mixed(name: str, seen: Evidence) -> tuple[Note, ...]:
    """Return notes on a column of texts of which most look like something else."""
    others = seen.of(Kind.TEXT)
    if (
        others
        and seen.with_comma == others.count
        and seen.count(Kind.TEXT, *NUMBERS) == seen.present
    ):
        message = f"is text: {_values(others)} like 1.234,50"
        option = _json({"decimal": ",", "thousands": "."})
        return (Note(Code.OTHER_NUMBERS, message, others.count, others.first, option),)
    numbers = seen.count(*NUMBERS, Kind.EXPONENT)
    for count, what, kinds in (
        (numbers, "numeric", {*NUMBERS, Kind.EXPONENT}),
        (seen.count(Kind.DATE), "a date", {Kind.DATE}),
        (seen.count(Kind.BOOLEAN), "true or false", {Kind.BOOLEAN}),
    ):
        if count * 2 > seen.present:
            return (_mixed_note(seen, what, kinds),) if count < seen.present else _forms(seen)
    return ()


def _mixed_note(seen: Evidence, what: str, kinds: set[Kind]) -> Note:
    rows = sum((seen.of(kind) for kind in seen.kinds if kind not in kinds), NONE)
    where = f"row{'s' if len(rows.rows) > 1 else ''} {', '.join(map(str, rows.rows))}"
    message = f"is text: {_values(rows)} {_are(rows)} not {what} ({where})"
    option = None
    if rows.count == seen.count(Kind.TEXT) and len(seen.texts) < 3:
        option = _json({"na_values": seen.texts})
    elif rows.rows and rows.rows[0] > seen.rows - rows.count:
        option = _json({"skipfooter": rows.count})
    return Note(Code.MIXED_VALUES, message, rows.count, rows.first, option)


def _forms(seen: Evidence) -> tuple[Note, ...]:
    message = f"is text: its dates are written in {len(seen.forms)} ways"
    return (Note(Code.MIXED_VALUES, message),)


def _missing_texts(seen: Evidence) -> tuple[Note, ...]:
    texts = seen.missing_texts
    if not texts or seen.short * 2 < seen.present:
        return ()
    message = f"has {_values(texts)} {seen.missing_text}, which {_are(texts)} read as missing"
    option = _json({"keep_default_na": False})
    return (Note(Code.MISSING_TEXT, message, texts.count, texts.first, option),)


def _values(found: Seen) -> str:
    return f"{found.count:,} value{'' if found.count == 1 else 's'}"


def _are(found: Seen) -> str:
    return "is" if found.count == 1 else "are"


def _dtype(name: str, dtype: str) -> str:
    return _json({"dtype": {name: dtype}})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
