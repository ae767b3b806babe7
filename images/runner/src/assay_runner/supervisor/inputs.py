"""Receives the inputs of a run: artifacts of earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import partial
from typing import TYPE_CHECKING

from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request

if TYPE_CHECKING:
    from assay_runner.supervisor.incoming_file import IncomingFile, Received


class Inputs:
    """The inputs of this Pod, by number; a later one replaces an earlier one of its number.

    Args:
        directory: where they are written, under their numbers.
        limit_bytes: maximum size of all inputs together; 0 refuses all.
    """

    def __init__(self, directory: str, limit_bytes: int) -> None:
        self._directory = directory
        self._limit_bytes = limit_bytes
        self._sizes: dict[int, int] = {}
        self._run_uid: str | None = None
        self._in_progress = False
        self._sealed = False

    def begin(self, request: Request) -> IncomingFile:
        """Begin to receive an input.

        Raises:
            Refusal: WrongKind, TooLarge, RunMismatch, UploadRefused or UploadFailed.
        """
        if self._limit_bytes == 0:
            raise Refusal(Code.WRONG_KIND, "this Pod does not accept inputs")
        self._check_run(request.run_uid)
        if self._sealed:
            raise Refusal(Code.UPLOAD_REFUSED, "this Pod accepts no more inputs")
        if self._in_progress:
            raise Refusal(Code.UPLOAD_REFUSED, "another input is in progress")
        others = sum(size for number, size in self._sizes.items() if number != request.number)
        if others + request.size > self._limit_bytes:
            raise Refusal(Code.TOO_LARGE, f"inputs are at most {self._limit_bytes} bytes together")
        # Most Pods receive no file.
        from assay_runner.supervisor.incoming_file import IncomingFile

        ended = partial(self._ended, request.number)
        incoming = IncomingFile(
            self._directory,
            str(request.number),
            request.size,
            ended,
            sha256=request.sha256,
            durable=False,
        )
        self._run_uid = request.run_uid
        self._in_progress = True
        return incoming

    def check(self, run_uid: str, needed: Set[int]) -> None:
        """Check that what was received are the inputs that a job needs.

        Raises:
            Refusal: RunMismatch or UploadMismatch.
        """
        self._check_run(run_uid)
        if self._in_progress or self._sizes.keys() != needed:
            raise Refusal(Code.UPLOAD_MISMATCH, "the job's inputs are not what was received")

    def seal(self) -> None:
        """Refuse further inputs."""
        self._sealed = True

    def _check_run(self, run_uid: str) -> None:
        if self._run_uid not in (None, run_uid):
            raise Refusal(Code.RUN_MISMATCH, "this Pod belongs to another run")

    def _ended(self, number: int, received: Received | None) -> Mapping[str, object]:
        self._in_progress = False
        if received is not None:
            self._sizes[number] = received.size
        return {}
