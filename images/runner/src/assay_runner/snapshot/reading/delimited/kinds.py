"""What a text may be: a whole number, a date, or nothing but a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_WHOLE = r"(?:0|[1-9][0-9]*)"
# As RE2 has them, for all of a text.
_INTEGER = rf"^-?{_WHOLE}$"
_DECIMAL = (
    rf"^-?(?:{_WHOLE}\.[0-9]*(?:[eE][+-]?[0-9]+)?"
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?"
    rf"|{_WHOLE}[eE][+-][0-9]+)$"
)
_EXPONENT = rf"^-?{_WHOLE}[eE][0-9]+$"
_PREFIXED = r"^(?:\+(?:[0-9]+\.?[0-9]*|\.[0-9]+)|-?0[0-9]+\.?[0-9]*)(?:[eE][+-]?[0-9]+)?$"
_INFINITE = r"^[+-]?(?i:inf|infinity)$"
_BOOLEAN = r"^(?i:true|false)$"
# Texts that begin otherwise are nothing but texts.
_BEGINNINGS = np.zeros(256, bool)
_BEGINNINGS[list(b"-+.0123456789itfITF")] = True
_NOT_NUMERIC = np.ones(256, bool)
_NOT_NUMERIC[list(b"-+.0123456789eE")] = False
_POINT, _MINUS, _PLUS, _ZERO, _NINE = b".-+09"


class Kind(StrEnum):
    """What a text may be, if all of its column are."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    EXPONENT = "exponent"
    """Digits, `e` and digits: a number, or an article's."""
    PREFIXED = "prefixed"
    """Digits with a zero or a plus in front."""
    INFINITE = "infinite"
    BOOLEAN = "boolean"
    DATE = "date"
    TEXT = "text"


# Python, and so pandas, has no such year.
_NO_YEAR = "0000"

NO_NUMBER = "\N{ZERO WIDTH SPACE}"
"""What follows a text that is a number elsewhere, so that it is nothing but a text here."""

NUMBERS = (Kind.INTEGER, Kind.DECIMAL, Kind.INFINITE)

_PATTERNS: Sequence[tuple[Kind, str]] = (
    (Kind.INTEGER, _INTEGER),
    (Kind.DECIMAL, _DECIMAL),
    (Kind.PREFIXED, _PREFIXED),
    (Kind.EXPONENT, _EXPONENT),
    (Kind.BOOLEAN, _BOOLEAN),
    (Kind.INFINITE, _INFINITE),
)


@dataclass(frozen=True)
class Form:
    """A form in which ISO dates and times are written.

    Attributes:
        text: in the notation of strftime, in which Polars and chrono write `%.3f` for a fraction.
        pattern: what a text of the form matches.
        type: the type of its values.
    """

    text: str
    pattern: str
    type: Any


def _forms() -> Iterator[Form]:
    day = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
    yield Form("%Y-%m-%d", f"^{day}$", pa.date32())
    for between in "T ":
        for zone, zone_type in (("", None), ("Z", "UTC")):
            for time, pattern, unit in (
                ("%H:%M", "[0-9]{2}:[0-9]{2}", "us"),
                ("%H:%M:%S", "[0-9]{2}:[0-9]{2}:[0-9]{2}", "us"),
                ("%H:%M:%S%.3f", r"[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}", "us"),
                ("%H:%M:%S%.6f", r"[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}", "us"),
            ):
                yield Form(
                    f"%Y-%m-%d{between}{time}{zone}",
                    f"^{day}{between}{pattern}{zone}$",
                    pa.timestamp(unit, zone_type),
                )


FORMS = {form.text: form for form in _forms()}


@dataclass(frozen=True)
class Group:
    """Texts of one kind.

    Attributes:
        kind: what they may be.
        values: the texts.
        positions: their positions among those that were looked at.
        form: of dates.
        numbers: the values of numbers, if they are known already.
    """

    kind: Kind
    values: Any
    positions: np.ndarray
    form: str | None = None
    numbers: Any = None


def groups(values: pa.StringArray, numbers: Any = None) -> Iterator[Group]:  # noqa: ANN401 - pyarrow
    """Yield texts without missing values by their kinds, each kind once, but for forms of dates.

    Args:
        values: the texts.
        numbers: the result of `plain_numbers`; it may have nulls for missing values.
    """
    positions = np.arange(len(values))
    if numbers is not None:
        kind = Kind.INTEGER if pa.types.is_integer(numbers.type) else Kind.DECIMAL
        yield Group(kind, values, positions, numbers=numbers.drop_null())
        return
    rest = []
    mask = _may_be_more(values)
    if not mask.all():
        rest.append((values.filter(pa.array(~mask)) if mask.any() else values, positions[~mask]))
        values, positions = values.filter(pa.array(mask)), positions[mask]
    for kind, pattern, form in _likely_first(values):
        found, values, positions = _split(values, positions, pattern)
        if found is None:
            continue
        if form is None:
            yield Group(kind, *found)
        else:
            yield from _dates(form, *found)
    rest.append((values, positions))
    texts = pa.concat_arrays([part for part, _ in rest])
    if len(texts):
        yield Group(Kind.TEXT, texts, np.concatenate([places for _, places in rest]))


