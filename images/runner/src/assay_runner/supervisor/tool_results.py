"""Receives the result of a call, which the operator sends."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from assay_runner.frames import encode
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request

# Of a result in one message to the worker.
_PIECE_BYTES = 192 * 1024


class ResultTaker(Protocol):
    """Gives results to the worker."""

    def check_tool_result(self, request: Request) -> bool:
        """Check that the worker waits for the result, or had it before.

        Raises:
            Refusal: if it does not.
        """

    def tool_result(self, request: Request, data: bytes) -> None:
        """Give the worker the result of its call.

        Raises:
            Refusal: if it does not wait for it any more.
        """


class ToolResults:
    """The results for this Pod, of which one is received at a time.

    Args:
        taker: gives them to the worker.
    """

    def __init__(self, taker: ResultTaker) -> None:
        self._taker = taker
        self._in_progress = False

    def begin(self, request: Request) -> IncomingResult:
        """Begin to receive a result.

        Raises:
            Refusal: NotStaged, RunMismatch, NotStarted, BytesChanged, CallNotOpen or
                TooLarge.
        """
        self._taker.check_tool_result(request)
        if self._in_progress:
            raise Refusal(Code.CALL_NOT_OPEN, "another result is in progress")
        self._in_progress = True
        return IncomingResult(request, self._taker, self._ended)

    def _ended(self) -> None:
        self._in_progress = False


class IncomingResult:
    """Holds one result until it is complete. The caller must call `discard`.

    Args:
        request: its head.
        taker: gives it to the worker.
        ended: called once, by `discard`.
    """

    in_memory = True

    def __init__(self, request: Request, taker: ResultTaker, ended: Callable[[], None]) -> None:
        self._request = request
        self._taker = taker
        self._ended = ended
        self._data = bytearray()
        self._digest = hashlib.sha256()

    async def write(self, data: bytes) -> None:
        """Add bytes."""
        self._data += data
        self._digest.update(data)

    async def finish(self) -> Mapping[str, object]:
        """Give the result to the worker; returns the answer.

        Raises:
            Refusal: BadSignature if its digest is not the one that was signed, or what `begin`
                may raise.
            EOFError: if it is incomplete.
        """
        if len(self._data) != self._request.size:
            raise EOFError
        if self._digest.hexdigest() != self._request.sha256:
            raise Refusal(Code.BAD_SIGNATURE, "the body is not what was signed (sha256)")
        self._taker.tool_result(self._request, bytes(self._data))
        return {}

    def discard(self) -> None:
        """Let another result be received."""
        self._ended()


def result_frames(call: int, data: bytes) -> Iterator[bytes]:
    """Return the messages that give the worker a result: pieces of it, the last without `more`."""
    for start in range(0, max(len(data), 1), _PIECE_BYTES):
        end = start + _PIECE_BYTES
        piece = base64.b64encode(data[start:end]).decode("ascii")
        more = end < len(data)
        yield encode({"type": "tool_result", "call": call, "data": piece, "more": more})
