"""Notes on delimited text that are about more than the values of one column."""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence

import pyarrow as pa

from assay_runner.options import Options
from assay_runner.snapshot.reading.columns import ReadColumn
from assay_runner.snapshot.reading.delimited.cells import Cells
from assay_runner.snapshot.reading.delimited.dialect import SEPARATORS
from assay_runner.snapshot.reading.notes import Code, Note

_LOOKED_AT = 200


def notes_on(
    columns: Sequence[ReadColumn], rows: int, cells: Cells, options: Options
) -> tuple[Note, ...]:
    """Return the notes on a table that was read from delimited text."""
    layout = cells.layout
    notes = list(layout.notes)
    given = codecs.lookup(options.get("encoding", "utf-8")).name
    if not codecs.lookup(cells.encoding).name.startswith(given):
        message = f"was read as {cells.encoding}, which its first bytes name"
        notes.append(Note(Code.READER_WARNING, message))
    if cells.left_out:
        count = cells.left_out.count
        message = (
            f"{count:,} line{' was' if count == 1 else 's were'} left out for another number of"
            f" cells than the header has, the first as row {cells.left_out.first}"
        )
        notes.append(Note(Code.LINES_LEFT_OUT, message, count, cells.left_out.first))
    first = str(layout.names[0]).lstrip()
    if first.startswith(("{", "[{")):
        message = "the source looks like JSON"
        notes.append(Note(Code.OTHER_FORMAT, message, option=json.dumps({"format": "json"})))
    if len(columns) == 1 and not {"sep", "delimiter"} & options.keys():
        notes += _separator_notes(columns[0])
    if rows > 1 and len(columns) > 1 and _has_second_header(columns):
        option = {"names": [str(column.name) for column in columns], "header": None, "skiprows": 2}
        message = "row 1 may be a second line of the header"
        text = json.dumps(option, ensure_ascii=False)
        notes.append(Note(Code.HEADER_LINES, message, 1, 1, text))
    return tuple(notes)


def _separator_notes(column: ReadColumn) -> list[Note]:
    """Return a note if the only column looks like several with another separator."""
    name = str(column.name)
    texts = [str(text) for text in column.values.slice(0, _LOOKED_AT).to_pylist()]
    separator = next((s for s in SEPARATORS if all(s in text for text in (name, *texts))), None)
    if separator is None:
        return []
    message = "there is one column, which looks like several with another separator"
    return [Note(Code.OTHER_SEPARATOR, message, option=json.dumps({"sep": separator}))]


def _has_second_header(columns: Sequence[ReadColumn]) -> bool:
    """Return whether row 1 has a text in each column, and others would be numbers without it."""
    texts = all(pa.types.is_large_string(column.values.type) for column in columns)
    return texts and any(map(_is_text_by_first_row, columns))


def _is_text_by_first_row(column: ReadColumn) -> bool:
    return any(
        note.code is Code.MIXED_VALUES and note.rows == note.first_row == 1 for note in column.notes
    )
