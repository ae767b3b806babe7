"""A table as the frame that code expects: what pandas would have, with the same values.

Whole numbers with gaps are float64, as long as a double holds each of them, since numpy and the
libraries on it rest on NaN; and dates that nobody asked to parse are text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from assay_runner.snapshot.reading.columns import ReadColumn, ReadTable
from assay_runner.snapshot.reading.exactness import exact_in_double
from assay_runner.snapshot.reading.notes import Code, Note
from assay_runner.snapshot_files import FRAME, JSON_COLUMNS, NAN_COLUMNS


def write_frame(table: pa.Table, directory: str) -> None:
    """Write what `frame_table` returns as `frame.arrow`.

    Raises:
        OSError: if it cannot be written.
    """
    path = os.path.join(directory, FRAME)
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def frame_table(read: ReadTable) -> pa.Table:
    """Return the content of `frame.arrow`, of which `snapshot_files.as_frame` makes the frame."""
    arrays, dtypes = [], []
    for column in read.columns:
        array, dtype = _framed(column)
        arrays.append(array)
        dtypes.append(dtype)
    labels = list(read.index)
    order = [i for i in range(len(arrays)) if i not in labels] + labels
    schema = _schema(read, dtypes)
    table = pa.Table.from_arrays([_whole(arrays[i]) for i in order], schema.names)
    nested = [order.index(i) for i, column in enumerate(read.columns) if column.is_nested]
    metadata = {
        **schema.metadata,
        NAN_COLUMNS: json.dumps(_with_nan(table)),
        JSON_COLUMNS: json.dumps(nested),
    }
    return table.replace_schema_metadata(metadata)


def nullable_note(column: ReadColumn) -> Note | None:
    """Return the note on whole numbers with gaps that `df` has not as float64; None for others."""
    values = column.values
    if not (pa.types.is_integer(values.type) and values.null_count) or column.dtype is not None:
        return None
    inexact = ~exact_in_double(pc.fill_null(values, 0))
    if not inexact.any():
        return None
    message = (
        f"is {_nullable(values.type)} in df: it has gaps, and whole numbers beyond 2^53, which"
        " float64 would round"
    )
    first = int(inexact.argmax()) + 1
    return Note(Code.NULLABLE_INTEGERS, message, int(inexact.sum()), first)


def _nullable(kind: Any) -> str:  # noqa: ANN401 - pyarrow has no types
    return str(kind).capitalize().replace("Uint", "UInt")


def _framed(column: ReadColumn) -> tuple[Any, Any]:
    """Return values as Arrow has those of the frame, and their type in pandas."""
    values = column.values if column.shown is None else column.shown
    if column.is_nested:
        return values, np.dtype(object)
    if not len(values):
        # As pandas has a column of no rows.
        kind = pa.null() if column.dtype is None else values.type
        return pa.chunked_array([], kind), column.dtype or np.dtype(object)
    if column.dtype == "category":
        return _categories(values), "category"
    if column.dtype is not None:
        return values, column.dtype
    kind = values.type
    if pa.types.is_boolean(kind):
        return values, np.dtype(object) if values.null_count else np.dtype(bool)
    if pa.types.is_integer(kind) and values.null_count:
        if any(note.code is Code.NULLABLE_INTEGERS for note in column.notes):
            return values, _nullable(kind)
        return _doubles(values), np.dtype(np.float64)
    if pa.types.is_floating(kind):
        return _doubles(values), np.dtype(np.float64)
    if pa.types.is_large_string(kind):
        return values, "str"
    return values, None


def _categories(values: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return values as categories in the order that pandas gives them."""
    found = pc.drop_null(values.unique())
    ordered = found.take(pc.sort_indices(found))
    indices = pc.index_in(values.combine_chunks(), ordered)
    return pa.DictionaryArray.from_arrays(indices, ordered)


def _doubles(values: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return numbers with NaN for gaps: with nulls, the column is copied when it is loaded."""
    # Of whole numbers, a double holds each.
    return pc.fill_null(pc.cast(values, pa.float64(), safe=False), float("nan"))


def _whole(values: Any) -> Any:  # noqa: ANN401
    """Return one array, so that the file has its values beside each other."""
    found = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found


def _schema(read: ReadTable, dtypes: Sequence[Any]) -> Any:  # noqa: ANN401
    """Return the schema that pandas gives to such a frame."""
    empty = [pd.Series([], dtype=np.dtype(object) if kind is None else kind) for kind in dtypes]
    rest = [i for i in range(len(dtypes)) if i not in read.index]
    frame = pd.DataFrame(dict(enumerate(empty[i] for i in rest)))
    frame.columns = pd.Index([read.columns[i].name for i in rest])
    if read.index:
        labels = [empty[i].rename(read.columns[i].name) for i in read.index]
        frame = frame.set_index(labels if len(labels) > 1 else labels[0])
    schema = pa.Schema.from_pandas(frame)
    described = json.loads(schema.metadata[b"pandas"])
    for index in described["index_columns"]:
        if isinstance(index, dict):
            index["stop"] = read.rows
    return schema.with_metadata({**schema.metadata, b"pandas": json.dumps(described).encode()})


def _with_nan(table: Any) -> list[int]:  # noqa: ANN401
    """Return the columns whose gaps are NaN, but which pandas has as objects."""
    return [
        i
        for i, column in enumerate(table.columns)
        if pa.types.is_boolean(column.type) and column.null_count
    ]
