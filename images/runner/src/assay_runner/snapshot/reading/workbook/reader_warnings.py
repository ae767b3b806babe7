"""Warnings of pandas and openpyxl as notes, without the data that they quote."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping

from assay_runner.snapshot.reading.notes import Code, Note

_MAX_NOTES = 3
# What a warning begins with, and what the note says instead.
_KNOWN: Mapping[str, str] = {
    "Data Validation extension is not supported": "has rules for the input of cells, which are not"
    " read",
    "Conditional Formatting extension is not supported": "has conditional formats, which are not"
    " read",
    "Slicer List extension": "has slicers, which are not read",
    "Unknown extension": "has an extension of Excel that is not read",
    "Workbook contains no default style": "",
    "Print area cannot be set": "",
    "Cannot parse header or footer": "",
    "DrawingML support is incomplete": "",
    "Cell .* is marked as a date but the serial value .* is outside the limits": "has cells in the"
    " format of dates whose numbers are no dates: they are read as errors, and so as missing",
    "Could not infer format": "has dates in several forms, each of which was read by itself",
    "Parsing dates in .* format when dayfirst=.* was specified": "has dates in another form than"
    " the option dayfirst says",
    "Columns .* have mixed types": "has columns with values of several types",
    "Skipping line": "has lines that were left out",
}


def warning_notes(caught: Iterable[warnings.WarningMessage]) -> tuple[Note, ...]:
    """Return a note for each kind of warning; those that say nothing about the data have none.

    A message that is not known may quote the data, so only the fact of it is told.
    """
    counts: dict[str, int] = {}
    for warning in caught:
        if issubclass(warning.category, (DeprecationWarning, FutureWarning, ResourceWarning)):
            continue
        message = _redacted(str(warning.message), warning.category.__name__)
        if message:
            counts[message] = counts.get(message, 0) + 1
    found = list(counts.items())[:_MAX_NOTES]
    return tuple(Note(Code.READER_WARNING, message) for message, _ in found)


def _redacted(message: str, category: str) -> str:
    for start, told in _KNOWN.items():
        if re.match(start, message, re.DOTALL):
            return told
    return f"was read with a {category}, whose text may quote the data and is left out"
