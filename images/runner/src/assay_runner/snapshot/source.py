"""Copies a source into the snapshot, byte by byte, and refuses to be led elsewhere."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from dataclasses import dataclass
from typing import BinaryIO

_CHUNK_BYTES = 1024 * 1024


class SourceRefusedError(Exception):
    """The path does not name a plain file inside the volume; the text says what it is."""


@dataclass(frozen=True)
class Copied:
    """What was copied: its file name in the snapshot, length in bytes and SHA-256."""

    file: str
    size: int
    sha256: str


def open_text(text: str) -> BinaryIO:
    """Return inline text as bytes."""
    return io.BytesIO(text.encode())


def open_in_volume(volume: str, path: str) -> BinaryIO:
    """Open a regular file below a directory without following a single symbolic link.

    Args:
        volume: the directory.
        path: relative to it, its parts separated by `/`.

    Raises:
        SourceRefusedError: if a part is empty, `.`, `..`, a link or missing, or the file is not
            regular.
    """
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise SourceRefusedError("The path must be relative, without empty, '.' or '..' parts")
    directory = os.open(volume, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            inner = _open_part(path, part, os.O_DIRECTORY, directory)
            os.close(directory)
            directory = inner
        # Opening a pipe would otherwise wait for its writer.
        descriptor = _open_part(path, parts[-1], os.O_NONBLOCK, directory)
    finally:
        os.close(directory)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SourceRefusedError(f"Not a regular file: {path}")
    return open(descriptor, "rb")


def _open_part(path: str, part: str, flags: int, directory: int) -> int:
    try:
        return os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=directory)
    except FileNotFoundError:
        raise SourceRefusedError(f"No such file in the volume: {path}") from None
    except OSError as error:
        raise SourceRefusedError(
            f"Not a plain file reached through plain directories: {path} ({error.strerror})"
        ) from None


def copy(source: BinaryIO, directory: str, source_format: str) -> Copied:
    """Copy a source to `source.<format>` in a directory; on disk when this returns."""
    name = f"source.{source_format}"
    digest = hashlib.sha256()
    size = 0
    with source, open(os.path.join(directory, name), "xb") as target:
        while chunk := source.read(_CHUNK_BYTES):
            target.write(chunk)
            digest.update(chunk)
            size += len(chunk)
        target.flush()
        os.fsync(target.fileno())
    return Copied(name, size, digest.hexdigest())
