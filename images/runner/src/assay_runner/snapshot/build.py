"""Builds the snapshot directory. The description is written last and marks it as complete."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from assay_runner.frames import Message
from assay_runner.options import Options, check
from assay_runner.snapshot import description
from assay_runner.snapshot.error_redaction import redact
from assay_runner.snapshot.ingest import UPLOAD, store_source
from assay_runner.snapshot.inspection import inspect
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.measuring import peak_memory
from assay_runner.snapshot.table import Table, own_table, write_table
from assay_runner.snapshot_files import (
    DESCRIPTION,
    FRAME,
    TABLE,
    read_source,
    source_file,
    store_frame,
    version_of,
)

_UNFINISHED = f"{DESCRIPTION}.unfinished"

Measure = Callable[[str, Mapping[str, Any]], int]


def build_snapshot(
    job: Message, *, snapshot_dir: str, source_dir: str, measure: Measure = peak_memory
) -> object:
    """Make a snapshot and return the `value` of its result, without the digest.

    Args:
        job: `format`, one of `text`, `path` and `upload`, and optionally `options`, `compression`
            and `limits`.
        snapshot_dir: the directory that becomes the snapshot: empty except for an upload, and
            empty again after an error.
        source_dir: the volume that `path` is relative to.
        measure: returns the memory that loading a snapshot with a description takes.

    Raises:
        OptionRefusedError: if the format does not have an option.
        SourceRefusedError: if the source is missing, of the wrong kind or over a limit.
        ReaderError: if pandas cannot read it.
    """
    try:
        return _make(job, snapshot_dir, source_dir, measure)
    except BaseException:
        source = source_file(job["format"])
        for name in (source, FRAME, TABLE, _UNFINISHED, DESCRIPTION, UPLOAD):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(snapshot_dir, name))
        raise


def _make(job: Message, directory: str, volume: str, measure: Measure) -> object:
    source_format: str = job["format"]
    options: Options = job.get("options") or {}
    limits = Limits.of(job.get("limits"))
    check(source_format, options)
    name = source_file(source_format)
    source = store_source(job, limits, name=name, directory=directory, volume=volume)
    frame = _read(os.path.join(directory, name), source_format, options, limits)
    stored = store_frame(frame, directory)
    if stored:
        _fsync(os.path.join(directory, FRAME))
    table = _table(frame, os.path.join(directory, name), source_format, options)
    rows, columns = len(frame), description.columns_of(frame)
    memory = int(frame.memory_usage(index=True, deep=True).sum())
    content = {
        "version": version_of(source_format, options),
        "format": source_format,
        "options": options,
        "source": {"file": source.file, "bytes": source.size, "sha256": source.sha256},
        "frame": {"file": FRAME} if stored else None,
        "table": table.described(),
        "rows": rows,
        "columns": columns,
        "memoryBytes": memory,
        "pandas": pd.__version__,
    }
    # Free the memory for the process that measures.
    del frame
    pa.default_memory_pool().release_unused()
    content["peakMemoryBytes"] = peak = max(memory, measure(directory, content))
    _write_description(directory, content)
    return description.value_of(columns, rows, memory, peak, "arrow" if stored else "source")


def _read(path: str, source_format: str, options: Options, limits: Limits) -> pd.DataFrame:
    inspect(path, source_format, options, limits)
    try:
        frame = read_source(path, source_format, options)
    except Exception as error:
        raise redact(error, path, source_format, options) from None
    limits.check_rows(frame.shape[0])
    limits.check_columns(frame.shape[1])
    return frame


def _table(frame: pd.DataFrame, source: str, source_format: str, options: Options) -> Table:
    if source_format == "parquet" and not options:
        own = own_table(source, frame)
        if own is not None:
            return own
    directory = os.path.dirname(source)
    table = write_table(frame, directory)
    for file in table.files:
        _fsync(os.path.join(directory, file))
    return table


def _write_description(directory: str, content: Mapping[str, Any]) -> None:
    path = os.path.join(directory, DESCRIPTION)
    unfinished = os.path.join(directory, _UNFINISHED)
    with open(unfinished, "w", encoding="utf-8", errors="backslashreplace") as file:
        json.dump(content, file, ensure_ascii=False, allow_nan=False)
        file.flush()
        os.fsync(file.fileno())
    os.rename(unfinished, path)
    _fsync(directory)


def _fsync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