def plain_numbers(values: pa.StringArray, used: np.ndarray) -> Any | None:  # noqa: ANN401 - pyarrow
    """Parse texts that are all integers or all decimals, without a pattern for each text.

    Args:
        values: the texts, null where a value is missing.
        used: which bytes are in the texts as read, and perhaps in others of their buffer.

    Returns:
        int64 or float64 values, null where a text is null; None unless all texts are `INTEGER` of
        64 bits, or all `DECIMAL`.
    """
    if used[_NOT_NUMERIC].any() or values.null_count == len(values):
        return None
    try:
        numbers = pc.cast(values, pa.float64() if used[_POINT] else pa.int64())
    except pa.ArrowInvalid:
        return None
    _, offsets, buffer = values.buffers()
    bounds = np.frombuffer(offsets, np.int32)[values.offset : values.offset + len(values) + 1]
    # The last text may end with the buffer.
    data = np.append(np.frombuffer(buffer, np.uint8)[: bounds[-1]], np.zeros(2, np.uint8))
    points = np.count_nonzero(data[bounds[0] :] == _POINT)
    if used[_POINT] and points < len(values) - values.null_count:
        return None
    first = data[bounds[:-1]]
    digits = bounds[:-1] + (first == _MINUS)
    second = data[digits + 1]
    prefixed = (data[digits] == _ZERO) & (second >= _ZERO) & (second <= _NINE)
    # A zero that ends a text is not in front of the digits of the next.
    prefixed &= digits + 1 < bounds[1:]
    return None if prefixed.any() or (first == _PLUS).any() else numbers


def bytes_in(values: pa.StringArray) -> np.ndarray:
    """Return which bytes are in texts, and perhaps in others of their buffer."""
    data = values.buffers()[2]
    if data is None:
        return np.zeros(256, bool)
    found: np.ndarray = np.bincount(np.frombuffer(data, np.uint8), minlength=256) > 0
    return found


def _may_be_more(values: pa.StringArray) -> np.ndarray:
    """Return which texts begin as those that may be more than texts."""
    _, offsets, data = values.buffers()
    begin = np.frombuffer(offsets, np.int32)[values.offset : values.offset + len(values) + 1]
    found = np.zeros(len(values), bool)
    filled = begin[:-1] < begin[1:]
    if data is not None:
        found[filled] = _BEGINNINGS[np.frombuffer(data, np.uint8)[begin[:-1][filled]]]
    return found


def _likely_first(values: Any) -> Iterator[tuple[Kind, str, Form | None]]:  # noqa: ANN401 - pyarrow
    """Yield all patterns; that of the first value comes first, as most columns are of one kind."""
    first: str = values[0].as_py() if len(values) else ""
    patterns: list[tuple[Kind, str, Form | None]] = []
    patterns += [(kind, pattern, None) for kind, pattern in _PATTERNS]
    patterns += [(Kind.DATE, form.pattern, form) for form in FORMS.values()]
    yield from sorted(patterns, key=lambda one: re.match(one[1], first) is None)


def _split(values: Any, positions: np.ndarray, pattern: str) -> tuple[Any, Any, np.ndarray]:  # noqa: ANN401 - pyarrow has no types
    """Return the values that match, or None, and the others."""
    if not len(values):
        return None, values, positions
    matches = pc.match_substring_regex(values, pattern)
    mask = matches.to_numpy(zero_copy_only=False)
    if mask.all():
        return (values, positions), values[:0], positions[:0]
    if not mask.any():
        return None, values, positions
    others = pa.array(~mask)
    return (values.filter(matches), positions[mask]), values.filter(others), positions[~mask]


def _dates(form: Form, values: Any, positions: np.ndarray) -> Iterator[Group]:  # noqa: ANN401
    """Yield texts of a form as dates, but for those that are none, such as 2024-02-30."""
    try:
        if pc.any(pc.starts_with(values, _NO_YEAR)).as_py():
            raise pa.ArrowInvalid
        pc.cast(values, form.type)
    except pa.ArrowInvalid:
        valid = np.fromiter(map(_is_date, values.to_pylist()), bool, len(values))
        yield Group(Kind.TEXT, values.filter(pa.array(~valid)), positions[~valid])
        values, positions = values.filter(pa.array(valid)), positions[valid]
    if len(values):
        yield Group(Kind.DATE, values, positions, form.text)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
