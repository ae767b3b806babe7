"""Writes the rows of a result, and a chart of them, as files that are kept after the run."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from assay_runner.worker.query.cells import MAX_EXACT, cell_text, dumps, encodable
from assay_runner.worker.query.table import Column, Table

MAX_ROWS = 10_000
"""How many rows of a result can be paged through and exported."""

RESULTS = "results"
_CHARTS = "charts"
_TABLE = "result.parquet"
_ROWS = "rows.ndjson"
# Text of more characters may be over the limit of a cell.
_SHORT_CHARACTERS = 1000
_BLOCK_ROWS = 1000
# More would be the keys of objects that differ, rather than the fields of one type.
_MAX_FIELDS = 100


class Outputs:
    """The files of one result.

    Args:
        workspace: the working directory of the run.
        chart: the chart that is wanted, with its type or None; None for no chart.
        collected: the folders whose files are kept after the run.
    """

    def __init__(
        self, workspace: str, chart: Mapping[str, str | None] | None, collected: Collection[str]
    ) -> None:
        self._workspace = workspace
        self._chart = chart
        self._keeps_rows = RESULTS in collected

    def write(self, table: Table) -> tuple[dict[str, object], list[str]]:
        """Write the rows, if they are kept, and the chart, which is drawn from them.

        Returns:
            The members `chart` or `chartError` of the value, and warnings. No error of writing
            fails a run.
        """
        if not table.columns or not table.total_rows:
            return self._without_chart("the result has no rows to draw"), []
        if not self._keeps_rows and self._chart is None:
            return {}, []
        rows = min(table.total_rows, MAX_ROWS)
        try:
            directory = os.path.join(self._workspace, RESULTS)
            os.makedirs(directory, exist_ok=True)
            path = os.path.join(directory, _TABLE)
            _write_parquet(table.columns, rows, path)
            if self._keeps_rows:
                _write_rows(table.columns, rows, os.path.join(directory, _ROWS))
        except (Exception, MemoryError) as error:
            reason = f"{type(error).__name__}: {error}"
            warning = encodable(f"The rows were not kept for paging and export: {reason}"[:300])
            return self._without_chart("the rows could not be written"), [warning]
        return self._drawn(path), []

    def _without_chart(self, reason: str) -> dict[str, object]:
        return {} if self._chart is None else {"chartError": reason}

    def _drawn(self, path: str) -> dict[str, object]:
        if self._chart is None:
            return {}
        try:
            from assay_runner.chart.draw import draw
        except Exception as error:
            # Code may have put modules of its own in the place of libraries.
            reason = f"the chart could not be drawn: {type(error).__name__}: {error}"
            return {"chartError": encodable(reason[:300])}
        found = draw(path, self._chart.get("type"), os.path.join(self._workspace, _CHARTS))
        if "error" in found:
            return {"chartError": found["error"]}
        return {"chart": found}


def _write_parquet(columns: Sequence[Column], rows: int, path: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [_array(pa, column, rows) for column in columns]
    names = _unique([encodable(column.name) for column in columns])
    pq.write_table(pa.Table.from_arrays(arrays, names), path, compression="zstd")


def _array(pa: Any, column: Column, rows: int) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return values of the type that they have or that all of them fit; else as text."""
    with contextlib.suppress(Exception):
        array = None if column.arrow is None else column.arrow(0, rows)
        if array is not None:
            array = _of_integers(pa, array)
            if _is_portable(pa, array.type):
                return array
    found = list(column.values(0, rows))
    # Integers beyond 64 bits are no numbers that Arrow finds by itself.
    for kind in (None, pa.uint64(), pa.decimal128(38, 0)):
        with contextlib.suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
            array = pa.array(found, kind, from_pandas=not column.has_nan)
            if _is_portable(pa, array.type):
                return array
    texts = (_plain(value, has_nan=column.has_nan) for value in found)
    return pa.array(
        [text if text is None or isinstance(text, str) else dumps(text) for text in texts],
        pa.string(),
    )


def _is_portable(pa: Any, kind: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    """Return whether a Parquet file holds a type so that DuckDB reads what it was."""
    if pa.types.is_struct(kind):
        fields = [kind.field(number) for number in range(kind.num_fields)]
        return 0 < len(fields) <= _MAX_FIELDS and all(_is_portable(pa, f.type) for f in fields)
    if pa.types.is_map(kind):
        return _is_portable(pa, kind.key_type) and _is_portable(pa, kind.item_type)
    if pa.types.is_nested(kind):
        return hasattr(kind, "value_type") and _is_portable(pa, kind.value_type)
    if pa.types.is_dictionary(kind):
        return _is_portable(pa, kind.value_type)
    unknown = (
        *(pa.types.is_duration, pa.types.is_interval, pa.types.is_float16),
        *(pa.types.is_decimal256, lambda kind: isinstance(kind, pa.BaseExtensionType)),
    )
    return not any(is_kind(kind) for is_kind in unknown)


def _of_integers(pa: Any, array: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return decimals without a fraction, such as sums of DuckDB, in a type that holds them all."""
    if pa.types.is_decimal(array.type) and array.type.scale == 0:
        for kind in (pa.int64(), pa.decimal128(38, 0)):
            with contextlib.suppress(pa.ArrowException):
                return array.cast(kind)
    return array


def _unique(names: Sequence[str]) -> list[str]:
    """Return names that DuckDB takes for different ones: it ignores case."""
    taken: set[str] = set()
    found = []
    for name in names:
        candidate, number = name, 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate.lower())
        found.append(candidate)
    return found


def _write_rows(columns: Sequence[Column], rows: int, path: str) -> None:
    """Write a JSON array for each row, with the cells that a value has."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in _lines(columns, rows, encode))


def _lines(columns: Sequence[Column], rows: int, encode: Callable[[object], str]) -> Iterator[str]:
    for start in range(0, rows, _BLOCK_ROWS):
        end = min(start + _BLOCK_ROWS, rows)
        cells = [
            [_plain(value, has_nan=column.has_nan) for value in column.values(start, end)]
            for column in columns
        ]
        yield from map(encode, map(list, zip(*cells, strict=True)))


def _plain(value: Any, *, has_nan: bool) -> Any:  # noqa: ANN401 - any cell
    """Return a cell as a value of JSON; the most frequent types fast."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int and -MAX_EXACT <= value <= MAX_EXACT:
        return value
    if kind is float and math.isfinite(value):
        return value
    if kind is str and len(value) <= _SHORT_CHARACTERS and value.isascii():
        return value
    return json.loads(cell_text(value, has_nan=has_nan)[0])
