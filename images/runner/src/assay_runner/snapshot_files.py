"""The files of a dataset snapshot, and its stored frame.

Both workers use this module: the snapshot worker checks that loading returns an equal frame, with
the function that the Python worker will load it with.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from assay_runner.mapped_frame import map_columns
from assay_runner.options import Options, arguments, check
from assay_runner.partitions import partitioning
from assay_runner.private_mapping import map_privately

DESCRIPTION = "description.json"
FRAME = "frame.arrow"
TABLE = "frame.parquet"
FOLDER = "source"
VERSIONS = (1, 2, 3, 4)
READ_VERSION = VERSIONS[-1]
"""That of sources which pandas would read differently."""

_FORMATS_OF_VERSION_1 = ("csv", "json", "parquet")
_READERS: Mapping[str, Callable[..., Any]] = {
    "csv": pd.read_csv,
    "tsv": pd.read_csv,
    "json": pd.read_json,
    "ndjson": pd.read_json,
    "parquet": pd.read_parquet,
    "feather": pd.read_feather,
    "excel": pd.read_excel,
}
NAN_COLUMNS = b"assay.nan_columns"
"""In the metadata of a frame, the positions of columns of objects whose gaps are NaN."""
JSON_COLUMNS = b"assay.json_columns"
"""In the metadata of a frame, the positions of columns of lists and objects, kept as JSON."""
# Copying a smaller frame takes too little time to be worth mapping it.
_MIN_MAPPED_BYTES = 1024 * 1024


class SnapshotError(Exception):
    """A snapshot directory cannot be used; the message says why."""


def version_of(source_format: str, options: Options, plain: bool = True, read: bool = False) -> int:
    """Return the lowest version of the description that can express how to read such a source.

    A runner without support for options would ignore them, so it must refuse the snapshot.

    Args:
        source_format: the format of the source.
        options: its options.
        plain: whether it is one file that is read as a frame.
        read: whether its frame is not what pandas reads.
    """
    if read:
        return READ_VERSION
    if not plain:
        return 3
    return 1 if source_format in _FORMATS_OF_VERSION_1 and not options else 2


def source_file(source_format: str) -> str:
    """Return the file name of the source in its snapshot."""
    return f"source.{source_format}"


def read_source(path: str, source_format: str, options: Options) -> pd.DataFrame:
    """Read a source with pandas, with the same options as outside of a run.

    Raises:
        OptionRefusedError: for an unknown format or an option that the format does not have.
        SnapshotError: if the source does not contain a table.
        Exception: whatever pandas raises.
    """
    check(source_format, options)
    reading = arguments(source_format, options)
    if os.path.isdir(path) and (keys := partitioning(path)) is not None:
        reading["partitioning"] = keys
    frame = _READERS[source_format](path, **reading)
    if not isinstance(frame, pd.DataFrame):
        raise SnapshotError("the source is not a table")
    return frame


def store_frame(frame: pd.DataFrame, directory: str) -> bool:
    """Write `frame.arrow`. Returns False, without a file, if loading it would change the frame.

    Raises:
        OSError: if the file cannot be written.
    """
    path = os.path.join(directory, FRAME)
    try:
        _write_frame(frame, path)
        faithful = same(frame, load_frame(directory))
    except Exception as error:
        # Errors of the system have a number. With any other error, Arrow cannot represent the
        # frame, which is then read from the source at each start.
        if isinstance(error, OSError) and error.errno:
            raise
        faithful = False
    if not faithful and os.path.exists(path):
        os.unlink(path)
    return faithful


def _write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write the frame; a separate function, to free the table, which is as large as the frame."""
    table = _with_nan(pa.Table.from_pandas(frame).combine_chunks(), frame)
    metadata = {**(table.schema.metadata or {}), NAN_COLUMNS: json.dumps(_nan_columns(frame))}
    table = table.replace_schema_metadata(metadata)
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _with_nan(table: pa.Table, frame: pd.DataFrame) -> pa.Table:
    """Have gaps of decimals as NaN: with nulls, the column would be copied when it is loaded."""
    for position, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, np.dtype) and dtype.kind == "f":
            field = table.schema.field(position)
            values = pa.array(frame.iloc[:, position].to_numpy(), field.type, from_pandas=False)
            table = table.set_column(position, field, values)
    return table


def load_frame(directory: str) -> pd.DataFrame:
    """Load `frame.arrow` as a frame that can be modified."""
    return read_frame(os.path.join(directory, FRAME))


