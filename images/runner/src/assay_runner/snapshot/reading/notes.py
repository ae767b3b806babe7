"""Notes: what a dataset does not have as its source has it, or may not mean what it seems to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

_MAX_NOTES = 8
_MAX_CHARACTERS = 240


class Code(StrEnum):
    """What a note is about, the gravest first. The CRD of datasets has the same list."""

    LINES_LEFT_OUT = "LinesLeftOut"
    """Lines that `on_bad_lines` left out."""
    ROUNDED = "Rounded"
    """Numbers of more than 17 significant digits, which a double does not hold."""
    MISSING_TEXT = "MissingText"
    """Texts such as `NA` that were read as missing, in a column of short texts."""
    FORMULA_WITHOUT_VALUE = "FormulaWithoutValue"
    """Formulas of a workbook whose values were not stored: they are missing."""
    DATES_NOT_PARSED = "DatesNotParsed"
    """`parse_dates` could not be done: the column is text."""
    AMBIGUOUS_DATES = "AmbiguousDates"
    """Dates that are valid as day/month and as month/day."""
    MIXED_VALUES = "MixedValues"
    """Texts among numbers, dates or other values: the column is text."""
    LEADING_ZEROS = "LeadingZeros"
    """Digits with a zero or a plus in front: the column is text."""
    EXPONENTS = "Exponents"
    """Texts such as `1E5`, which need not be numbers: the column is text."""
    BEYOND_64_BITS = "Beyond64Bits"
    """Whole numbers of more than 64 bits: the column is text."""
    NULLABLE_INTEGERS = "NullableIntegers"
    """Whole numbers beyond 2^53 with gaps: `df` has them as `Int64` or `UInt64`."""
    OTHER_NUMBERS = "OtherNumbers"
    """Texts that look like numbers in another notation, such as `1.234,50`."""
    MERGED_CELLS = "MergedCells"
    """Merged cells of a workbook, of which only the first has the value."""
    SIMILAR_NAMES = "SimilarNames"
    """A name with a space at an end, or that differs from another in case only."""
    HEADER_LINES = "HeaderLines"
    """The first row may belong to the header."""
    OTHER_SEPARATOR = "OtherSeparator"
    """The separator that was read from the line `sep=`, or that the file seems to have."""
    OTHER_FORMAT = "OtherFormat"
    """The source looks like another format."""
    RECORDS_FROM = "RecordsFrom"
    """The list within an object that was read."""
    SHEETS = "Sheets"
    """The other sheets of a workbook, or that the sheet is empty."""
    READER_WARNING = "ReaderWarning"
    """A warning of pandas, DuckDB or Polars."""


@dataclass(frozen=True)
class Note:
    """One note on a column, or on the dataset.

    Attributes:
        code: what it is about.
        message: one short sentence without the column's name, such as "is text: 12 values begin
            with a zero, the first in row 3".
        rows: how many rows it is about; 0 if it is about all.
        first_row: the first of them, from 1; None if it is about all.
        option: the options of the source that avoid it, as JSON, such as `{"dtype": {"zip":
            "Int64"}}`; None if there are none.
    """

    code: Code
    message: str
    rows: int = 0
    first_row: int | None = None
    option: str | None = None

    def described(self) -> dict[str, object]:
        """Return the note as the protocol has it."""
        found: dict[str, object] = {
            "code": str(self.code),
            "message": _cut(self.message),
            "rows": self.rows,
        }
        if self.first_row is not None:
            found["firstRow"] = self.first_row
        if self.option is not None and len(self.option) <= _MAX_CHARACTERS:
            found["option"] = self.option
        return found


def described(notes: Iterable[Note]) -> list[dict[str, object]]:
    """Return notes as the protocol has them, the gravest first, 8 of them at most."""
    order = list(Code)
    found = sorted(notes, key=lambda note: order.index(note.code))
    return [note.described() for note in found[:_MAX_NOTES]]


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, such as `2 values`."""
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"
