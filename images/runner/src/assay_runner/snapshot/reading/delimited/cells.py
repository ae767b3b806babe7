"""The cells of delimited text, in batches of rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.csv

from assay_runner.options import Options
from assay_runner.snapshot.reading.delimited.layout import ParserError, find_layout
from assay_runner.snapshot.reading.delimited.row_errors import explain, unclosed_quote
from assay_runner.snapshot.reading.encoding import Utf8, encoding_of, not_decodable
from assay_runner.snapshot.reading.seen import NONE, Seen

_BLOCK_BYTES = (1024 * 1024, 64 * 1024 * 1024, 1024**3)
BLOCKS = len(_BLOCK_BYTES)
"""How many sizes of blocks there are: a row has to fit into one."""
_BATCH_ROWS = 50_000
_BATCH_CHARACTERS = 16 * 1024 * 1024


class LargeCellError(Exception):
    """A row does not fit into a block: read again with a larger one."""


class Cells:
    """The cells of one file, which can be read more than once.

    Attributes:
        encoding: its encoding.
        layout: where its rows are.
        left_out: rows of another number of cells that were left out, once all were read; they are
            counted without blank lines.
    """

    def __init__(self, path: str, source_format: str, options: Options, block: int = 0) -> None:
        """Find the layout of a file.

        Args:
            path: the file.
            source_format: `csv` or `tsv`.
            options: its options.
            block: which of the sizes of blocks is used, from 0.

        Raises:
            ParserError: if it has none.
            UnicodeDecodeError: if it is not of its encoding.
        """
        self._path = path
        self._format = source_format
        self._options = options
        self._block = block
        self.encoding = encoding_of(path, options.get("encoding"))
        with self._open() as source:
            self.layout = find_layout(source, source_format, options)
        self.left_out = NONE

    def batches(self) -> Iterator[list[Any]]:
        """Yield the cells of rows as columns, each a string array without nulls.

        Raises:
            ParserError: for a row of another number of cells, and a quotation mark that is not
                closed.
            LargeCellError: if a row does not fit into a block, and there is a larger one.
        """
        self.left_out = NONE
        with self._open() as source:
            find_layout(source, self._format, self._options)
            is_plain = self.layout.dialect.is_plain
            last: list[Any] = []
            for last in self._read_arrow(source) if is_plain else self._read_python(source):
                yield last
            # What is never closed takes all that follows into the last cell.
            if source.quotes % 2 or _ends_in_lines(last):
                self._check_quotes()

    def _open(self) -> Utf8:
        errors = self._options.get("encoding_errors", "strict")
        quote = self._options.get("quotechar", '"')
        return Utf8(self._path, self.encoding, errors, quote)

    def _lines(self) -> Iterator[str]:
        with self._open() as source:
            yield from source.lines()

    def _read_arrow(self, source: Utf8) -> Iterator[list[Any]]:
        names = [str(position) for position in range(self.layout.width)]
        dialect = self.layout.dialect
        first_bad: list[Any] = []

        def bad_row(row: Any) -> str:  # noqa: ANN401 - pyarrow has no types
            if not row.text.strip() and self.layout.width > 1:
                return "skip"
            if self._options.get("on_bad_lines", "error") == "error":
                first_bad.append(row)
                return "error"
            self.left_out += Seen(1, (row.number,))
            return "skip"

        try:
            reader = pa.csv.open_csv(
                pa.PythonFile(source, mode="r"),
                pa.csv.ReadOptions(
                    use_threads=False, column_names=names, block_size=_BLOCK_BYTES[self._block]
                ),
                pa.csv.ParseOptions(
                    delimiter=dialect.separator,
                    quote_char=dialect.quote,
                    escape_char=dialect.escape or False,
                    newlines_in_values=True,
                    invalid_row_handler=bad_row,
                ),
                pa.csv.ConvertOptions(
                    strings_can_be_null=False,
                    column_types=dict.fromkeys(names, pa.string()),
                ),
            )
            for batch in reader:
                yield batch.columns
        except pa.ArrowInvalid as error:
            if first_bad:
                row = first_bad[0]
                raise self._wrong_row(row.number, row.actual_columns) from None
            if "Empty CSV" in str(error):
                return
            if "straddling" in str(error) and self._block + 1 < BLOCKS:
                raise LargeCellError from None
            raise

    def _read_python(self, source: Utf8) -> Iterator[list[Any]]:
        width = self.layout.width
        numbers = itertools.count(1)
        pending: list[list[str]] = []
        characters = 0
        for cells in self.layout.dialect.records(source.lines()):
            if not cells:
                continue
            number = next(numbers)
            if len(cells) == 1 < width and not cells[0].strip():
                continue
            if len(cells) != width:
                if self._options.get("on_bad_lines", "error") == "error":
                    raise self._wrong_row(number, len(cells))
                self.left_out += Seen(1, (number,))
                continue
            pending.append(cells)
            characters += sum(map(len, cells))
            if len(pending) == _BATCH_ROWS or characters > _BATCH_CHARACTERS:
                yield _columns(pending)
                pending, characters = [], 0
        if pending:
            yield _columns(pending)

    def _wrong_row(self, number: int, cells: int) -> ParserError:
        return ParserError(explain(self._lines, self.layout, number, cells, self._options))

    def _check_quotes(self) -> None:
        if len(self.layout.dialect.separator) > 1:
            return
        line = unclosed_quote(self._lines(), self.layout)
        if line is not None:
            raise ParserError(
                f"The quotation mark that begins in line {line} is never closed. Close it, or"
                " remove it from the file."
            )


def _columns(rows: list[list[str]]) -> list[Any]:
    try:
        return [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    except UnicodeEncodeError:
        raise not_decodable() from None


def _ends_in_lines(columns: list[Any]) -> bool:
    """Return whether a cell of the last row has an end of a line."""
    return any(len(column) and "\n" in column[-1].as_py() for column in columns)
