"""Writes the rows of a result, and a chart of them, as files that are kept after the run."""

from __future__ import annotations

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

    arrays = [_array(pa, column.values(0, rows)) for column in columns]
    names = _unique([encodable(column.name) for column in columns])
    pq.write_table(pa.Table.from_arrays(arrays, names), path, compression="zstd")


def _array(pa: Any, values: Sequence[Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return values as Arrow finds their type; as text where they have no common one."""
    found = list(values)
    try:
        array = pa.array(found, from_pandas=True)
        # Parquet cannot have a struct without fields.
        if not pa.types.is_nested(array.type) and not pa.types.is_duration(array.type):
            return array
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    texts = (_plain(value) for value in found)
    return pa.array(
        [text if text is None or isinstance(text, str) else dumps(text) for text in texts],
        pa.string(),
    )


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
        cells = [[_plain(value) for value in column.values(start, end)] for column in columns]
        yield from map(encode, map(list, zip(*cells, strict=True)))


def _plain(value: Any) -> Any:  # noqa: ANN401 - any cell
    """Return a cell as a value of JSON; the most frequent types fast."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int and -MAX_EXACT <= value <= MAX_EXACT:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is str and len(value) <= _SHORT_CHARACTERS and value.isascii():
        return value
    return json.loads(cell_text(value)[0])
