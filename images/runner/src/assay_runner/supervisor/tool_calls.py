"""The calls of tools that are open, and the results that were given for others."""

from __future__ import annotations

from assay_runner.frames import FrameError
from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.events import EventLog
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import ResultHead
from assay_runner.supervisor.tools import MAX_RESULT_BYTES, MIN_RESULT_BYTES, Tools
from assay_runner.supervisor.worker_messages import Batch, ToolCall

# Of all calls of a batch.
MAX_BATCH_ARGS_BYTES = 1024 * 1024
MAX_BATCH_RESULT_BYTES = MAX_RESULT_BYTES
_DIGEST_BYTES = 32


class ToolCalls:
    """The calls of a worker, numbered 1, 2, 3 ….

    One call or one batch of calls is open, until the worker has been sent all of its results. A
    worker that begins another one before is cut off, which limits what is held in memory for it.

    Args:
        log: receives an event for each call.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._tools: Tools | None = None
        self._batch: Batch | None = None
        self._last = 0
        self._end = 0
        """The number of the last call of what is open."""
        self._events: dict[int, int] = {}
        """The numbers of the events of the calls that have no result."""
        self._unsent = 0
        self._args_bytes = 0
        self._result_bytes = 0
        self._digests = bytearray()
        """The SHA-256 of the result of each call; zeros where there is none."""

    def allow(self, tools: Tools) -> None:
        """Let the worker call tools."""
        self._tools = tools

    def open(self, call: ToolCall, now: Now) -> None:
        """Ask the operator for the result of a call.

        Raises:
            FrameError: if something else is open, the number of the call is not the next one, its
                batch is too large, or there is no room for its event.
        """
        if call.number != self._last + 1:
            raise FrameError("not the next call")
        if self._last == self._end:
            self._begin(call)
        elif call.batch != self._batch:
            raise FrameError("not a call of the open batch")
        self._args_bytes += len(call.args)
        if self._args_bytes > MAX_BATCH_ARGS_BYTES:
            raise FrameError(f"the arguments of a batch are over {MAX_BATCH_ARGS_BYTES} bytes")
        names = len(call.server.encode()) + len(call.tool.encode())
        if len(call.args) + names > self._log.room:
            raise FrameError("there is no room for another event")
        members = {
            "call": call.number,
            "batch": None if call.batch is None else call.batch.members(),
            "server": call.server,
            "tool": call.tool,
        }
        self._log.append(
            "tool_call", now.epoch_ms, members, call.args, data_name="args", members_bytes=names
        )
        self._last = call.number
        self._events[call.number] = self._log.last_seq
        self._digests += bytes(_DIGEST_BYTES)

    def _begin(self, call: ToolCall) -> None:
        if self._events or self._unsent:
            raise FrameError("the results of the calls before have not been sent")
        if call.batch is not None and call.batch.first != call.number:
            raise FrameError("the batch begins with another call")
        self._batch = call.batch
        self._end = call.number + (0 if call.batch is None else call.batch.size - 1)
        self._args_bytes = self._result_bytes = 0

    def expects(self, result: ResultHead, *, reachable: bool) -> bool:
        """Return whether the worker waits for this result; False if it has been given it before.

        Args:
            result: the result.
            reachable: whether the worker can be given anything.

        Raises:
            Refusal: BytesChanged, CallNotOpen or TooLarge.
        """
        given = self._given(result.call)
        if given is not None:
            if given != bytes.fromhex(result.sha256):
                raise Refusal(Code.BYTES_CHANGED, "this call has another result")
            return False
        if result.call not in self._events or not reachable:
            raise Refusal(
                Code.CALL_NOT_OPEN, "the worker does not wait for the result of this call"
            )
        limit = self._room()
        if result.size > limit:
            raise Refusal(Code.TOO_LARGE, f"the result is over {limit} bytes")
        return True

    def _given(self, call: int) -> bytes | None:
        """Return the digest of the result that a call has."""
        if call > self._last or call in self._events:
            return None
        return bytes(self._digests[(call - 1) * _DIGEST_BYTES : call * _DIGEST_BYTES])

    def _room(self) -> int:
        """Return how many bytes the next result may have."""
        if self._tools is None:
            return 0
        room = min(self._tools.result_bytes, MAX_BATCH_RESULT_BYTES - self._result_bytes)
        return max(room, MIN_RESULT_BYTES)

    def answer(self, result: ResultHead) -> None:
        """Record the result that the worker is given: nobody needs the arguments now."""
        at = (result.call - 1) * _DIGEST_BYTES
        self._digests[at : at + _DIGEST_BYTES] = bytes.fromhex(result.sha256)
        self._log.drop_data(self._events.pop(result.call))
        self._unsent += 1
        if result.size > MIN_RESULT_BYTES:
            self._result_bytes += result.size

    def sent(self) -> None:
        """One result was sent to the worker completely."""
        self._unsent -= 1
