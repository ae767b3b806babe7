"""Reads one sheet of a workbook: text cells stay text, and what is not there is named."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
from pandas.io.parsers import TextParser  # type: ignore[attr-defined]

from assay_runner.options import Options
from assay_runner.snapshot.error_redaction import redact
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.columns import ReadColumn, ReadTable
from assay_runner.snapshot.reading.notes import Code, Note, counted
from assay_runner.snapshot.reading.typed.dates import with_dates
from assay_runner.snapshot.reading.typed.dtypes import TEXTS, cast_column, dtypes_of
from assay_runner.snapshot.reading.typed.values import read_values
from assay_runner.snapshot.reading.workbook.cells import cell_text, rows_of, workbook
from assay_runner.snapshot.reading.workbook.missing_texts import without_missing
from assay_runner.snapshot.reading.workbook.parts import (
    SheetParts,
    formulas_without_value,
    merged_notes,
    parts_of,
)
from assay_runner.snapshot.reading.workbook.reader_warnings import warning_notes
from assay_runner.snapshot.source import SourceRefusedError

_NAMED_SHEETS = 10
# What is given to pandas, which finds the header and the columns.
_LAYOUT = ("header", "names", "usecols", "nrows")


class _Cells(NamedTuple):
    """What is known of the cells of a sheet.

    Attributes:
        parts: what its part says.
        unvalued: rows of formulas without values by column, both from 0.
        heading: the row of the names, from 0; -1 if there is none.
        rows: the rows of the data in ascending order, from 0.
    """

    parts: SheetParts
    unvalued: Mapping[int, Sequence[int]]
    heading: int
    rows: Sequence[int]

    def notes(self, place: int) -> tuple[Note, ...]:
        """Return the notes on formulas and merged cells of a column, -1 for one not known."""
        notes = merged_notes(self.parts, place, self.heading, self.rows)
        unvalued = set(self.unvalued.get(place, ()))
        numbered = enumerate(self.rows, 1) if unvalued else ()
        found = [number for number, row in numbered if row in unvalued]
        if not found:
            return notes
        message = (
            f"has {counted(len(found), 'formula')} without a stored value: missing until Excel"
            " has opened and saved the workbook"
        )
        return (Note(Code.FORMULA_WITHOUT_VALUE, message, len(found), found[0]), *notes)


def read_workbook(path: str, options: Options, limits: Limits) -> ReadTable:
    """Return the table of a sheet.

    Args:
        path: the workbook.
        options: its options, which have been checked.
        limits: limits of the source.

    Raises:
        ReaderError: if it cannot be read, without its content; a sheet that is not there is an
            error that names those that are.
        LimitExceededError: if it has too many rows or columns.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            table = _read(path, options, limits)
        except (ReaderError, SourceRefusedError):
            raise
        # As many kinds as there are ways to damage a workbook.
        except Exception as error:
            raise redact(error, path, "excel", options) from None
    return replace(table, notes=table.notes + warning_notes(caught))


def _read(path: str, options: Options, limits: Limits) -> ReadTable:
    with workbook(path, values=True) as book:
        titles = [sheet.title for sheet in book.worksheets]
        sheet = book.worksheets[_position(titles, options.get("sheet_name", 0))]
        parts = parts_of(path, sheet)
        all_rows = rows_of(sheet)
    kept = _kept(len(all_rows), options)
    rows = [all_rows[row] for row in kept]
    others = [title for title in titles if title != sheet.title]
    if not rows:
        return ReadTable((), 0, notes=(_sheets_note(others, is_empty=True),))
    labels = _unnamed(len(rows[0]), options)
    frame = _frame(rows, {**options, "names": [*labels, *options["names"]]} if labels else options)
    for name in options.get("parse_dates", ()):
        if name not in frame.columns:
            raise ReaderError(ValueError(), f"The option parse_dates names no column: {name!r}.")
    limits.check_rows(len(frame))
    limits.check_columns(len(frame.columns))
    places = _places(rows, frame, options)
    unvalued = formulas_without_value(path, sheet.title, parts, all_rows)
    columns = [
        _column(None if name in labels else name, frame.iloc[:, position], options)
        for position, name in enumerate(frame.columns)
    ]
    heading = _heading(options)
    data = kept[heading + 1 : heading + 1 + len(frame)]
    cells = _Cells(parts, unvalued, kept[heading] if heading >= 0 else -1, data)
    columns = [
        replace(column, notes=column.notes + cells.notes(place))
        for column, place in zip(columns, places or [-1] * len(columns), strict=True)
    ]
    notes = (_sheets_note(others),) if others else ()
    return ReadTable(tuple(columns), len(frame), tuple(range(len(labels))), notes)


