"""Builds the snapshot directory. The description is written last and marks it as complete."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd
import pyarrow as pa

from assay_runner.frames import Message
from assay_runner.options import OptionRefusedError, Options, check
from assay_runner.snapshot import description
from assay_runner.snapshot.error_redaction import redact
from assay_runner.snapshot.folder import SchemaError, is_folder, store_folder
from assay_runner.snapshot.frameless import describe_files, has_frame
from assay_runner.snapshot.ingest import UPLOAD, Stored, store_source
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.measuring import PeakMemory
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading import READING, sources
from assay_runner.snapshot.reading.columns import ReadTable
from assay_runner.snapshot.reading.frame import frame_table, write_frame
from assay_runner.snapshot.reading.notes import Note, described
from assay_runner.snapshot.reading.stored_integers import keep_integers
from assay_runner.snapshot.source import SourceRefusedError
from assay_runner.snapshot.source_files import SourceFiles, inspect_source
from assay_runner.snapshot.table import Table, own_table, write_read_table, write_table
from assay_runner.snapshot_files import (
    DESCRIPTION,
    FOLDER,
    FRAME,
    TABLE,
    as_frame,
    load_frame,
    read_source,
    source_file,
    store_frame,
    version_of,
)

_UNFINISHED = f"{DESCRIPTION}.unfinished"


def build_snapshot(
    job: Message,
    *,
    snapshot_dir: str,
    source_dir: str,
    measuring: Callable[[str], PeakMemory] = PeakMemory,
) -> object:
    """Make a snapshot and return the `value` of its result, without the digest.

    Args:
        job: `format`, one of `text`, `path` and `upload`, and optionally `options`, `compression`
            `limits` and `frame`.
        snapshot_dir: the directory that becomes the snapshot: empty except for an upload, and
            empty again after an error.
        source_dir: the volume that `path` is relative to.
        measuring: starts the process that measures the memory of loading a snapshot.

    Raises:
        OptionRefusedError: if the format does not have an option.
        SourceRefusedError: if the source is missing, of the wrong kind or over a limit.
        ReaderError: if pandas cannot read it.
    """
    try:
        return _make(job, snapshot_dir, source_dir, measuring)
    except BaseException:
        source = source_file(job["format"])
        for name in (source, FRAME, TABLE, _UNFINISHED, DESCRIPTION, UPLOAD):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(snapshot_dir, name))
        shutil.rmtree(os.path.join(snapshot_dir, FOLDER), ignore_errors=True)
        raise


def _make(
    job: Message, directory: str, volume: str, measuring: Callable[[str], PeakMemory]
) -> object:
    source_format: str = job["format"]
    options: Options = job.get("options") or {}
    limits = Limits.of(job.get("limits"))
    check(source_format, options)
    source = _store(job, limits, directory, volume)
    path = os.path.join(directory, source.file)
    files = inspect_source(path, source_format, options, limits)
    framed = has_frame(job, files.content_bytes or source.size, limits)
    kept = sources.keeps(source_format, options)
    content: dict[str, object] = {
        "version": version_of(
            source_format, options, plain=framed and not files.is_folder, read=kept
        ),
        "reading": READING,
        "format": source_format,
        "options": options,
        "source": {"file": source.file, "bytes": source.size, "sha256": source.sha256},
    }
    if framed and kept:
        with measuring(directory) as measured:
            return _with_read_frame(content, files, options, limits, directory, measured)
    if framed:
        with measuring(directory) as measured:
            return _with_frame(content, files, options, limits, directory, measured)
    return _without_frame(content, files, options, limits, directory)


def _store(job: Message, limits: Limits, directory: str, volume: str) -> Stored:
    source_format, path = job["format"], job.get("path")
    if source_format == "parquet" and path is not None and is_folder(volume, path):
        if job.get("compression") is not None:
            raise SourceRefusedError("Files of a folder cannot be compressed as a whole.")
        return store_folder(volume, path, limits, os.path.join(directory, FOLDER))
    name = source_file(source_format)
    return store_source(job, limits, name=name, directory=directory, volume=volume)


def _with_frame(
    content: dict[str, object],
    files: SourceFiles,
    options: Options,
    limits: Limits,
    directory: str,
    measured: PeakMemory,
) -> object:
    frame = _read(files, options, limits)
    notes = keep_integers(frame, files.path, files.format, options)
    # Both are Arrow's work, which runs without the interpreter's lock.
    with ThreadPoolExecutor(max_workers=1) as thread:
        writing = thread.submit(_table, files, options, frame, directory)
        stored = store_frame(frame, directory)
        content |= {"frame": {"file": FRAME} if stored else None, "pandas": pd.__version__}
        if stored:
            measured.load(content)
            _fsync(os.path.join(directory, FRAME))
        columns = description.columns_of(frame)
        for column in columns:
            note = notes.get(str(column["name"]))
            column["notes"] = [] if note is None else described([note])
        table = writing.result()
    memory = _memory_of(frame)
    del frame
    if not stored:
        # Reading the source takes several times the memory of the frame, which is freed first.
        pa.default_memory_pool().release_unused()
        measured.load(content)
    peak = max(memory, measured.growth())
    how = "arrow" if stored else "source"
    return _completed(content, directory, table, columns, (), memory, peak, how)


def _with_read_frame(
    content: dict[str, object],
    files: SourceFiles,
    options: Options,
    limits: Limits,
    directory: str,
    measured: PeakMemory,
) -> object:
    read = _reported(sources.read, files, options, limits)
    content |= {"frame": {"file": FRAME}, "pandas": pd.__version__}
    # Arrow keeps what it has freed, which is as much as the source.
    pa.default_memory_pool().release_unused()
    framed = frame_table(read)
    notes = {str(column.name): described(column.notes) for column in read.columns}
    table_notes = read.notes
    with ThreadPoolExecutor(max_workers=1) as thread:
        writing = thread.submit(write_read_table, read, as_frame(framed.slice(0, 0)), directory)
        write_frame(framed, directory)
        measured.load(content)
        table = writing.result()
    for file in (FRAME, *table.files):
        _fsync(os.path.join(directory, file))
    del read, framed, writing
    pa.default_memory_pool().release_unused()
    frame = load_frame(directory)
    columns = description.columns_of(frame)
    for column in columns:
        column["notes"] = notes.get(str(column["name"]), [])
    memory = _memory_of(frame)
    peak = max(memory, measured.growth())
    return _completed(content, directory, table, columns, table_notes, memory, peak, "arrow")


def _memory_of(frame: pd.DataFrame) -> int:
    return int(frame.memory_usage(index=True, deep=True).sum())


def _completed(
    content: dict[str, object],
    directory: str,
    table: Table,
    columns: list[dict[str, object]],
    notes: Sequence[Note],
    memory: int,
    peak: int,
    frame: str,
) -> object:
    """Write the description, which completes the snapshot, and return the value of the result."""
    content |= {
        "table": table.described(),
        "rows": table.rows,
        "columns": columns,
        "memoryBytes": memory,
        "peakMemoryBytes": peak,
        "pandas": pd.__version__,
    }
    _write_description(directory, content)
    return description.value_of(
        columns, table, memory, peak, frame, notes=described(notes), reading=READING
    )


def _table(files: SourceFiles, options: Options, frame: pd.DataFrame, directory: str) -> Table:
    plain = files.format == "parquet" and not options.keys() - {"types"}
    own = own_table(files, frame) if plain else None
    if own is not None:
        return own
    table = write_table(frame, directory)
    for file in table.files:
        _fsync(os.path.join(directory, file))
    return table


def _without_frame(
    content: dict[str, object],
    files: SourceFiles,
    options: Options,
    limits: Limits,
    directory: str,
) -> object:
    sources.check_without_frame(files.format, options)
    notes: Sequence[Note] = ()
    if files.format == "parquet":
        try:
            table, columns = own_table(files, None), describe_files(files)
        except (pa.ArrowException, OSError) as error:
            raise redact(error, files.path, files.format, options) from None
    else:
        path = os.path.join(directory, TABLE)
        read = _reported(sources.write, files, options, limits, path)
        table, columns = _written(path, read)
        notes = read.notes
    if table is None:
        raise SchemaError(
            "The Parquet file has columns that are nested too deeply, that have no name, or whose"
            " names differ only in case."
        )
    content |= {"frame": None, "frameless": True}
    return _completed(content, directory, table, columns, notes, 0, 0, "none")


def _written(path: str, read: ReadTable) -> tuple[Table | None, list[dict[str, object]]]:
    """Return the table in `frame.parquet`, and its columns with their notes."""
    _fsync(path)
    written = inspect_source(path, "parquet", {}, Limits.NONE)
    table, columns = own_table(written, None), describe_files(written)
    for column, one in zip(columns, read.columns, strict=True):
        column["notes"] = described(one.notes)
    return None if table is None else table.as_read(read.columns), columns


def _reported(
    function: Callable[..., ReadTable], files: SourceFiles, options: Options, *arguments: object
) -> ReadTable:
    """Read a source, and report what a library raises without its content."""
    try:
        return function(files.path, files.format, options, *arguments)
    except (SourceRefusedError, OptionRefusedError, ReaderError):
        raise
    except Exception as error:
        raise redact(error, files.path, files.format, options) from None


def _read(files: SourceFiles, options: Options, limits: Limits) -> pd.DataFrame:
    try:
        frame = read_source(files.path, files.format, options)
    except Exception as error:
        raise redact(error, files.path, files.format, options) from None
    limits.check_rows(frame.shape[0])
    limits.check_columns(frame.shape[1])
    return frame


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
