"""Makes the snapshot directory; its description is written last, so it is whole or not there."""

from __future__ import annotations

import json
import os

import pandas as pd

from assay_runner.frames import Message
from assay_runner.snapshot import description
from assay_runner.snapshot.source import Copied, copy, open_in_volume, open_text
from assay_runner.snapshots import DESCRIPTION, FRAME, VERSION, read_source, store_frame


def make(job: Message, *, snapshot_dir: str, source_dir: str) -> object:
    """Make a snapshot and return the `value` of its result, without the digest.

    Args:
        job: `format` and either `text` or `path`.
        snapshot_dir: the empty directory that becomes the snapshot.
        source_dir: the volume that `path` is relative to.

    Raises:
        SourceRefusedError: if the path does not name a plain file of the volume.
        Exception: whatever pandas says of the source.
    """
    source_format: str = job["format"]
    text = job["text"]
    source = open_in_volume(source_dir, job["path"]) if text is None else open_text(text)
    copied = copy(source, snapshot_dir, source_format)
    frame = read_source(os.path.join(snapshot_dir, copied.file), source_format)
    stored = store_frame(frame, snapshot_dir)
    if stored:
        _sync(os.path.join(snapshot_dir, FRAME))
    columns = description.columns_of(frame)
    memory = int(frame.memory_usage(index=True, deep=True).sum())
    _write_description(snapshot_dir, source_format, copied, stored, len(frame), columns, memory)
    return description.value_of(columns, len(frame), memory, "arrow" if stored else "source")


def _write_description(
    directory: str,
    source_format: str,
    copied: Copied,
    stored: bool,
    rows: int,
    columns: list[dict[str, object]],
    memory: int,
) -> None:
    content = {
        "version": VERSION,
        "format": source_format,
        "source": {"file": copied.file, "bytes": copied.size, "sha256": copied.sha256},
        "frame": {"file": FRAME} if stored else None,
        "rows": rows,
        "columns": columns,
        "memoryBytes": memory,
        "pandas": pd.__version__,
    }
    path = os.path.join(directory, DESCRIPTION)
    unfinished = f"{path}.unfinished"
    with open(unfinished, "w", encoding="utf-8", errors="backslashreplace") as file:
        json.dump(content, file, ensure_ascii=False, allow_nan=False)
        file.flush()
        os.fsync(file.fileno())
    os.rename(unfinished, path)
    _sync(directory)


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
