"""What the parts of a workbook say that its cells do not: merged areas, formulas without values."""

from __future__ import annotations

import re
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from openpyxl.utils import range_boundaries

from assay_runner.snapshot.reading.notes import Code, Note, counted
from assay_runner.snapshot.reading.workbook.cells import workbook

_CHUNK_BYTES = 1024 * 1024
_OVERLAP_BYTES = 512
_MAX_AREAS = 1000
_AREA = re.compile(rb"""<(?:\w+:)?mergeCell\s[^<>]*?ref\s*=\s*["']([A-Z0-9:$]{1,32})["']""")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")


class Area(NamedTuple):
    """A merged area: positions of its first and last columns and rows, from 0."""

    left: int
    top: int
    right: int
    bottom: int


class SheetParts(NamedTuple):
    """What a sheet's part says.

    Attributes:
        areas: its merged areas, 1,000 of them at most.
        has_formulas: whether there are formulas.
    """

    areas: tuple[Area, ...]
    has_formulas: bool


def parts_of(path: str, sheet: Any) -> SheetParts:  # noqa: ANN401 - openpyxl has no types
    """Return what the part of a sheet says, which is a member of the archive at `path`."""
    areas: dict[Area, None] = {}
    has_formulas = False
    rest = b""
    with zipfile.ZipFile(path) as archive, archive.open(sheet._worksheet_path) as part:
        while chunk := part.read(_CHUNK_BYTES):
            data = rest + chunk
            has_formulas = has_formulas or _FORMULA.search(data) is not None
            for reference in _AREA.findall(data):
                if len(areas) < _MAX_AREAS:
                    left, top, right, bottom = range_boundaries(reference.decode())
                    areas[Area(left - 1, top - 1, right - 1, bottom - 1)] = None
            rest = data[-_OVERLAP_BYTES:]
    return SheetParts(tuple(areas), has_formulas)


def formulas_without_value(
    path: str, title: str, parts: SheetParts, rows: Sequence[Sequence[Any]]
) -> Mapping[int, Sequence[int]]:
    """Return the rows, from 0, of formulas whose values are not stored, by column, from 0.

    Args:
        path: the workbook.
        title: the name of the sheet.
        parts: what its part says.
        rows: the values of its cells.
    """
    found: dict[int, list[int]] = {}
    if not parts.has_formulas:
        return found
    with workbook(path, values=False) as book:
        sheet = book[title]
        sheet.reset_dimensions()
        for number, row in enumerate(sheet.rows):
            values = rows[number] if number < len(rows) else ()
            for place, cell in enumerate(row):
                is_empty = place >= len(values) or values[place] == ""
                if is_empty and cell.data_type == "f":
                    found.setdefault(place, []).append(number)
    return found


def merged_notes(
    parts: SheetParts, place: int, heading: int, rows: Sequence[int]
) -> tuple[Note, ...]:
    """Return a note on merged areas that take values from a column, or its name.

    Args:
        parts: what the part of the sheet says.
        place: the column, from 0; -1 if that is not known.
        heading: the row of the names, from 0; -1 if there is none.
        rows: the rows of the data in ascending order, from 0.
    """
    areas = [area for area in parts.areas if area.left <= place <= area.right]
    empty = [_empty(area, place, rows) for area in areas]
    count = sum(map(len, empty))
    if count:
        first = min(each.start for each in empty if each) + 1
        message = (
            f"has {counted(count, 'empty cell')} in merged areas, whose first cells alone have the"
            " values"
        )
        return (Note(Code.MERGED_CELLS, message, count, first),)
    if any(area.top <= heading <= area.bottom for area in areas):
        return (Note(Code.MERGED_CELLS, "has a heading of merged cells"),)
    return ()


def _empty(area: Area, place: int, rows: Sequence[int]) -> range:
    """Return the positions of rows in which an area covers a column, without its first cell."""
    top = area.top + (place == area.left)
    return range(bisect_left(rows, top), bisect_right(rows, area.bottom))
