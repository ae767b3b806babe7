"""Results of pandas, Arrow and plain Python as tables."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from assay_runner.worker.query.cells import single
from assay_runner.worker.query.table import Column, Statistics, Table

# Counting the distinct values of more takes longer than most queries.
MAX_COUNTED_ROWS = 1_000_000
_SAMPLE_ROWS = 1000
_SINGLE = ("float32", "Float32", "float[pyarrow]")


def frame_table(frame: pd.DataFrame) -> Table:
    """Return a frame as a table."""
    columns = [*_index_columns(frame.index)]
    for position, name in enumerate(frame.columns):
        columns.append(_column(column_name(name), frame.iloc[:, position]))
    return Table(columns, len(frame))


def series_table(series: pd.Series[Any]) -> Table:
    """Return a Series as a table of one column, beside its index where that has labels."""
    name = "value" if series.name is None else column_name(series.name)
    return Table([*_index_columns(series.index), _column(name, series)], len(series))


def lists_table(columns: Mapping[str, Sequence[object]], rows: int) -> Table:
    """Return lists by the name of their column as a table."""
    return Table([_list_column(name, values) for name, values in columns.items()], rows)


def arrow_table(table: Any) -> Table:  # noqa: ANN401 - pyarrow has no types
    """Return a table or a record batch of Arrow."""
    return Table(
        [
            arrow_column(name, column)
            for name, column in zip(table.schema.names, table.columns, strict=True)
        ],
        table.num_rows,
    )


def arrow_column(name: str, values: Any) -> Column:  # noqa: ANN401 - pyarrow has no types
    """Return an array of Arrow."""
    kind = str(values.type)

    def cells(start: int, end: int) -> Sequence[object]:
        found = values.slice(start, end - start).to_pylist()
        return single(found) if kind == "float" else found

    return Column(name, kind, cells, lambda: _statistics(values.to_pandas()))


def column_name(name: object) -> str:
    """Return the name of a column: `arr_delay_mean` for the levels `arr_delay` and `mean`."""
    if isinstance(name, tuple):
        return "_".join(str(part) for part in name if str(part))
    return str(name)


def _index_columns(index: pd.Index[Any]) -> list[Column]:
    """Return an index as columns if it has labels: names, or anything but numbers."""
    if index.nlevels == 1 and index.name is None and _is_numeric(index):
        return []
    columns = []
    for level in range(index.nlevels):
        values = index.get_level_values(level)
        unnamed = "index" if index.nlevels == 1 else f"level_{level}"
        name = unnamed if values.name is None else column_name(values.name)
        columns.append(_column(name, pd.Series(values)))
    return columns


def _is_numeric(index: pd.Index[Any]) -> bool:
    return pd.api.types.is_numeric_dtype(index.dtype) or len(index) == 0


def _column(name: str, series: pd.Series[Any]) -> Column:
    kind = str(series.dtype)

    def cells(start: int, end: int) -> Sequence[object]:
        found = series.iloc[start:end].tolist()
        return single(found) if kind in _SINGLE else found

    return Column(name, kind, cells, lambda: _statistics(series))


def _list_column(name: str, values: Sequence[object]) -> Column:
    kind = "object"
    with contextlib.suppress(Exception):
        kind = str(pd.Series(list(values[:_SAMPLE_ROWS])).dtype)
    return Column(
        name,
        kind,
        lambda start, end: values[start:end],
        lambda: _statistics(pd.Series(list(values))),
    )


def _statistics(series: pd.Series[Any]) -> Statistics:
    distinct = lowest = highest = mean = None
    # Of unhashable or mixed values.
    if len(series) <= MAX_COUNTED_ROWS:
        with contextlib.suppress(Exception):
            distinct = int(series.nunique())
    present = series.dropna() if series.dtype == np.object_ else series
    with contextlib.suppress(Exception):
        lowest, highest = present.min(), present.max()
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        with contextlib.suppress(Exception):
            mean = series.mean()
    return Statistics(int(series.isna().sum()), distinct, lowest, highest, mean)
