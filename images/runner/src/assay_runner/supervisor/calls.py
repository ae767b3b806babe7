"""What the worker asks the operator for: one call at a time, each of which gets one reply."""

from __future__ import annotations

from assay_runner.frames import FrameError
from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.events import EventLog
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import ReplyHead
from assay_runner.supervisor.worker_messages import WorkerRequest


class Calls:
    """The calls of a worker, numbered 1, 2, 3 ….

    A call is open until the worker has been sent its reply. A worker that makes another one
    before is cut off, so there is never more than one reply in memory.

    Args:
        log: receives an event for each call.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._last = 0
        self._open = False
        self._event = 0
        self._answered: ReplyHead | None = None

    def open(self, request: WorkerRequest, now: Now) -> None:
        """Ask the operator.

        Raises:
            FrameError: if another call is open, its number is not the next one, or there is no
                room for its event.
        """
        if self._open or request.call != self._last + 1:
            raise FrameError("not the next call")
        if len(request.data) > self._log.room:
            raise FrameError("there is no room for another event")
        self._log.append("request", now.epoch_ms, {"call": request.call}, request.data)
        self._last, self._event, self._open = request.call, self._log.last_seq, True

    def expects(self, reply: ReplyHead, *, reachable: bool) -> bool:
        """Return whether the worker waits for this reply; False if it has been given it before.

        Args:
            reply: the reply.
            reachable: whether the worker can be given anything.

        Raises:
            Refusal: BytesChanged or ReplyRefused.
        """
        if reply == self._answered:
            return False
        if self._answered and reply.call == self._answered.call:
            raise Refusal(Code.BYTES_CHANGED, "this call was answered with other bytes")
        if reply.call != self._last or not reachable:
            raise Refusal(Code.REPLY_REFUSED, "the worker does not wait for a reply to this call")
        return True

    def answer(self, reply: ReplyHead) -> None:
        """Record the reply that the worker is given: nobody needs the text of the request now."""
        self._answered = reply
        self._log.drop_data(self._event)

    def close(self) -> None:
        """Let the worker make another call: it has been sent the whole reply."""
        self._open = False