def _unnamed(width: int, options: Options) -> list[str]:
    """Return stand-ins for the columns in front of `names`, which are the index in pandas."""
    names = options.get("names")
    if names is None or "usecols" in options:
        return []
    return [f"\0{position}" for position in range(width - len(names))]


def _position(titles: Sequence[str], wanted: int | str) -> int:
    """Return the position of the sheet that the option asks for."""
    if isinstance(wanted, int) and wanted < len(titles):
        return wanted
    if isinstance(wanted, str) and wanted in titles:
        return titles.index(wanted)
    asked = f"{wanted!r}" if isinstance(wanted, str) else f"number {wanted} (counted from 0)"
    raise ReaderError(
        ValueError(), f"The workbook has no sheet {asked}. Its sheets are {_listed(titles)}."
    )


def _listed(titles: Sequence[str]) -> str:
    shown = ", ".join(repr(title) for title in titles[:_NAMED_SHEETS])
    further = len(titles) - _NAMED_SHEETS
    return f"{shown} and {further} more" if further > 0 else shown


def _sheets_note(others: Sequence[str], is_empty: bool = False) -> Note:
    if not others:
        return Note(Code.SHEETS, "is an empty sheet, the only one of the workbook")
    option = json.dumps({"sheet_name": others[0]}, ensure_ascii=False)
    if not is_empty:
        return Note(Code.SHEETS, f"is one sheet; the others are {_listed(others)}", option=option)
    return Note(Code.SHEETS, f"is an empty sheet; the others are {_listed(others)}", option=option)


def _frame(rows: Sequence[Sequence[Any]], options: Options) -> pd.DataFrame:
    """Return the cells below the header as they are, by columns as pandas names them."""
    layout: dict[str, Any] = {"header": 0}
    layout |= {name: options[name] for name in _LAYOUT if name in options}
    nrows = layout.get("nrows")
    parser = TextParser(
        list(rows),
        **layout,
        dtype=object,
        na_filter=False,
        skip_blank_lines=False,
        index_col=False,
    )
    try:
        frame: pd.DataFrame = parser.read(nrows)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()
    return frame


def _kept(count: int, options: Options) -> Sequence[int]:
    """Return which rows of the sheet are read, from 0."""
    skipped = options.get("skiprows", 0)
    end = max(count - int(options.get("skipfooter", 0)), 0)
    if isinstance(skipped, int):
        return range(min(skipped, end), end)
    return sorted(set(range(end)).difference(skipped))


def _heading(options: Options) -> int:
    """Return the position of the header among the rows that are read; -1 if there is none."""
    header = options.get("header", 0)
    return -1 if header is None else int(header)


def _places(rows: Sequence[Sequence[Any]], frame: pd.DataFrame, options: Options) -> Sequence[int]:
    """Return which column of the sheet each column is from; none if that cannot be told."""
    width = len(rows[0])
    if len(frame.columns) == width:
        return range(width)
    if "usecols" in options and "names" not in options:
        everything = {name: v for name, v in options.items() if name not in ("usecols", "nrows")}
        names = list(_frame(rows[: _heading(options) + 2], everything).columns)
        return [names.index(name) for name in frame.columns]
    return ()


def _column(name: object, series: pd.Series[Any], options: Options) -> ReadColumn:
    values, missing = without_missing(list(series.array), options)
    column = read_values(name, [_number(value) for value in values], cell_text)
    column = replace(column, notes=missing + column.notes)
    dtype = dtypes_of(options).get(str(name))
    if str(name) in options.get("parse_dates", ()):
        return with_dates(column, is_named=True)
    if dtype is None:
        return column
    if dtype in TEXTS:
        texts = [value if value is None else cell_text(value) for value in values]
        return ReadColumn(
            name, pa.chunked_array([pa.array(texts, pa.large_string())]), notes=missing
        )
    return cast_column(column, dtype)


def _number(value: Any) -> Any:  # noqa: ANN401 - any value of a cell
    """Return a whole number beyond 64 bits as the double that a cell holds."""
    if type(value) is int and abs(value) >= 2**63 and math.isfinite(float(value)):
        return float(value) if int(float(value)) == value else value
    return value
