"""Cells of a sheet as Python has them, and as text."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import openpyxl
from openpyxl.cell.cell import TYPE_ERROR, TYPE_NUMERIC

from assay_runner.snapshot.limits import check_cells


@contextmanager
def workbook(path: str, *, values: bool) -> Iterator[Any]:
    """Open a workbook, of whatever name, to read its values or else its formulas."""
    # By its path, openpyxl refuses a file whose name has another extension.
    with open(path, "rb") as file:
        book = openpyxl.load_workbook(file, read_only=True, data_only=values, keep_links=False)
        try:
            yield book
        finally:
            book.close()


class CellError(str):
    """An error such as `#DIV/0!` in place of a value."""

    __slots__ = ()


def rows_of(sheet: Any) -> list[list[Any]]:  # noqa: ANN401 - openpyxl has no types
    """Return the values of a sheet's cells, in rows of the same length.

    Empty cells are empty text, as pandas has them while it reads. Rows and columns without
    values at the end are left out.
    """
    # What a program has written as the extent of the sheet may be wrong.
    sheet.reset_dimensions()
    rows: list[list[Any]] = []
    filled = 0
    for row in sheet.rows:
        check_cells(len(rows) + 1, len(row))
        values = [_value(cell) for cell in row]
        while values and values[-1] == "":
            values.pop()
        rows.append(values)
        filled = len(rows) if values else filled
    del rows[filled:]
    width = max(map(len, rows), default=0)
    check_cells(len(rows), width)
    for values in rows:
        values.extend([""] * (width - len(values)))
    return rows


def cell_text(value: object) -> str:
    """Return a value as a sheet shows it without a format: `2134`, `2.5`, `TRUE`."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime.datetime):
        is_day = value.time() == datetime.time()
        return str(value.date()) if is_day else str(value)
    return str(value)


def _value(cell: Any) -> Any:  # noqa: ANN401
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == TYPE_ERROR:
        return CellError(value)
    if type(value) is datetime.date:
        return datetime.datetime.combine(value, datetime.time())
    if cell.data_type == TYPE_NUMERIC and isinstance(value, float) and value.is_integer():
        return int(value)
    return value
