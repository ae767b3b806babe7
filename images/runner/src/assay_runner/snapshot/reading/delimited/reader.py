"""Reads delimited text: all cells of a column decide its type, in files of any size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay_runner.options import Options
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.reading.columns import ReadColumn, ReadTable
from assay_runner.snapshot.reading.delimited.cells import BLOCKS, Cells, LargeCellError
from assay_runner.snapshot.reading.delimited.evidence import Evidence
from assay_runner.snapshot.reading.delimited.explicit_types import as_dates, as_dtype
from assay_runner.snapshot.reading.delimited.layout import ParserError
from assay_runner.snapshot.reading.delimited.table_notes import notes_on
from assay_runner.snapshot.reading.delimited.types import Decision, decide
from assay_runner.snapshot.reading.delimited.values import Meaning, Texts
from assay_runner.snapshot.table_names import table_names

# Of the columns that are read at once, each takes memory.
_THREADS = 2
_ROW_GROUP_BYTES = 64 * 1024 * 1024


def read_delimited(path: str, source_format: str, options: Options, limits: Limits) -> ReadTable:
    """Read delimited text into memory.

    Raises:
        ParserError: if its rows are not all of one length, or an option names no column.
        LimitExceededError: if it has too many rows or columns.
        DtypeError: if a column is not of the type that an option gives it.
        UnicodeDecodeError: if it is not of its encoding.
    """
    return _repeated(lambda block: _Source(path, source_format, options, limits, block).read())


def write_delimited(
    path: str, source_format: str, options: Options, limits: Limits, target: str
) -> ReadTable:
    """Write delimited text of any size as Parquet, in bounded memory.

    The file is read twice: once to see all values, and once to write them. Raises as
    `read_delimited`.

    Returns:
        The table, whose columns have no values.
    """
    return _repeated(
        lambda block: _Source(path, source_format, options, limits, block).write(target)
    )


def _repeated(read: Callable[[int], ReadTable]) -> ReadTable:
    """Read with blocks of a size that all rows fit into."""
    for block in range(BLOCKS - 1):
        try:
            return read(block)
        except LargeCellError:
            continue
    return read(BLOCKS - 1)


class _Source:
    def __init__(
        self, path: str, source_format: str, options: Options, limits: Limits, block: int
    ) -> None:
        self._cells = Cells(path, source_format, options, block)
        self._options = options
        self._limits = limits
        self._meaning = Meaning.of(options)
        layout = self._cells.layout
        limits.check_columns(len(layout.names))
        self._positions = _selected(layout.names, options)
        self._names = [layout.names[position] for position in self._positions]

    def read(self) -> ReadTable:
        held = _without_footer(list(self._batches()), self._options.get("skipfooter", 0))
        rows = sum(len(batch[0]) for batch in held)

        def column(place: int) -> ReadColumn:
            chunks = [batch[place] for batch in held]
            for batch in held:
                # Frees the texts of a column once its values are known.
                batch[place] = None
            return self._column(self._names[place], chunks)

        # Nearly all of it is Arrow's work, which runs without the interpreter's lock.
        with ThreadPoolExecutor(max_workers=_THREADS) as threads:
            columns = list(threads.map(column, range(len(self._names))))
        return self._table(columns, rows)

    def write(self, target: str) -> ReadTable:
        evidence = [Evidence() for _ in self._names]
        for batch in self._batches():
            for seen, values in zip(evidence, batch, strict=True):
                texts = Texts.of(values, self._meaning)
                seen.add(texts.understood, texts.missing, texts.numbers)
        found = [decide(str(name), seen) for name, seen in zip(self._names, evidence, strict=True)]
        names = table_names(self._names)
        schema = pa.schema([(n, one.type) for n, one in zip(names, found, strict=True)])
        with pq.ParquetWriter(target, schema, compression="zstd", compression_level=1) as writer:
            for group in self._groups():
                values = [self._typed(*both) for both in zip(group, found, strict=True)]
                writer.write_table(pa.table(values, schema=schema))
        columns = [
            ReadColumn(name, pa.chunked_array([], one.type), one.form, notes=one.notes)
            for name, one in zip(self._names, found, strict=True)
        ]
        return self._table(columns, evidence[0].rows)

    def _groups(self) -> Iterator[list[list[Any]]]:
        """Yield the texts of each column, of as many rows as a group of rows has."""
        held: list[list[Any]] = []
        size = 0
        for batch in self._batches():
            held.append(batch)
            size += sum(values.nbytes for values in batch)
            if size > _ROW_GROUP_BYTES:
                yield [list(chunks) for chunks in zip(*held, strict=True)]
                held, size = [], 0
        if held:
            yield [list(chunks) for chunks in zip(*held, strict=True)]

    def _batches(self) -> Iterator[list[Any]]:
        rows = 0
        most: int | None = self._options.get("nrows")
        for batch in self._cells.batches():
            selected = [batch[position] for position in self._positions]
            if most is not None and rows + len(selected[0]) > most:
                yield [values.slice(0, most - rows) for values in selected]
                return
            rows += len(batch[0])
            self._limits.check_rows(rows)
            if self._cells.layout.has_end and pc.max(pc.binary_length(batch[-1])).as_py():
                raise ParserError(
                    "Some rows have one cell more than the header, and others end in a separator:"
                    " correct the file."
                )
            yield selected

    def _column(self, name: Any, chunks: list[Any]) -> ReadColumn:  # noqa: ANN401 - a name may be a number
        dtype = self._options.get("dtype", {}).get(str(name))
        texts = [Texts.of(values, self._meaning) for values in chunks]
        if str(name) in self._options.get("parse_dates", ()):
            return as_dates(name, _joined(one.present() for one in texts), self._options)
        if dtype is not None and dtype != "category":
            understood = _joined(one.present_as_understood() for one in texts)
            return as_dtype(name, _joined(one.present() for one in texts), understood, dtype)
        seen = Evidence()
        for one in texts:
            seen.add(one.understood, one.missing, one.numbers)
        decision = decide(str(name), seen)
        values = _whole([one.typed(decision) for one in texts], decision.type)
        shown = None if decision.form is None else _joined(one.present() for one in texts)
        return ReadColumn(
            name, values, decision.form, notes=decision.notes, shown=shown, dtype=dtype
        )

    def _typed(self, chunks: Sequence[Any], decision: Decision) -> Any:  # noqa: ANN401
        texts = (Texts.of(values, self._meaning) for values in chunks)
        return pa.chunked_array([one.typed(decision) for one in texts], decision.type)

    def _table(self, columns: list[ReadColumn], rows: int) -> ReadTable:
        notes = notes_on(columns, rows, self._cells, self._options)
        index = _index(self._names, self._options)
        return ReadTable(tuple(columns), rows, index, notes)


def _joined(chunks: Iterable[Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    return _whole(chunks, pa.large_string())


def _whole(chunks: Iterable[Any], kind: Any) -> Any:  # noqa: ANN401
    """Return values as one chunk, as the file of a frame has them."""
    found = [pc.cast(values, kind) for values in chunks]
    return pa.chunked_array([pa.concat_arrays(found)] if found else [], kind)


def _selected(names: Sequence[Any], options: Options) -> list[int]:
    """Return the positions of the columns that are read."""
    wanted: list[str] | None = options.get("usecols")
    known = [str(name) for name in names]
    for option in ("usecols", "parse_dates"):
        unknown = [name for name in options.get(option, ()) if name not in known]
        if unknown:
            raise ParserError(
                f"The option {option} names columns that the source does not have: "
                f"{json.dumps(unknown[:10], ensure_ascii=False)[:256]}."
            )
    if wanted is None:
        return list(range(len(names)))
    return [
        position for position, name in enumerate(known) if name in wanted or names[position] is None
    ]


def _index(names: Sequence[Any], options: Options) -> tuple[int, ...]:
    """Return the positions of the columns that are labels."""
    wanted: int | str | None = options.get("index_col")
    if wanted is None:
        return ()
    known = [str(name) for name in names]
    if isinstance(wanted, int) and wanted < len(names):
        return (wanted,)
    if wanted in known:
        return (known.index(str(wanted)),)
    raise ParserError(
        f"The option index_col names a column that the source does not have: {wanted!r}."
    )


def _without_footer(held: list[list[Any]], left: int) -> list[list[Any]]:
    while left and held:
        rows = len(held[-1][0])
        if rows > left:
            held[-1] = [values.slice(0, rows - left) for values in held[-1]]
            break
        held.pop()
        left -= rows
    return held
