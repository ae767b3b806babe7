"""Receives a file into a directory, no faster than it is written to disk."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from assay_runner.supervisor.refusals import Code, Refusal

UNFINISHED = "upload.unfinished"


class Received(NamedTuple):
    """Size in bytes and SHA-256 (hexadecimal) of a file that was received."""

    size: int
    sha256: str


class IncomingFile:
    """Writes one file to disk. The caller must call `discard`.

    Args:
        directory: where to write it.
        name: its name there; another file of this name is replaced when this one is complete.
        size: in bytes.
        ended: called once, with None if the file is incomplete; returns the answer.
        sha256: what its SHA-256 must be; None for any.
        durable: whether the file must survive the node.

    Raises:
        Refusal: UploadFailed, also if the volume has too little space for the whole file.
    """

    in_memory = False

    def __init__(
        self,
        directory: str,
        name: str,
        size: int,
        ended: Callable[[Received | None], Mapping[str, object]],
        *,
        sha256: str | None = None,
        durable: bool = True,
    ) -> None:
        self._path = os.path.join(directory, name)
        self._unfinished = os.path.join(directory, UNFINISHED)
        self._size = size
        self._ended = ended
        self._sha256 = sha256
        self._durable = durable
        self._written = 0
        self._digest = hashlib.sha256()
        self._done = False
        self._failure: OSError | None = None
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            _require_space(directory, size)
            descriptor = os.open(self._unfinished, flags, 0o644)
        except OSError as error:
            raise _failed(error) from None
        self._file = open(descriptor, "wb", buffering=0)  # noqa: SIM115 - closed by discard

    async def write(self, data: bytes) -> None:
        """Write the bytes; returns when they are written, so that the caller reads no faster.

        After a failure, further bytes are discarded and `finish` raises the error: the sender
        reads the answer only after it has sent everything.
        """
        if self._failure is None:
            try:
                await asyncio.to_thread(self._write, data)
                return
            except OSError as error:
                self._failure = error
                self._remove_unfinished()
        self._written += len(data)

    async def finish(self) -> Mapping[str, object]:
        """Give the file, which is on disk if it is durable, its final name; returns the answer.

        Raises:
            Refusal: UploadFailed, or BadSignature if its digest is not the one that was signed.
            EOFError: if the file is incomplete.
        """
        if self._written != self._size:
            raise EOFError
        if self._failure is not None:
            raise _failed(self._failure)
        received = Received(self._size, self._digest.hexdigest())
        if self._sha256 not in (None, received.sha256):
            raise Refusal(Code.BAD_SIGNATURE, "the body is not what was signed (sha256)")
        try:
            if self._durable:
                await asyncio.to_thread(os.fsync, self._file.fileno())
            os.rename(self._unfinished, self._path)
        except OSError as error:
            raise _failed(error) from None
        self._done = True
        self._file.close()
        return self._ended(received)

    def discard(self) -> None:
        """Remove the file, unless it was finished."""
        if not self._done:
            self._done = True
            self._remove_unfinished()
            self._ended(None)

    def _remove_unfinished(self) -> None:
        """Free the space on disk."""
        self._file.close()
        with contextlib.suppress(OSError):
            os.unlink(self._unfinished)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]
        self._written += len(data)
        self._digest.update(data)


def _require_space(directory: str, size: int) -> None:
    file_system = os.statvfs(directory)
    if file_system.f_bavail * file_system.f_frsize < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _failed(error: OSError) -> Refusal:
    return Refusal(Code.UPLOAD_FAILED, f"the upload could not be written: {error.strerror}")
