"""Holds the descriptors of artifacts until they are stored elsewhere."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator

from assay_runner.supervisor.refusals import Code, Refusal

_CHUNK_BYTES = 512 * 1024
_MIN_DESCRIPTORS = 1024


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


class Download:
    """The bytes of one artifact. The caller must call `close`.

    Args:
        descriptor: of the file, whose offset is not used.
        size: how many bytes the file had when it was collected.
    """

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self.size = size

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes; a slow disk holds up nobody else.

        Raises:
            Refusal: ArtifactLost, if the file has become shorter or cannot be read.
        """
        offset = 0
        while offset < self.size:
            wanted = min(_CHUNK_BYTES, self.size - offset)
            try:
                data = await asyncio.to_thread(os.pread, self._descriptor, wanted, offset)
            except OSError as error:
                raise Refusal(Code.ARTIFACT_LOST, f"cannot be read: {error.strerror}") from None
            if not data:
                raise Refusal(Code.ARTIFACT_LOST, "the file is shorter than it was")
            offset += len(data)
            yield data

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def size_of(descriptor: int) -> int | None:
    """Return the size of a regular file; None for anything else."""
    state = os.fstat(descriptor)
    return state.st_size if stat.S_ISREG(state.st_mode) else None


def allow_descriptors() -> None:
    """Raise the limit on descriptors, where it is too low for all artifacts and connections."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < _MIN_DESCRIPTORS:
        allowed = hard if 0 <= hard < _MIN_DESCRIPTORS else _MIN_DESCRIPTORS
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
