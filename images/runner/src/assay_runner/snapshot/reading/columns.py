"""A column as it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from assay_runner.snapshot.reading.notes import Note


@dataclass(frozen=True)
class ReadColumn:
    """A column of a source, with its values as Arrow has them.

    Attributes:
        name: its name in the source; pandas has whole numbers where there is no header.
        values: all values, as one of: bool, integers of 8 to 64 bits, float64, large_string,
            date32, timestamp (us or ns, with or without a zone), binary, decimals, lists and
            structs. A column without values is float64, as pandas has it.
        form: of dates and times that `df` has as text, how the source writes them, in the
            notation of strftime; else None.
        as_text: whether the values became text because they have no common type.
        notes: what is not as in the source.
        shown: the values that `df` has in place of these; None if it has these.
        dtype: the type in pandas that an option asks for; None if it follows from the values.
        is_nested: whether `shown` has lists and objects as JSON, which `df` has as such.
    """

    name: Any
    values: pa.ChunkedArray
    form: str | None = None
    as_text: bool = False
    notes: tuple[Note, ...] = ()
    shown: pa.ChunkedArray | None = None
    dtype: str | None = None
    is_nested: bool = False


@dataclass(frozen=True)
class ReadTable:
    """A source that was read.

    Attributes:
        columns: its columns.
        rows: how many rows it has.
        index: positions of the columns that are the index of `df`.
        notes: what is not as in the source, of the table as a whole.
    """

    columns: tuple[ReadColumn, ...]
    rows: int
    index: tuple[int, ...] = ()
    notes: tuple[Note, ...] = ()
