"""Results of pandas and plain Python as tables."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from assay_runner.worker.query.cells import single
from assay_runner.worker.query.labels import has_labels
from assay_runner.worker.query.table import Column, Statistics, Table

# Counting the distinct values of more takes longer than most queries.
MAX_COUNTED_ROWS = 1_000_000
_SAMPLE_ROWS = 1000
_SINGLE = ("float32", "Float32", "float[pyarrow]")


def frame_table(frame: pd.DataFrame, known_rows: int = 0) -> Table:
    """Return a frame as a table.

    Args:
        frame: the frame.
        known_rows: how many rows the largest frame has that this one may be some rows of.
    """
    columns = [*_index_columns(frame.index, max(known_rows, len(frame)))]
    for position, name in enumerate(frame.columns):
        columns.append(_column(column_name(name), frame.iloc[:, position]))
    return Table(columns, len(frame))


def series_table(series: pd.Series[Any], known_rows: int = 0) -> Table:
    """Return a Series as a table of one column, beside its index where that has labels.

    A Series with a name may be some rows of a column, as a frame may be some rows of another.
    """
    if series.name is None:
        index = _index_columns(series.index, 0)
        return Table([*index, _column("value", series)], len(series))
    index = _index_columns(series.index, max(known_rows, len(series)))
    return Table([*index, _column(column_name(series.name), series)], len(series))


def lists_table(columns: Mapping[str, Sequence[object]], rows: int) -> Table:
    """Return lists by the name of their column as a table."""
    return Table([_list_column(name, values) for name, values in columns.items()], rows)


def column_name(name: object) -> str:
    """Return the name of a column: `arr_delay_mean` for the levels `arr_delay` and `mean`."""
    if isinstance(name, tuple):
        return "_".join(str(part) for part in name if str(part))
    return str(name)


def _index_columns(index: pd.Index[Any], row_numbers: int) -> list[Column]:
    """Return an index as columns if it has labels."""
    if not has_labels(index, row_numbers):
        return []
    columns = []
    for level in range(index.nlevels):
        values = index.get_level_values(level)
        unnamed = "index" if index.nlevels == 1 else f"level_{level}"
        name = unnamed if values.name is None else column_name(values.name)
        columns.append(_column(name, pd.Series(values)))
    return columns


def _column(name: str, series: pd.Series[Any]) -> Column:
    kind = str(series.dtype)

    def cells(start: int, end: int) -> Sequence[object]:
        found = series.iloc[start:end].tolist()
        return single(found) if kind in _SINGLE else found

    def array(start: int, end: int) -> Any:  # noqa: ANN401 - pyarrow has no types
        import pyarrow as pa

        return pa.Array.from_pandas(series.iloc[start:end])

    typed = None if series.dtype == np.object_ else array
    return Column(name, kind, cells, lambda: series_statistics(series), typed)


def _list_column(name: str, values: Sequence[object]) -> Column:
    kind = "object"
    with contextlib.suppress(Exception):
        kind = str(pd.Series(list(values[:_SAMPLE_ROWS])).dtype)
    return Column(
        name,
        kind,
        lambda start, end: values[start:end],
        lambda: series_statistics(pd.Series(list(values))),
    )


def _mean(series: pd.Series[Any]) -> float | None:
    """Return the mean of the finite values, which others would hide; None if there is none."""
    with np.errstate(invalid="ignore"):
        mean = series.mean()
    if math.isfinite(mean):
        return mean
    finite = series[np.isfinite(series)]
    return finite.mean() if len(finite) else None


def series_statistics(series: pd.Series[Any]) -> Statistics:
    """Return what is known of the values of a Series."""
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
            mean = _mean(series)
    return Statistics(int(series.isna().sum()), distinct, lowest, highest, mean)
