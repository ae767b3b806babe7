"""Whole numbers with gaps in Parquet and Feather, which pandas reads as doubles."""

from __future__ import annotations

import os
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet as pq

from assay_runner.folders import files_of
from assay_runner.options import Options
from assay_runner.snapshot.reading.columns import ReadColumn
from assay_runner.snapshot.reading.exactness import exact_in_double
from assay_runner.snapshot.reading.frame import nullable_note
from assay_runner.snapshot.reading.notes import Note


def keep_integers(
    frame: pd.DataFrame, path: str, source_format: str, options: Options
) -> dict[str, Note]:
    """Have columns as `Int64` or `UInt64` where a double would be another number.

    Args:
        frame: what pandas has read; it is modified.
        path: the file, or the folder of Parquet files.
        source_format: its format; those but `parquet` and `feather` have no such columns.
        options: its options.

    Returns:
        The notes on these columns, by name.
    """
    if source_format not in ("parquet", "feather") or options.get("types") == "pandas":
        return {}
    names = list(map(str, frame.columns))
    # Of a Feather file, the schema takes a pass over it.
    fields = list(_schema(path, source_format))
    for field in fields:
        if names.count(field.name) == 1 and _items(field.type) in (pa.int64(), pa.uint64()):
            values = _column(path, source_format, field.name)
            if _has_inexact(values):
                cells: Any = pd.Series(values.to_pylist(), frame.index, dtype=object)
                frame.isetitem(names.index(field.name), cells)
    doubles = {
        name for name, dtype in zip(names, frame.dtypes, strict=True) if str(dtype) == "float64"
    }
    found: dict[str, Note] = {}
    for field in fields:
        if field.name in doubles and names.count(field.name) == 1 and _may_round(field.type):
            values = _column(path, source_format, field.name)
            note = nullable_note(ReadColumn(field.name, values))
            if note is not None:
                dtype = "UInt64" if pa.types.is_unsigned_integer(field.type) else "Int64"
                exact: Any = pd.array(pc.fill_null(values, 0).to_numpy(), dtype=dtype)
                exact[pc.is_null(values).to_numpy()] = pd.NA
                frame.isetitem(names.index(field.name), exact)
                found[field.name] = note
    return found


def _items(kind: Any) -> Any:  # noqa: ANN401
    """Return the type of the items of lists, also of lists of lists; None for other types."""
    is_list = False
    while pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind, is_list = kind.value_type, True
    return kind if is_list else None


def _has_inexact(values: Any) -> bool:  # noqa: ANN401
    """Return whether lists have gaps among their integers, and one that a double does not hold."""
    items = values.combine_chunks()
    while pa.types.is_list(items.type) or pa.types.is_large_list(items.type):
        items = items.flatten()
    return bool(items.null_count) and not exact_in_double(pc.fill_null(items, 0)).all()


def _may_round(kind: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    return kind in (pa.int64(), pa.uint64())


def _schema(path: str, source_format: str) -> Any:  # noqa: ANN401
    if source_format == "feather":
        # Also of its first version, which is no file of Arrow.
        return pa.feather.read_table(path).schema
    if not os.path.isdir(path):
        return pq.read_schema(path)
    return pq.read_schema(os.path.join(path, files_of(path)[0]))


def _column(path: str, source_format: str, name: str) -> Any:  # noqa: ANN401
    if source_format == "feather":
        return pa.feather.read_table(path, columns=[name]).column(name)
    return pq.read_table(path, columns=[name]).column(name)
