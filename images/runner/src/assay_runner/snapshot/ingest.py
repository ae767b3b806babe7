"""Stores a source's bytes in the snapshot directory."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import BinaryIO

from assay_runner.frames import Message
from assay_runner.snapshot.compression import decompressed
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.source import (
    SourceRefusedError,
    open_in_volume,
    open_text,
    unchanged,
)

UPLOAD = "upload.bin"
"""File in the snapshot directory in which the supervisor stores an upload."""

_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Stored:
    """A stored source: file name, size in bytes and SHA-256, after decompression."""

    file: str
    size: int
    sha256: str


def store_source(job: Message, limits: Limits, *, name: str, directory: str, volume: str) -> Stored:
    """Store a job's source in a file, which is synced to disk when this returns.

    Args:
        job: `compression` and one of `text`, `path` and `upload`.
        limits: limits of the source.
        name: name of the new file.
        directory: the snapshot directory.
        volume: the directory that `path` is relative to.

    Raises:
        SourceRefusedError: if the source is missing, cannot be decompressed, was modified while it
            was read, or is over a limit.
    """
    target = os.path.join(directory, name)
    compression = job.get("compression")
    if job.get("text") is not None:
        with open_text(job["text"]) as source:
            return copy(source, None, target, limits)
    if job.get("path") is not None:
        with open_in_volume(volume, job["path"]) as source, unchanged(source):
            if compression is None:
                limits.check_bytes(os.fstat(source.fileno()).st_size)
            return copy(source, compression, target, limits)
    upload = job["upload"]
    with open_in_volume(directory, UPLOAD) as source:
        if os.fstat(source.fileno()).st_size != upload["bytes"]:
            raise SourceRefusedError("The upload is not whole.")
        if compression is not None:
            stored = copy(source, compression, target, limits)
            os.unlink(os.path.join(directory, UPLOAD))
            return stored
    # The supervisor has synced and digested it, so it need not be copied.
    limits.check_bytes(upload["bytes"])
    os.rename(os.path.join(directory, UPLOAD), target)
    return Stored(name, upload["bytes"], upload["sha256"])


def copy(
    source: BinaryIO, compression: str | None, path: str, limits: Limits, already: int = 0
) -> Stored:
    """Copy a source to a new file and sync it.

    Args:
        source: its bytes.
        compression: how they are compressed.
        path: path of the new file.
        limits: limits of the source.
        already: bytes of the source's other files.
    """
    digest = hashlib.sha256()
    size = 0
    with decompressed(source, compression) as plain, open(path, "xb") as target:
        while chunk := plain.read(_CHUNK_BYTES, size):
            size += len(chunk)
            limits.check_bytes(already + size)
            target.write(chunk)
            digest.update(chunk)
        target.flush()
        os.fsync(target.fileno())
    return Stored(os.path.basename(path), size, digest.hexdigest())
