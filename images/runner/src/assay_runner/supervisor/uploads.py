"""Receives an uploaded source into the snapshot directory."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import os
from collections.abc import Mapping

from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request
from assay_runner.supervisor.snapshot_job import Upload

UPLOAD = "upload.bin"
_UNFINISHED = "upload.unfinished"


class Uploads:
    """The upload of this Pod; a later complete one replaces an earlier one.

    Args:
        directory: the snapshot directory; None in a Pod that makes no snapshot.
        limit_bytes: maximum size of an upload; 0 refuses all uploads.
    """

    def __init__(self, directory: str | None, limit_bytes: int) -> None:
        self._directory = directory
        self._limit_bytes = limit_bytes
        self._in_progress = False
        self._sealed = False
        self._received: Upload | None = None
        self._run_uid: str | None = None

    def begin(self, request: Request) -> IncomingUpload:
        """Begin to receive an upload.

        Raises:
            Refusal: WrongKind, TooLarge, RunMismatch, UploadRefused or UploadFailed.
        """
        if self._directory is None or self._limit_bytes == 0:
            raise Refusal(Code.WRONG_KIND, "this Pod does not accept uploads")
        if request.size > self._limit_bytes:
            raise Refusal(Code.TOO_LARGE, f"an upload is at most {self._limit_bytes} bytes")
        if self._run_uid not in (None, request.run_uid):
            raise Refusal(Code.RUN_MISMATCH, "this Pod belongs to another run")
        if self._sealed:
            raise Refusal(Code.UPLOAD_REFUSED, "a job has been staged")
        if self._in_progress:
            raise Refusal(Code.UPLOAD_REFUSED, "another upload is in progress")
        incoming = IncomingUpload(self, self._directory, request.size)
        self._run_uid = request.run_uid
        self._in_progress = True
        return incoming

    def seal(self, run_uid: str, expected: Upload | None) -> None:
        """Refuse further uploads: a job is staged that reads the received upload, or none.

        Raises:
            Refusal: RunMismatch or UploadMismatch; uploads are still accepted then.
        """
        if self._run_uid not in (None, run_uid):
            raise Refusal(Code.RUN_MISMATCH, "this Pod belongs to another run")
        if self._in_progress or self._received != expected:
            raise Refusal(Code.UPLOAD_MISMATCH, "the job's upload is not what was received")
        self._sealed = True

    def ended(self, received: Upload | None) -> None:
        """Record the end of an upload; `received` is None if it is incomplete."""
        self._in_progress = False
        if received is not None:
            self._received = received


class IncomingUpload:
    """Writes one upload to disk. The caller must call `discard`.

    Args:
        uploads: is notified of the end.
        directory: the snapshot directory.
        size: size of the upload in bytes.

    Raises:
        Refusal: UploadFailed, also if the volume has too little space for the whole upload.
    """

    in_memory = False

    def __init__(self, uploads: Uploads, directory: str, size: int) -> None:
        self._uploads = uploads
        self._path = os.path.join(directory, UPLOAD)
        self._unfinished = os.path.join(directory, _UNFINISHED)
        self._size = size
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
        """Sync the upload to disk and rename it to its final name; returns the answer.

        Raises:
            Refusal: UploadFailed.
            EOFError: if the upload is incomplete.
        """
        if self._written != self._size:
            raise EOFError
        if self._failure is not None:
            raise _failed(self._failure)
        try:
            await asyncio.to_thread(os.fsync, self._file.fileno())
            os.rename(self._unfinished, self._path)
        except OSError as error:
            raise _failed(error) from None
        self._done = True
        self._file.close()
        received = Upload(self._size, self._digest.hexdigest())
        self._uploads.ended(received)
        return {"bytes": received.size, "sha256": received.sha256}

    def discard(self) -> None:
        """Remove the upload, unless it was finished."""
        if not self._done:
            self._done = True
            self._remove_unfinished()
            self._uploads.ended(None)

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