def read_frame(path: str) -> pd.DataFrame:
    """Load a file that `store_frame` has written as a frame that can be modified.

    Columns of a large frame are the file's own bytes, of which the kernel copies what is modified.
    """
    mapped = np.frombuffer(map_privately(path), np.uint8)
    return as_frame(pa.ipc.open_file(pa.py_buffer(mapped)).read_all(), mapped)


def as_frame(table: pa.Table, mapped: np.ndarray | None = None) -> pd.DataFrame:
    """Return the content of a file that `store_frame` has written as a frame.

    Args:
        table: the content.
        mapped: the writable bytes of the file, if they are mapped.
    """
    frame: pd.DataFrame | None = None
    if mapped is not None and table.nbytes >= _MIN_MAPPED_BYTES:
        frame = map_columns(table, mapped)
    if frame is None:
        frame = table.to_pandas()
    _copy_read_only(frame)
    for position in json.loads(table.schema.metadata[NAN_COLUMNS]):
        column = frame.iloc[:, position]
        frame.isetitem(position, column.where(column.notna(), np.nan))
    for position in json.loads(table.schema.metadata.get(JSON_COLUMNS, b"[]")):
        texts = frame.iloc[:, position]
        values = [json.loads(text) if isinstance(text, str) else np.nan for text in texts.array]
        frame.isetitem(position, pd.array(values, dtype=object))
    return frame


def same(left: pd.DataFrame, right: pd.DataFrame) -> bool:
    """Return whether two frames have the same values, types and kinds of missing value."""
    if left.shape != right.shape or left.attrs != right.attrs:
        return False
    rest = [
        position
        for position in range(left.shape[1])
        if not _same_text(left.iloc[:, position].array, right.iloc[:, position].array)
    ]
    try:
        _assert_equal(left.iloc[:0], right.iloc[:0])
        _assert_equal(left.iloc[:, rest], right.iloc[:, rest])
    except AssertionError:
        return False
    return all(
        _same_objects(left.iloc[:, position], right.iloc[:, position])
        for position, dtype in enumerate(left.dtypes)
        if dtype == np.object_
    ) and _same_objects(left.index.to_series(), right.index.to_series())


def _same_text(left: Any, right: Any) -> bool:  # noqa: ANN401 - arrays of any kind
    """Compare text in Arrow: pandas takes longer to compare it than to read it.

    Returns:
        False also for other arrays than those of text.
    """
    return (
        isinstance(left, pd.arrays.ArrowStringArray)
        and isinstance(right, pd.arrays.ArrowStringArray)
        and left.dtype == right.dtype
        and bool(left.__arrow_array__().equals(right.__arrow_array__()))
    )


def _assert_equal(left: pd.DataFrame, right: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(
        left,
        right,
        check_exact=True,
        check_index_type=True,
        check_column_type=True,
        check_names=True,
        check_freq=True,
        check_flags=True,
    )


def _same_objects(left: pd.Series[Any], right: pd.Series[Any]) -> bool:
    """Tell apart what pandas treats as equal: 1, True and 1.0, or None and NaN."""
    if left.dtype != np.object_:
        return True
    return all(map(_same_value, left.array, right.array))


def _same_value(left: Any, right: Any) -> bool:  # noqa: ANN401 - any value of a cell
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray) and left.dtype != right.dtype:
        return False
    if isinstance(left, (np.ndarray, list, tuple)):
        return len(left) == len(right) and all(map(_same_value, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(_same_value(left[k], right[k]) for k in left)
    return left is right or bool(left == right or (left != left and right != right))


def _nan_columns(frame: pd.DataFrame) -> list[int]:
    """Return the positions of object columns, such as booleans with gaps, whose gaps are NaN.

    Arrow has a single kind of missing value, which it returns as None.
    """
    found = []
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if column.dtype == np.object_:
            missing = column[column.isna()]
            if len(missing) and all(type(value) is float for value in missing.array):
                found.append(position)
    return found


def _copy_read_only(frame: pd.DataFrame) -> None:
    """Copy the columns that are read-only, to which pandas cannot assign.

    Arrow returns columns without a copy if it can.
    """
    blocks = frame._mgr.blocks
    for block in blocks:
        values = block.values
        array = getattr(values, "_ndarray", values)
        if isinstance(array, np.ndarray):
            writable = array.flags.writeable
        else:
            # pandas replaces Arrow arrays instead of writing to them; others may wrap a view.
            writable = isinstance(values, pd.arrays.ArrowExtensionArray)
        if not writable:
            for position in block.mgr_locs:
                frame.isetitem(position, frame.iloc[:, position].copy(deep=True))
