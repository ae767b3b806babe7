"""Results of Polars as tables."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay_runner.worker.query.cells import single
from assay_runner.worker.query.table import Column, Statistics, Table

MAX_COMPUTED_ROWS = 10_000


def frame_table(frame: pl.DataFrame) -> Table:
    """Return a frame as a table."""
    found = _Statistics(frame.lazy(), frame.schema, exact=True)
    return _table(frame, frame.height, found)


def series_table(series: pl.Series) -> Table:
    """Return a Series as a table of one column."""
    return frame_table(series.to_frame(series.name or "value"))


def lazy_table(query: pl.LazyFrame) -> Table:
    """Compute a query, of a long result only the first rows and statistics.

    The streaming engine does not hold the table in memory.
    """
    aggregation = "AGGREGATE" in query.explain(optimized=False)
    frame = query.head(MAX_COMPUTED_ROWS + 1).collect(engine="streaming")
    if frame.height <= MAX_COMPUTED_ROWS:
        return frame_table(frame)._replace(aggregation=aggregation)
    found = _Statistics(query, frame.schema, exact=False)
    table = _table(frame.head(MAX_COMPUTED_ROWS), found.rows(), found)
    return table._replace(aggregation=aggregation)


def _table(frame: pl.DataFrame, rows: int, found: _Statistics) -> Table:
    columns = []
    for position, (name, kind) in enumerate(frame.schema.items()):
        columns.append(_column(name, str(kind), frame.to_series(position), position, found))
    return Table(columns, rows, engine="polars")


def _column(name: str, kind: str, series: pl.Series, position: int, found: _Statistics) -> Column:
    return Column(
        name,
        kind,
        lambda start, end: _cells(series[start:end].to_list(), series.dtype),
        lambda: found.of(position),
    )


def _cells(values: list[Any], kind: Any) -> list[Any]:  # noqa: ANN401 - types or classes of them
    if kind == pl.Float32:
        return single(values)
    if "Float32" in str(kind) and isinstance(kind, (pl.List, pl.Array)):
        return [None if value is None else _cells(value, kind.inner) for value in values]
    return values


class _Statistics:
    """Statistics of all columns, computed in one pass when they are first needed."""

    def __init__(self, query: pl.LazyFrame, schema: pl.Schema, *, exact: bool) -> None:
        self._query = query
        self._schema = schema
        self._exact = exact
        self._row: dict[str, Any] | None = None

    def rows(self) -> int:
        return int(self._found()["rows"])

    def of(self, position: int) -> Statistics:
        row = self._found()
        nulls = row[f"{position}nulls"]
        distinct = row.get(f"{position}distinct")
        if distinct is not None and nulls:
            # Polars counts missing values as one.
            distinct -= 1
        values = (row.get(f"{position}{name}") for name in ("min", "max", "mean"))
        return Statistics(nulls, distinct, *values)

    def _found(self) -> dict[str, Any]:
        if self._row is None:
            wanted = [pl.len().alias("rows")]
            for position, kind in enumerate(self._schema.values()):
                wanted += _wanted(position, pl.nth(position), kind, exact=self._exact)
            self._row = self._query.select(wanted).collect(engine="streaming").row(0, named=True)
        return self._row


def _wanted(position: int, column: pl.Expr, kind: pl.DataType, *, exact: bool) -> list[pl.Expr]:
    wanted = [column.null_count().alias(f"{position}nulls")]
    if kind.is_nested() or kind in (pl.Object, pl.Null, pl.Unknown):
        return wanted
    distinct = column.n_unique() if exact else column.approx_n_unique()
    if exact or not kind.is_decimal():
        wanted.append(distinct.alias(f"{position}distinct"))
    if kind not in (pl.Binary, pl.Categorical, pl.Enum):
        wanted += [column.min().alias(f"{position}min"), column.max().alias(f"{position}max")]
    if kind.is_numeric():
        wanted.append(column.mean().alias(f"{position}mean"))
    return wanted
