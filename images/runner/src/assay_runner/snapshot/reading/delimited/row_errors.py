"""Explains why rows of delimited text cannot be read: the line, the counts and the likely cause."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assay_runner.options import Options
from assay_runner.snapshot.reading.delimited.dialect import SEPARATORS, Dialect
from assay_runner.snapshot.reading.notes import counted

if TYPE_CHECKING:
    from assay_runner.snapshot.reading.delimited.layout import Layout

_LOOKED_AT = 200


def explain(
    lines: Callable[[], Iterator[str]], layout: Layout, number: int, cells: int, options: Options
) -> str:
    """Return the message for a row that has another number of cells than the header.

    Args:
        lines: returns the lines of the source.
        layout: its layout.
        number: of the row, from 1; blank lines are not counted.
        cells: how many it has.
        options: the options of the source.
    """
    line = _line_of(lines(), layout, number)
    what = "the header has" if options.get("header", 0) is not None else "the first row has"
    message = (
        f"Line {line} has {counted(cells, 'cell')}, and {what} {layout.width - layout.has_end}."
    )
    return message + _cause(list(itertools.islice(lines(), _LOOKED_AT)), layout, options)


def unclosed_quote(lines: Iterator[str], layout: Layout) -> int | None:
    """Return the line of the quotation mark that is never closed, or None."""
    _skip(lines, layout.lines)
    reader = csv.reader(
        layout.dialect.without_comments(lines),
        delimiter=layout.dialect.separator,
        quotechar=layout.dialect.quote,
        escapechar=layout.dialect.escape,
        skipinitialspace=layout.dialect.skips_spaces,
        strict=True,
    )
    before = 0
    try:
        for _ in reader:
            before = reader.line_num
    except csv.Error as error:
        return layout.lines + before + 1 if "unexpected end of data" in str(error) else None
    return None


def _line_of(lines: Iterator[str], layout: Layout, number: int) -> int:
    _skip(lines, layout.lines)
    taken = 0

    def counted() -> Iterator[str]:
        nonlocal taken
        for line in lines:
            taken += 1
            yield line

    begin = 0
    found = 0
    for cells in layout.dialect.records(counted()):
        found += bool(cells)
        if found == number:
            break
        begin = taken
    return layout.lines + begin + 1


def _cause(lines: list[str], layout: Layout, options: Options) -> str:
    for separator in SEPARATORS:
        if separator != layout.dialect.separator and not {"sep", "delimiter"} & options.keys():
            found = _table_by(lines, layout.dialect.with_separator(separator))
            if found is not None:
                return _other_separator(lines, separator, 0 if "skiprows" in options else found)
    widths = _widths(lines, layout.dialect)
    usual, count = Counter(widths).most_common(1)[0] if widths else (0, 0)
    skipped = _lines_before(lines, layout.dialect, usual)
    # One name is as likely a title.
    is_title = layout.width == 1 and skipped > 1
    if usual == layout.width + 1 and count >= len(widths) - 1 and not is_title:
        option = json.dumps({"index_col": 0})
        return (
            " Rows have one cell more than the header: correct the header, or give the options"
            f" {option} if the first cells are labels."
        )
    is_usual = usual != layout.width and count * 2 > len(widths)
    if is_usual and skipped and "skiprows" not in options:
        option = json.dumps({"skiprows": skipped})
        return f" The table may begin in line {skipped + 1}: give the options {option}."
    option = json.dumps({"types": "pandas"})
    return (
        " Correct the file, or give the option on_bad_lines to leave such lines out; the options"
        f" {option} read it as pandas does, with missing values in place of missing cells."
    )


def _table_by(lines: list[str], dialect: Dialect) -> int | None:
    """Return how many lines come before a table with rows of one width; None if there is none."""
    widths = _widths(lines, dialect)
    usual, count = Counter(widths).most_common(1)[0] if widths else (0, 0)
    if usual < 2 or count < 2 or count * 2 < len(widths):
        return None
    skipped = _lines_before(lines, dialect, usual)
    return skipped if set(_widths(lines[skipped:], dialect)) == {usual} else None


def _other_separator(lines: list[str], separator: str, skipped: int) -> str:
    options: dict[str, str | int] = {"sep": separator}
    if skipped:
        options["skiprows"] = skipped
    if separator != "," and any("," in line for line in lines[1:]):
        options["decimal"] = ","
    option = json.dumps(options)
    return f" The cells seem to be separated by {separator!r}: give the options {option}."


def _widths(lines: list[str], dialect: Dialect) -> list[int]:
    """Return how many cells the first rows have, but the last, which may be cut off."""
    try:
        rows = [cells for cells in dialect.records(lines) if len(cells) > 1 or any(cells)]
    except csv.Error:
        return []
    return [len(cells) for cells in (rows[:-1] if len(lines) == _LOOKED_AT else rows)]


def _lines_before(lines: list[str], dialect: Dialect, width: int) -> int:
    """Return how many lines come before the first of the rows that have a width."""
    for number in range(len(lines)):
        found = _widths(lines[number:], dialect)
        if found and found[0] == width and lines[number].strip():
            return number
    return 0


def _skip(lines: Iterator[str], count: int) -> None:
    for _ in range(count):
        next(lines, None)
