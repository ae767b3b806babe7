"""Texts that are read as missing values, such as `NA`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from assay_runner.options import Options
from assay_runner.snapshot.reading.missing import MISSING
from assay_runner.snapshot.reading.notes import Code, Note, counted
from assay_runner.snapshot.reading.workbook.cells import CellError

_SHORT = 3


def without_missing(values: Sequence[Any], options: Options) -> tuple[list[Any], tuple[Note, ...]]:
    """Return values of cells with None in place of missing ones, and a note if they may be codes.

    Args:
        values: the values; text that stands for a missing value is one of pandas' or `na_values`.
        options: the options of the source.
    """
    given = options.get("na_values", ())
    numbers = {number for text in given if (number := _number(text)) is not None}
    texts = {*MISSING, *given}
    found: list[Any] = []
    rows: list[int] = []
    errors: list[int] = []
    for row, value in enumerate(values, 1):
        if isinstance(value, CellError):
            is_missing = True
            errors.append(row)
        elif isinstance(value, str):
            is_missing = value in texts
            if is_missing and value and value not in given:
                rows.append(row)
        else:
            is_missing = value is None or (type(value) in (int, float) and value in numbers)
        found.append(None if is_missing else value)
    return found, _note(values, found, rows) + _errors_note(errors)


def _errors_note(rows: Sequence[int]) -> tuple[Note, ...]:
    if not rows:
        return ()
    message = f"has {counted(len(rows), 'cell')} with an error such as #DIV/0!, read as missing"
    return (Note(Code.MISSING_TEXT, message, len(rows), rows[0]),)


def _note(values: Sequence[Any], kept: Sequence[Any], rows: Sequence[int]) -> tuple[Note, ...]:
    """Return a note if missing texts are among values of which most are texts as short."""
    rest = [value for value in kept if value is not None]
    short = sum(isinstance(value, str) and len(value) <= _SHORT for value in rest)
    if not rows or short * 2 < len(rest):
        return ()
    named = sorted({values[row - 1] for row in rows})
    texts = ", ".join(json.dumps(text) for text in named)
    message = f"has {counted(len(rows), 'text')} read as missing: {texts}"
    return (Note(Code.MISSING_TEXT, message, len(rows), rows[0]),)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
