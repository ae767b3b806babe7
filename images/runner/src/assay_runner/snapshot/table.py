"""The table of a snapshot: what SQL and Polars read, as Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from assay_runner.snapshot.table_names import table_names
from assay_runner.snapshot.table_types import common_type
from assay_runner.snapshot.table_values import stored
from assay_runner.snapshot_files import TABLE

# DuckDB reads groups of this many rows in parallel, and pages of 2048.
_GROUP_ROWS = 122_880
_MIN_GROUP_ROWS = 2048
_GROUP_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: its name in SQL and Polars.
        type: the type of the frame's column, as pandas writes it.
        stored_as: `string` if its values had to become text.
        frame_name: its name in the frame.
    """

    name: str
    type: str
    stored_as: str | None
    frame_name: str


@dataclass(frozen=True)
class Table:
    """A table as `description.json` has it.

    Attributes:
        files: its Parquet files as paths or globs relative to the snapshot; none if the table has
            no columns.
        columns: its columns in order.
        rows: number of rows.
        hive: whether the names of folders, such as `year=2024`, are columns.
    """

    files: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: int
    hive: bool = False

    def described(self) -> dict[str, object]:
        """Return the member of the description."""
        return {
            "files": list(self.files),
            "hive": self.hive,
            "columns": [
                {"name": column.name, "type": column.type, "storedAs": column.stored_as}
                for column in self.columns
            ],
            "rows": self.rows,
        }


def write_table(frame: pd.DataFrame, directory: str) -> Table:
    """Write a frame to `frame.parquet`, with its index where that has labels.

    Raises:
        OSError: if the file cannot be written.
    """
    series = list(_series(frame))
    names = table_names(name for name, _ in series)
    columns, arrays = [], []
    for name, (frame_name, values) in zip(names, series, strict=True):
        array, as_text = stored(values)
        arrays.append(array)
        stored_as = "string" if as_text else None
        columns.append(Column(name, str(values.dtype), stored_as, str(frame_name)))
    if not columns:
        return Table((), (), len(frame))
    table = pa.table(arrays, names=names)
    path = os.path.join(directory, TABLE)
    with pq.ParquetWriter(path, table.schema, compression="zstd", compression_level=1) as writer:
        writer.write_table(table, row_group_size=_group_rows(table))
    return Table((TABLE,), tuple(columns), len(frame))


def own_table(path: str, frame: pd.DataFrame) -> Table | None:
    """Return the table of a Parquet source that serves itself.

    Args:
        path: the source, which pandas has read.
        frame: what pandas has read from all of it.

    Returns:
        None if names or types of the file would not be the same in all engines.
    """
    with pq.ParquetFile(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
    names: list[str] = schema.names
    if not names or table_names(names) != names or rows != len(frame):
        return None
    if any(common_type(field.type) is None for field in schema):
        return None
    types = _types(frame)
    columns = tuple(Column(name, types.get(name, "object"), None, name) for name in names)
    return Table((os.path.basename(path),), columns, rows)


def _series(frame: pd.DataFrame) -> Iterator[tuple[object, pd.Series[Any]]]:
    """Return the columns by name, those of the index first, under the names of `reset_index`."""
    index = frame.index
    if not _counts_rows(index):
        unnamed = "index" if index.nlevels == 1 else None
        for level in range(index.nlevels):
            name = index.names[level]
            if name is None:
                name = unnamed or f"level_{level}"
            yield name, pd.Series(index.get_level_values(level).array)
    for position, name in enumerate(frame.columns):
        yield name, frame.iloc[:, position]


def _counts_rows(index: pd.Index[Any]) -> bool:
    """Return whether an index holds nothing but the position of each row."""
    return index.name is None and index.nlevels == 1 and index.equals(pd.RangeIndex(len(index)))


def _types(frame: pd.DataFrame) -> Mapping[str, str]:
    return {str(name): str(values.dtype) for name, values in _series(frame)}


def _group_rows(table: Any) -> int:  # noqa: ANN401 - pyarrow has no types
    """Return the rows of a group, fewer where rows are long: a reader holds whole groups."""
    row_bytes = max(1, table.nbytes // max(1, table.num_rows))
    fitting = _GROUP_BYTES // row_bytes // _MIN_GROUP_ROWS * _MIN_GROUP_ROWS
    return int(min(_GROUP_ROWS, max(_MIN_GROUP_ROWS, fitting)))
