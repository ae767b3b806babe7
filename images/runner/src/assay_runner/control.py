"""The worker's end of the control socket (descriptor 3)."""

from __future__ import annotations

import contextlib
import os
import socket
from collections import deque

from assay_runner.frames import FrameReader, Message, encode

_CONTROL_FD = 3
# A job comes from the supervisor: code or text of at most 256 KiB, however it is escaped.
_MAX_JOB_FRAME_BYTES = 2 * 1024 * 1024


class Control:
    """Speaks to the supervisor: `ready`, `started`, `result`; hears one job, and `stop`."""

    def __init__(self) -> None:
        os.set_inheritable(_CONTROL_FD, False)
        self._socket = socket.socket(fileno=_CONTROL_FD)
        self._pid = os.getpid()
        self._reader = FrameReader(_MAX_JOB_FRAME_BYTES)
        self._received: deque[Message] = deque()

    def ready(self, imports_ms: int, dataset_ms: int) -> None:
        """Say that the worker waits for a job."""
        self._send({"type": "ready", "importsMs": imports_ms, "datasetMs": dataset_ms})

    def receive(self) -> Message | None:
        """Return the next message, first the job; None if there will be no more."""
        while not self._received:
            data = self._socket.recv(64 * 1024)
            if not data:
                return None
            self._received.extend(self._reader.feed(data))
        return self._received.popleft()

    def started(self) -> None:
        """Say that the next thing is the first user instruction."""
        self._send({"type": "started"})

    def stopped(self) -> None:
        """Say that what was gathered is written, as `stop` asks for."""
        with contextlib.suppress(OSError):
            self._send({"type": "stopped"})

    def result(
        self,
        error: Message | None,
        value: object = None,
        *,
        only_with_exit_code: int | None = None,
    ) -> None:
        """Give the result; silently nothing where the code has closed the socket.

        A process that the code forked reaches its end too, but has no result to give.

        Args:
            error: why the job failed.
            value: what it returns.
            only_with_exit_code: the error counts only if the process ends with this code.
        """
        if os.getpid() == self._pid:
            message = {
                "type": "result",
                "error": error,
                "value": value,
                "onlyWithExitCode": only_with_exit_code,
            }
            with contextlib.suppress(OSError):
                self._send(message)

    def _send(self, message: Message) -> None:
        self._socket.sendall(encode(message))
