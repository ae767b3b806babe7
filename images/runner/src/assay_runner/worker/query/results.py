"""The rules by which a value of Python becomes rows. docs/python.md has them as a table."""

from __future__ import annotations

import dataclasses
import datetime
import sys
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

from assay_runner.worker.datasets import NoFrame
from assay_runner.worker.query import pandas_tables
from assay_runner.worker.query.labels import has_labels
from assay_runner.worker.query.table import ResultError, Table

VALUE = "value"
_SCALARS = (
    *(str, bytes, bytearray, bool, int, float, complex, Decimal, UUID, Enum, PurePath),
    *(datetime.date, datetime.time, datetime.timedelta),
    *(np.generic, pd.Period, pd.Interval, type(pd.NA), type(pd.NaT)),
)


def as_table(value: object, known_rows: int = 0) -> Table:
    """Return a value as a table.

    Args:
        value: the value.
        known_rows: how many rows the largest frame has of which the value may be some rows.

    Raises:
        ResultError: for a value that is no data.
        Exception: of the library, where a query fails that had not been computed.
    """
    if isinstance(value, NoFrame):
        value.refuse()
    if isinstance(value, pd.DataFrame):
        return pandas_tables.frame_table(value, known_rows)
    if isinstance(value, pd.Series):
        return pandas_tables.series_table(value, known_rows)
    if isinstance(value, (pd.Index, pd.api.extensions.ExtensionArray)):
        return pandas_tables.series_table(pd.Series(value, name=getattr(value, "name", None)))
    if isinstance(value, np.ndarray):
        return _array_table(value)
    of_library = _library_table(value)
    return _plain_table(value) if of_library is None else of_library


def is_cheap(value: object) -> bool:
    """Return whether `as_table` takes no time to speak of."""
    if isinstance(value, (list, tuple, dict)):
        return len(value) <= pandas_tables.MAX_COUNTED_ROWS // 10
    known = isinstance(value, (pd.DataFrame, pd.Series, *_SCALARS))
    polars = sys.modules.get("polars")
    return known or (polars is not None and isinstance(value, (polars.DataFrame, polars.Series)))


def _library_table(value: Any) -> Table | None:  # noqa: ANN401 - of any library
    """Return a value of a library that is imported only if code uses it."""
    polars = sys.modules.get("polars")
    if polars is not None:
        from assay_runner.worker.query import polars_tables

        if isinstance(value, polars.LazyFrame):
            return polars_tables.lazy_table(value)
        if isinstance(value, polars.DataFrame):
            return polars_tables.frame_table(value)
        if isinstance(value, polars.Series):
            return polars_tables.series_table(value)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        from assay_runner.worker.query import arrow_tables

        if isinstance(value, (arrow.Table, arrow.RecordBatch)):
            return arrow_tables.arrow_table(value)
        if isinstance(value, (arrow.Array, arrow.ChunkedArray)):
            return Table([arrow_tables.arrow_column(VALUE, value)], len(value))
        if isinstance(value, arrow.Scalar):
            return _plain_table(value.as_py())
    duckdb = sys.modules.get("duckdb")
    if duckdb is not None and isinstance(value, duckdb.DuckDBPyRelation):
        from assay_runner.worker.query import arrow_tables

        return arrow_tables.relation_table(value)
    return None


def _array_table(values: np.ndarray[Any, Any]) -> Table:
    if values.ndim == 0:
        return _scalar_table(values.item() if values.dtype.names is None else values[()])
    if values.dtype.names is not None and values.ndim == 1:
        return pandas_tables.frame_table(pd.DataFrame(values))
    if values.ndim == 1:
        return pandas_tables.series_table(pd.Series(values))
    if values.ndim == 2:
        names = [f"column_{number}" for number in range(values.shape[1])]
        return pandas_tables.frame_table(pd.DataFrame(values, columns=names))
    raise ResultError(
        f"result is an array of {values.ndim} dimensions: return one of one or two dimensions"
    )


