"""Holds the descriptors of artifacts until they are stored elsewhere."""

from __future__ import annotations

import asyncio
import os
import resource
import stat
import struct
from collections.abc import AsyncIterator, Iterator
from typing import Protocol

from assay_runner.supervisor.refusals import Code, Refusal

_CHUNK_BYTES = 512 * 1024
# Read on the event loop: files this small were just written and are usually in the page cache, and
# starting the first thread takes longer than reading them.
_SMALL_BYTES = 64 * 1024
_MIN_DESCRIPTORS = 1024
# The number and the length before the bytes of each artifact of several.
_HEAD = struct.Struct(">IQ")
_LOST = 2**64 - 1


class Body(Protocol):
    """The body of an answer that is read from files. The caller must call `close`."""

    size: int

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body.

        A body of more than 64 KiB is read in a thread, so that a slow disk does not block others.

        Raises:
            Refusal: ArtifactLost, if a file has become shorter or cannot be read.
        """

    def close(self) -> None:
        """Close the files."""


class HeldFiles:
    """The open files of artifacts by number."""

    def __init__(self) -> None:
        self._files: dict[int, tuple[int, int]] = {}

    def hold(self, number: int, descriptor: int, size: int) -> None:
        """Hold an artifact; the descriptor is this object's to close."""
        self._files[number] = (descriptor, size)

    def release(self, last: int) -> None:
        """Close the artifacts up to a number."""
        for number in [number for number in self._files if number <= last]:
            os.close(self._files.pop(number)[0])

    def close(self) -> None:
        """Close all artifacts."""
        self.release(max(self._files, default=0))

    def open(self, number: int) -> Download:
        """Return the bytes of an artifact, which may be read while it is released.

        Raises:
            Refusal: NotFound.
        """
        if number not in self._files:
            raise Refusal(Code.NOT_FOUND, "no such artifact, or it was acknowledged")
        descriptor, size = self._files[number]
        return Download(os.dup(descriptor), size)

    def open_from(self, number: int) -> Downloads:
        """Return the bytes of the artifacts from a number on, as `open` does.

        Raises:
            Refusal: NotFound, if there are none.
        """
        wanted = sorted(held for held in self._files if held >= number)
        if not wanted:
            raise Refusal(Code.NOT_FOUND, "no such artifacts, or they were acknowledged")
        return Downloads(
            [(held, os.dup(self._files[held][0]), self._files[held][1]) for held in wanted]
        )


class Download:
    """The bytes of one artifact.

    Args:
        descriptor: of the file, whose offset is not used.
        size: how many bytes the file had when it was collected.
    """

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self.size = size

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes."""
        async for data in _read(_pieces(self._descriptor, self.size), self.size):
            yield data

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


class Downloads:
    """The bytes of several artifacts, each after its number and its length.

    Small ones are sent together. One that is lost already has no bytes, and a length that says so.

    Args:
        files: number, descriptor and length of each.
    """

    def __init__(self, files: list[tuple[int, int, int]]) -> None:
        self._files = [(number, file, _kept(file, size)) for number, file, size in files]
        self.size = sum(_HEAD.size + (size or 0) for _, _, size in self._files)

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield heads and bytes."""
        async for data in _read(self._all(), self.size):
            yield data

    def _all(self) -> Iterator[bytes]:
        waiting = bytearray()
        for number, descriptor, size in self._files:
            waiting += _HEAD.pack(number, _LOST if size is None else size)
            for piece in _pieces(descriptor, size or 0):
                if len(waiting) + len(piece) > _CHUNK_BYTES:
                    yield bytes(waiting)
                    waiting.clear()
                if len(piece) == _CHUNK_BYTES:
                    yield piece
                else:
                    waiting += piece
        if waiting:
            yield bytes(waiting)

    def close(self) -> None:
        """Close the files."""
        for _, descriptor, _ in self._files:
            os.close(descriptor)


async def _read(pieces: Iterator[bytes], size: int) -> AsyncIterator[bytes]:
    """Yield the pieces of a body, read in a thread unless the body is small."""
    if size <= _SMALL_BYTES:
        for data in pieces:
            yield data
        return
    while data := await asyncio.to_thread(next, pieces, b""):
        yield data


def _pieces(descriptor: int, size: int) -> Iterator[bytes]:
    offset = 0
    while offset < size:
        try:
            data = os.pread(descriptor, min(_CHUNK_BYTES, size - offset), offset)
        except OSError as error:
            raise Refusal(Code.ARTIFACT_LOST, f"cannot be read: {error.strerror}") from None
        if not data:
            raise Refusal(Code.ARTIFACT_LOST, "the file is shorter than it was")
        offset += len(data)
        yield data


def whole_file(descriptor: int, size: int) -> bytes | None:
    """Return the bytes of a small file; None if it cannot be read to its end."""
    try:
        return b"".join(_pieces(descriptor, size))
    except Refusal:
        return None


def _kept(descriptor: int, size: int) -> int | None:
    """Return the length of an artifact; None if it cannot be read to its end any more."""
    try:
        readable = size == 0 or os.pread(descriptor, 1, size - 1)
    except OSError:
        return None
    return size if readable else None


def size_of(descriptor: int) -> int | None:
    """Return the size of a regular file; None for anything else."""
    state = os.fstat(descriptor)
    return state.st_size if stat.S_ISREG(state.st_mode) else None


def allow_descriptors() -> None:
    """Raise the limit on descriptors, where it is too low for all artifacts and connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < _MIN_DESCRIPTORS:
        allowed = hard if 0 <= hard < _MIN_DESCRIPTORS else _MIN_DESCRIPTORS
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
