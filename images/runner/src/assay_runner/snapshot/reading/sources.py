"""The formats that are read so that values are kept or named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from assay_runner.options import OPTIONS, OptionRefusedError, Options
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.reading.columns import ReadColumn, ReadTable
from assay_runner.snapshot.reading.delimited.layout import ParserError
from assay_runner.snapshot.reading.delimited.reader import read_delimited, write_delimited
from assay_runner.snapshot.reading.frame import nullable_note
from assay_runner.snapshot.reading.notes import Code, Note
from assay_runner.snapshot.reading.records.reader import read_records
from assay_runner.snapshot.reading.records.streaming import write_records


def _read_workbook(path: str, _: str, options: Options, limits: Limits) -> ReadTable:
    # Its library takes a fifth of the time in which the Pod of a snapshot starts.
    from assay_runner.snapshot.reading.workbook.reader import read_workbook

    return read_workbook(path, options, limits)


_READERS: Mapping[str, Callable[[str, str, Options, Limits], ReadTable]] = {
    "csv": read_delimited,
    "tsv": read_delimited,
    "json": read_records,
    "ndjson": read_records,
    "excel": _read_workbook,
}
_WRITERS: Mapping[str, Callable[[str, str, Options, Limits, str], ReadTable]] = {
    "csv": write_delimited,
    "tsv": write_delimited,
    "ndjson": lambda path, _, options, limits, target: write_records(path, options, limits, target),
}
# Options that need all values of a column at once.
_FOR_FRAMES = (
    *("dtype", "parse_dates", "date_format", "dayfirst", "index_col", "skipfooter", "types"),
)

WITHOUT_FRAME = tuple(name for name in OPTIONS["csv"] if name not in _FOR_FRAMES)
"""Options of delimited text that are accepted without a frame."""


def keeps(source_format: str, options: Options) -> bool:
    """Return whether a source is read here; pandas reads the others."""
    return source_format in _READERS and options.get("types") != "pandas"


def read(path: str, source_format: str, options: Options, limits: Limits) -> ReadTable:
    """Read a source into memory.

    Raises:
        SourceRefusedError: if it is over a limit, or its rows are not all of one form.
        ReaderError: if it is malformed.
        Exception: whatever the library raises that reads it.
    """
    found = _READERS[source_format](path, source_format, options, limits)
    dtypes = options.get("dtype")
    if isinstance(dtypes, Mapping):
        columns = tuple(
            replace(column, dtype=dtypes.get(str(column.name), column.dtype))
            for column in found.columns
        )
        found = replace(found, columns=columns)
    return _noted(replace(found, columns=tuple(map(_with_nullable_note, found.columns))))


def check_without_frame(source_format: str, options: Options) -> None:
    """Check that the options can be used without a frame.

    Raises:
        OptionRefusedError: if one cannot.
    """
    known = WITHOUT_FRAME if source_format in ("csv", "tsv") else ()
    for name in options:
        if name not in known:
            accepted = f"accepts only {', '.join(known)}" if known else "accepts no options"
            raise OptionRefusedError(
                f"The option {name} needs a frame. Without one, {source_format} {accepted}."
            )


def write(
    path: str, source_format: str, options: Options, limits: Limits, target: str
) -> ReadTable:
    """Write a source of any size as Parquet, in bounded memory.

    Returns:
        The table, whose columns have no values.

    Raises:
        Exception: as `read`.
    """
    found = _WRITERS[source_format](path, source_format, options, limits, target)
    if not found.columns:
        raise ParserError("The source has no rows.")
    return _noted(found)


def _with_nullable_note(column: ReadColumn) -> ReadColumn:
    note = nullable_note(column)
    return column if note is None else replace(column, notes=(*column.notes, note))


def _noted(table: ReadTable) -> ReadTable:
    """Add notes to columns whose names are easily mistaken."""
    folded = Counter(str(column.name).strip().lower() for column in table.columns)
    columns = tuple(_with_name_note(column, folded) for column in table.columns)
    return replace(table, columns=columns)


def _with_name_note(column: ReadColumn, folded: Counter[str]) -> ReadColumn:
    name = str(column.name)
    if folded[name.strip().lower()] > 1:
        message = f"is named {name!r}, as another column is but for case or spaces"
    elif name != name.strip():
        message = f"is named {name!r}, with spaces"
    else:
        return column
    return replace(column, notes=(*column.notes, Note(Code.SIMILAR_NAMES, message)))
