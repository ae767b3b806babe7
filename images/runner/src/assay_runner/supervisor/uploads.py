"""Receives an uploaded source into the snapshot directory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request
from assay_runner.supervisor.snapshot_job import Upload

if TYPE_CHECKING:
    from assay_runner.supervisor.incoming_file import IncomingFile, Received

UPLOAD = "upload.bin"


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

    def begin(self, request: Request) -> IncomingFile:
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
            raise Refusal(Code.UPLOAD_REFUSED, "this Pod accepts no more uploads")
        if self._in_progress:
            raise Refusal(Code.UPLOAD_REFUSED, "another upload is in progress")
        # Most Pods receive no file.
        from assay_runner.supervisor.incoming_file import IncomingFile

        incoming = IncomingFile(self._directory, UPLOAD, request.size, self._ended)
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

    def close(self) -> None:
        """Refuse further uploads."""
        self._sealed = True

    def _ended(self, received: Received | None) -> Mapping[str, object]:
        self._in_progress = False
        if received is None:
            return {}
        self._received = Upload(received.size, received.sha256)
        return {"bytes": received.size, "sha256": received.sha256}
