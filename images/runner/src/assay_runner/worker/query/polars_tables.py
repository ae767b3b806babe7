"""Results of Polars as tables."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl

from assay_runner.worker.query.cells import single
from assay_runner.worker.query.table import Column, Statistics, Table

MAX_COMPUTED_ROWS = 10_000
_Engine = Literal["in-memory", "streaming"]


def frame_table(frame: pl.DataFrame) -> Table:
    """Return a frame as a table."""
    found = _Statistics(frame.lazy(), frame.schema, exact=True)
    return _table(frame, frame.height, found)


def series_table(series: pl.Series) -> Table:
    """Return a Series as a table of one column."""
    return frame_table(series.to_frame(series.name or "value"))


def lazy_table(query: pl.LazyFrame) -> Table:
    """Compute a query, of a long result only the first rows and statistics.

    The streaming engine does not hold the table in memory. It does not look, either, whether what
    has to be sorted is: there it answers what the other engine, the default of Polars, refuses.
    """
    plan = query.explain(optimized=False)
    aggregation = "AGGREGATE" in plan
    engine = _engine(plan)
    frame = query.head(MAX_COMPUTED_ROWS + 1).collect(engine=engine)
    if frame.height <= MAX_COMPUTED_ROWS:
        return frame_table(frame)._replace(aggregation=aggregation)
    found = _Statistics(query, frame.schema, exact=False, engine=engine)
    table = _table(frame.head(MAX_COMPUTED_ROWS), found.rows(), found)
    return table._replace(aggregation=aggregation)


def _engine(plan: str) -> _Engine:
    # A group without a key is one by time: group_by_dynamic.
    return "in-memory" if "] BY []" in plan or "MERGE SORTED" in plan else "streaming"


def _table(frame: pl.DataFrame, rows: int, found: _Statistics) -> Table:
    columns = []
    for position, (name, kind) in enumerate(frame.schema.items()):
        columns.append(_column(name, str(kind), frame.to_series(position), position, found))
    return Table(columns, rows, engine="polars")


def _column(name: str, kind: str, series: pl.Series, position: int, found: _Statistics) -> Column:
    return Column(
        name,
        kind,
        lambda start, end: _cells(series[start:end]),
        lambda: found.of(position),
        lambda start, end: _array(series[start:end]),
        has_nan=True,
    )


def _array(series: pl.Series) -> Any:  # noqa: ANN401 - pyarrow has no types
    return series.to_arrow(compat_level=pl.CompatLevel.oldest())


def _cells(series: pl.Series) -> list[Any]:
    if series.dtype == pl.Time:
        return _times(series)
    # Python has microseconds only, pandas, which Arrow uses then, nanoseconds.
    if "time_unit='ns'" in str(series.dtype):
        return _array(series).to_pylist()  # type: ignore[no-any-return]
    return _single(series.to_list(), series.dtype)


def _times(series: pl.Series) -> list[Any]:
    if (series.to_physical() % 1000 != 0).any():
        return series.dt.to_string("%H:%M:%S%.9f").to_list()
    return series.to_list()


def _single(values: list[Any], kind: Any) -> list[Any]:  # noqa: ANN401 - types or classes of them
    if kind == pl.Float32:
        return single(values)
    if "Float32" in str(kind) and isinstance(kind, (pl.List, pl.Array)):
        return [None if value is None else _single(value, kind.inner) for value in values]
    return values


class _Statistics:
    """Statistics of all columns, computed in one pass when they are first needed."""

    def __init__(
        self,
        query: pl.LazyFrame,
        schema: pl.Schema,
        *,
        exact: bool,
        engine: _Engine = "streaming",
    ) -> None:
        self._query = query
        self._schema = schema
        self._exact = exact
        self._engine: _Engine = engine
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
        lowest, highest, mean = (row.get(f"{position}{name}") for name in ("min", "max", "mean"))
        is_estimate = distinct is not None and not self._exact
        return Statistics(nulls, distinct, lowest, highest, mean, is_estimate)

    def _found(self) -> dict[str, Any]:
        if self._row is None:
            wanted = [pl.len().alias("rows")]
            for position, kind in enumerate(self._schema.values()):
                wanted += _wanted(position, pl.nth(position), kind, exact=self._exact)
            found = self._query.select(wanted).collect(engine=self._engine)
            self._row = {series.name: _cells(series)[0] for series in found}
        return self._row


def _wanted(position: int, column: pl.Expr, kind: pl.DataType, *, exact: bool) -> list[pl.Expr]:
    wanted = [column.null_count().alias(f"{position}nulls")]
    if kind.is_nested() or kind in (pl.Object, pl.Null, pl.Unknown):
        return wanted
    distinct = column.n_unique() if exact else column.approx_n_unique()
    if exact or not kind.is_decimal():
        wanted.append(distinct.alias(f"{position}distinct"))
    if kind not in (pl.Binary, pl.Categorical, pl.Enum):
        # NaN is the greatest number, as in SQL.
        highest = column.nan_max() if kind.is_float() else column.max()
        wanted += [column.min().alias(f"{position}min"), highest.alias(f"{position}max")]
    if kind.is_numeric():
        # Values that are not finite would hide the mean of the others, as in SQL.
        finite = column.filter(column.is_finite()) if kind.is_float() else column
        wanted.append(finite.mean().alias(f"{position}mean"))
    return wanted
