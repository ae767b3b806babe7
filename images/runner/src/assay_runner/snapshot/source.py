"""Opens a source without following links out of its volume."""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO


class SourceRefusedError(Exception):
    """The source cannot be used, whatever its content; the message says why."""


def open_text(text: str) -> BinaryIO:
    """Return inline text as bytes."""
    return io.BytesIO(text.encode())


def open_in_volume(volume: str, path: str) -> BinaryIO:
    """Open a regular file below a directory without following symbolic links.

    Args:
        volume: the directory.
        path: path relative to the directory, with `/` as separator.

    Raises:
        SourceRefusedError: if a part is empty, `.`, `..`, a link or missing, or the file is not a
            regular file.
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
        # Without O_NONBLOCK, opening a named pipe blocks until it has a writer.
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
            f"Cannot open {path} in the volume: {error.strerror}. It must be a regular file, and"
            " its path must not contain symbolic links."
        ) from None


@contextlib.contextmanager
def unchanged(file: BinaryIO) -> Iterator[None]:
    """Detect changes to a file of the volume while it is read in this context.

    Raises:
        SourceRefusedError: if the file was modified, so that the bytes read may be inconsistent.
    """
    before = _state(file)
    yield
    if _state(file) != before:
        raise SourceRefusedError(
            "The file was changed while it was read. Write it under another name and rename it"
            " when it is whole, then replace the dataset."
        )


def _state(file: BinaryIO) -> tuple[int, int]:
    state = os.fstat(file.fileno())
    return state.st_size, state.st_mtime_ns
