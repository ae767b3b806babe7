"""Takes the bytes of an uploaded source into the snapshot directory."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import os

from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request, Upload

UPLOAD = "upload.bin"
_UNFINISHED = "upload.unfinished"


class Uploads:
    """The one upload of this Pod; a later whole one takes the place of an earlier one.

    Args:
        directory: where to put it; None in a Pod that makes no snapshot.
        limit_bytes: the longest to take; 0 for none at all.
    """

    def __init__(self, directory: str | None, limit_bytes: int) -> None:
        self._directory = directory
        self._limit_bytes = limit_bytes
        self._under_way = False
        self._closed = False
        self._received: Upload | None = None
        self._run_uid: str | None = None

    def begin(self, request: Request) -> IncomingUpload:
        """Return what takes the bytes of an announced upload.

        Raises:
            Refusal: WrongKind, TooLarge, RunMismatch, UploadRefused or UploadFailed.
        """
        if self._directory is None or self._limit_bytes == 0:
            raise Refusal(Code.WRONG_KIND, "this Pod takes no upload")
        if request.size > self._limit_bytes:
            raise Refusal(Code.TOO_LARGE, f"an upload is at most {self._limit_bytes} bytes")
        if self._run_uid not in (None, request.run_uid):
            raise Refusal(Code.RUN_MISMATCH, "this Pod has been given to another run")
        if self._closed:
            raise Refusal(Code.UPLOAD_REFUSED, "a job has been staged")
        if self._under_way:
            raise Refusal(Code.UPLOAD_REFUSED, "another upload is under way")
        incoming = IncomingUpload(self, self._directory, request.size)
        self._run_uid = request.run_uid
        self._under_way = True
        return incoming

    def seal(self, run_uid: str, expected: Upload | None) -> None:
        """Take no more, since a job is staged that reads this upload, or none.

        Raises:
            Refusal: RunMismatch or UploadMismatch; then more may be taken.
        """
        if self._run_uid not in (None, run_uid):
            raise Refusal(Code.RUN_MISMATCH, "this Pod has been given to another run")
        if self._under_way or self._received != expected:
            raise Refusal(
                Code.UPLOAD_MISMATCH, "the job's upload is not what was received, whole and last"
            )
        self._closed = True

    def ended(self, received: Upload | None) -> None:
        """Take note that an upload has come to its end, whole or (None) not."""
        self._under_way = False
        if received is not None:
            self._received = received


class IncomingUpload:
    """The bytes of one upload on their way to disk. The caller must call `discard`.

    Args:
        uploads: is told of the end.
        directory: where to put them.
        size: how many will come.

    Raises:
        Refusal: UploadFailed, also where there is no room for all of it: nothing has been sent yet.
    """

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
            _require_room(directory, size)
            descriptor = os.open(self._unfinished, flags, 0o644)
        except OSError as error:
            raise _failed(error) from None
        self._file = open(descriptor, "wb", buffering=0)  # noqa: SIM115 - closed by discard

    async def write(self, data: bytes) -> None:
        """Return when the bytes are written, so that the caller reads no faster.

        What comes after a failure is passed over, and `finish` tells it: a sender hears an answer
        only when all was sent.
        """
        if self._failure is None:
            try:
                await asyncio.to_thread(self._write, data)
                return
            except OSError as error:
                self._failure = error
                self._give_up()
        self._written += len(data)

    async def finish(self) -> Upload:
        """Put the upload in its place and on disk.

        Raises:
            Refusal: UploadFailed.
            EOFError: if it is not whole.
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
        return received

    def discard(self) -> None:
        """Leave nothing behind, unless the upload was finished."""
        if not self._done:
            self._done = True
            self._give_up()
            self._uploads.ended(None)

    def _give_up(self) -> None:
        """Give the room back that was taken."""
        self._file.close()
        with contextlib.suppress(OSError):
            os.unlink(self._unfinished)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]
        self._written += len(data)
        self._digest.update(data)


def _require_room(directory: str, size: int) -> None:
    file_system = os.statvfs(directory)
    if file_system.f_bavail * file_system.f_frsize < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _failed(error: OSError) -> Refusal:
    return Refusal(Code.UPLOAD_FAILED, f"the upload could not be written: {error.strerror}")
