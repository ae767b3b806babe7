"""The files of a source in a snapshot, and how much they contain."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.parquet as pq

from assay_runner.folders import files_of
from assay_runner.options import Options
from assay_runner.snapshot.folder import check_schemas, hive_keys
from assay_runner.snapshot.inspection import inspect
from assay_runner.snapshot.limits import Limits


@dataclass(frozen=True)
class SourceFiles:
    """The files of a source.

    Attributes:
        path: the file, or the folder of several.
        format: their format.
        files: paths of all files.
        is_folder: whether the path is a folder.
        hive: the keys of the folders `KEY=VALUE` that all files are in, with their types in SQL.
        rows: rows of Parquet files, else 0.
        content_bytes: size of the content of Parquet files, decompressed, else 0.
    """

    path: str
    format: str
    files: tuple[str, ...]
    is_folder: bool = False
    hive: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0
    content_bytes: int = 0


def inspect_source(path: str, source_format: str, options: Options, limits: Limits) -> SourceFiles:
    """Check that a source in a snapshot stays within its limits, as far as can be known now.

    Raises:
        SourceRefusedError: if it does not, or is not of its format.
    """
    is_folder = os.path.isdir(path)
    names = files_of(path) if is_folder else []
    files = tuple(os.path.join(path, name) for name in names) if is_folder else (path,)
    hive = hive_keys(names) if is_folder else {}
    if is_folder:
        check_schemas(path, names)
    rows = size = 0
    for file in files:
        inspect(file, source_format, options, limits)
        if source_format == "parquet":
            file_rows, file_size = _extent(file)
            rows += file_rows
            size += file_size
            limits.check_rows(rows)
            limits.check_bytes(size)
    return SourceFiles(path, source_format, files, is_folder, hive, rows, size)


def _extent(path: str) -> tuple[int, int]:
    """Return rows and bytes of a Parquet file; 0 if it is malformed, which its reader reports."""
    try:
        with pq.ParquetFile(path, memory_map=True) as file:
            data = file.metadata
            sizes = (data.row_group(i).total_byte_size for i in range(data.num_row_groups))
            return data.num_rows, sum(sizes)
    except (pa.ArrowException, OSError):
        return 0, 0