def _plain_table(value: object) -> Table:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return _record_table(fields)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _record_table(dict(zip(value._fields, value, strict=True)))
    if isinstance(value, Mapping):
        return _mapping_table(value)
    if isinstance(value, (list, tuple, set, frozenset, range)) or _is_view(value):
        return _rows_table(list(value))  # type: ignore[call-overload]
    if isinstance(value, _SCALARS):
        return _scalar_table(value)
    raise ResultError(_refusal(value))


def _scalar_table(value: object) -> Table:
    return pandas_tables.lists_table({VALUE: [value]}, 1)._replace(aggregation=True)


def _record_table(record: Mapping[str, object]) -> Table:
    table = pandas_tables.lists_table({name: [value] for name, value in record.items()}, 1)
    return table._replace(aggregation=all(isinstance(v, _SCALARS) for v in record.values()))


def _mapping_table(values: Mapping[Any, Any]) -> Table:
    if not all(isinstance(key, str) for key in values):
        columns = {"key": list(values.keys()), VALUE: list(values.values())}
        return pandas_tables.lists_table(columns, len(values))
    if _is_labelled(values.values()):
        return pandas_tables.frame_table(pd.DataFrame(dict(values)))
    lists = {key: _column_values(value) for key, value in values.items()}
    lengths = {None if found is None else len(found) for found in lists.values()}
    if len(lengths) == 1 and None not in lengths:
        named = {key: found for key, found in lists.items() if found is not None}
        return pandas_tables.lists_table(named, len(next(iter(named.values()))))
    return _record_table(values)


def _is_labelled(values: Collection[Any]) -> bool:
    """Return whether all values are Series with labels, by which pandas can put them together."""
    return bool(values) and all(
        isinstance(value, pd.Series)
        and value.index.is_unique
        and has_labels(value.index, sys.maxsize)
        for value in values
    )


def _column_values(value: Any) -> Sequence[object] | None:  # noqa: ANN401 - any value
    if isinstance(value, (list, tuple, range)):
        return value
    if isinstance(value, (pd.Series, pd.Index)) or type(value).__module__.startswith("polars"):
        convert: Callable[[], list[object]] | None = getattr(value, "to_list", None)
        return None if convert is None else convert()
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return value.tolist()  # type: ignore[no-any-return]
    return None


def _rows_table(rows: list[Any]) -> Table:
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = dict.fromkeys(str(name) for row in rows for name in row)
        keyed = [{str(name): value for name, value in row.items()} for row in rows]
        by_key = {name: [row.get(name) for row in keyed] for name in names}
        return pandas_tables.lists_table(by_key, len(rows))
    lists = rows and all(isinstance(row, (list, tuple)) for row in rows)
    if lists and len({len(row) for row in rows}) == 1:
        kinds = {getattr(row, "_fields", None) for row in rows}
        fields = kinds.pop() if len(kinds) == 1 else None
        headings = fields or [f"column_{number}" for number in range(len(rows[0]))]
        turned = [list(column) for column in zip(*rows, strict=True)]
        return pandas_tables.lists_table(dict(zip(headings, turned, strict=True)), len(rows))
    return pandas_tables.lists_table({VALUE: rows}, len(rows))


def _is_view(value: object) -> bool:
    return isinstance(value, (type({}.keys()), type({}.values()), type({}.items())))


def _refusal(value: object) -> str:
    kind = type(value).__name__
    if isinstance(value, types.ModuleType):
        return f"result is the module {value.__name__}: return data, such as a frame or a number"
    if isinstance(value, type):
        return f"result is the class {value.__name__}: return an object with data"
    if isinstance(value, Iterator):
        return f"result is a {kind}, whose values have not been computed: return list(result)"
    if "GroupBy" in kind:
        return f"result is a {kind}: aggregate it, such as with .sum() or .size()"
    if kind == "Expr":
        return "result is a Polars expression: apply it to a table, such as with df.select(...)"
    if kind in ("Figure", "Axes", "AxesSubplot"):
        return f"result is a {kind}: return the numbers that it shows"
    if callable(value) and hasattr(value, "__name__"):
        return f"result is the function {value.__name__}: call it"
    return f"result is a {kind}: return a frame, a Series, a list, a dict, a number or text"
