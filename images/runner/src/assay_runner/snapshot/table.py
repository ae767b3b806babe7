"""The table of a snapshot: what SQL and Polars read, as Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from assay_runner.snapshot.reading.columns import ReadColumn, ReadTable
from assay_runner.snapshot.source_files import SourceFiles
from assay_runner.snapshot.table_names import table_names
from assay_runner.snapshot.table_types import MAX_LEVELS, common_type, levels
from assay_runner.snapshot.table_values import in_microseconds, stored
from assay_runner.snapshot_files import TABLE

# DuckDB reads groups of this many rows in parallel, and pages of 2048.
_GROUP_ROWS = 122_880
_MIN_GROUP_ROWS = 2048
_GROUP_BYTES = 256 * 1024 * 1024
# Read often and written once: no other compression takes less time to read. A dictionary of more
# values, such as prices and ids, takes longer to read than the values.
_WRITING = {"compression": "lz4", "dictionary_pagesize_limit": 256 * 1024}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: its name in SQL and Polars.
        type: the type of the frame's column, as pandas writes it.
        stored_as: `string` if its values had to become text.
        frame_name: its name in the frame.
        form: of dates that the frame has as text, how the source writes them.
    """

    name: str
    type: str
    stored_as: str | None
    frame_name: str
    form: str | None = None


@dataclass(frozen=True)
class Table:
    """A table as `description.json` has it.

    Attributes:
        files: its Parquet files as paths or globs relative to the snapshot; none if the table has
            no columns.
        columns: its columns in order.
        rows: number of rows.
        hive: the keys of folders, such as `year=2024`, which are columns, with their types in SQL.
    """

    files: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: int
    hive: Mapping[str, str] = field(default_factory=dict)

    def as_read(self, columns: Sequence[ReadColumn]) -> Table:
        """Return the same table, with what is known of its columns from their source."""
        pairs = zip(self.columns, columns, strict=True)
        found = tuple(
            replace(column, form=read.form, stored_as="string" if read.as_text else None)
            for column, read in pairs
        )
        return replace(self, columns=found)

    def column_of(self, name: str, position: int, count: int) -> Column | None:
        """Return the column that has the values of a column of the frame.

        Args:
            name: the column's name in the frame.
            position: its position there, from 0.
            count: number of columns of the frame.
        """
        if self.files == (TABLE,) and len(self.columns) >= count:
            return self.columns[len(self.columns) - count + position]
        return next((column for column in self.columns if column.frame_name == name), None)

    def described(self) -> dict[str, object]:
        """Return the member of the description."""
        return {
            "files": list(self.files),
            "hive": bool(self.hive),
            **({"keys": dict(self.hive)} if self.hive else {}),
            "columns": [
                {
                    "name": column.name,
                    "type": column.type,
                    "storedAs": column.stored_as,
                    **({} if column.form is None else {"form": column.form}),
                }
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
    return _write(arrays, columns, len(frame), directory)


def write_read_table(read: ReadTable, frame: pd.DataFrame, directory: str) -> Table:
    """Write a table that was read to `frame.parquet`, its labels first.

    Args:
        read: the table.
        frame: the types of the same as a frame; it need not have rows.
        directory: the snapshot directory.

    Raises:
        OSError: if the file cannot be written.
    """
    order = [*read.index, *(i for i in range(len(read.columns)) if i not in read.index)]
    series = [*_labels(frame.index)] if read.index else []
    series += [(name, frame.iloc[:, i]) for i, name in enumerate(frame.columns)]
    names = table_names(name for name, _ in series)
    columns, arrays = [], []
    for position, name, (frame_name, values) in zip(order, names, series, strict=True):
        column = read.columns[position]
        target = common_type(column.values.type)
        if target is None:
            array, as_text = stored(column.values.to_pandas())
        else:
            array, as_text = in_microseconds(column.values.cast(target)), column.as_text
        arrays.append(array)
        stored_as = "string" if as_text else None
        has_gaps = pa.types.is_boolean(column.values.type) and column.values.null_count
        # As pandas has them; without rows, they look like booleans without gaps.
        dtype = "object" if has_gaps and column.dtype is None else str(values.dtype)
        columns.append(Column(name, dtype, stored_as, str(frame_name), column.form))
    return _write(arrays, columns, read.rows, directory)


def _write(arrays: list[Any], columns: list[Column], rows: int, directory: str) -> Table:
    if not columns:
        return Table((), (), rows)
    table = pa.table(arrays, names=[column.name for column in columns])
    path = os.path.join(directory, TABLE)
    with pq.ParquetWriter(path, table.schema, **_WRITING) as writer:
        writer.write_table(table, row_group_size=_group_rows(table))
    return Table((TABLE,), tuple(columns), rows)


def own_table(files: SourceFiles, frame: pd.DataFrame | None) -> Table | None:
    """Return the table of Parquet files that serve themselves.

    Args:
        files: the files.
        frame: what pandas has read from all of them; None if it does not read them.

    Returns:
        None if names or types of the files would not be the same in all engines. If there is no
        frame that could serve instead, types may differ: durations are numbers in DuckDB.
    """
    with pq.ParquetFile(files.files[0]) as file:
        schema = file.schema_arrow
    names = [*schema.names, *files.hive]
    if not names or table_names(names) != names:
        return None
    if frame is None:
        if any(levels(field.type) > MAX_LEVELS for field in schema):
            return None
        types = {name: str(dtype) for name, dtype in _frame_types(schema).items()}
    else:
        if files.rows != len(frame) or any(common_type(field.type) is None for field in schema):
            return None
        types = {str(name): str(values.dtype) for name, values in _series(frame)}
    columns = tuple(Column(name, types.get(name, "object"), None, name) for name in names)
    name = os.path.basename(files.path)
    pattern = f"{name}/**/*.parquet" if files.is_folder else name
    return Table((pattern,), columns, files.rows, hive=files.hive)


def _frame_types(schema: Any) -> Mapping[str, object]:  # noqa: ANN401 - pyarrow has no types
    types: Mapping[str, object] = schema.empty_table().to_pandas(ignore_metadata=True).dtypes
    return types


def _series(frame: pd.DataFrame) -> Iterator[tuple[object, pd.Series[Any]]]:
    """Return the columns by name, those of the index first, under the names of `reset_index`."""
    if not _counts_rows(frame.index):
        yield from _labels(frame.index)
    for position, name in enumerate(frame.columns):
        yield name, frame.iloc[:, position]


def _labels(index: pd.Index[Any]) -> Iterator[tuple[object, pd.Series[Any]]]:
    unnamed = "index" if index.nlevels == 1 else None
    for level in range(index.nlevels):
        name = index.names[level]
        if name is None:
            name = unnamed or f"level_{level}"
        yield name, pd.Series(index.get_level_values(level).array)


def _counts_rows(index: pd.Index[Any]) -> bool:
    """Return whether an index holds nothing but the position of each row."""
    return index.name is None and index.nlevels == 1 and index.equals(pd.RangeIndex(len(index)))


def _group_rows(table: Any) -> int:  # noqa: ANN401 - pyarrow has no types
    """Return the rows of a group, fewer where rows are long: a reader holds whole groups."""
    row_bytes = max(1, table.nbytes // max(1, table.num_rows))
    fitting = _GROUP_BYTES // row_bytes // _MIN_GROUP_ROWS * _MIN_GROUP_ROWS
    return int(min(_GROUP_ROWS, max(_MIN_GROUP_ROWS, fitting)))
