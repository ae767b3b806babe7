"""The worker's end of the control socket (descriptor 3)."""

from __future__ import annotations

import contextlib
import os
import socket

from assay_runner.frames import FrameReader, Message, encode

_CONTROL_FD = 3
# A job comes from the supervisor: code or text of at most 256 KiB, however it is escaped.
_MAX_JOB_FRAME_BYTES = 2 * 1024 * 1024


class Control:
    """Speaks to the supervisor: `ready`, `started`, `result`; hears one job."""

    def __init__(self) -> None:
        os.set_inheritable(_CONTROL_FD, False)
        self._socket = socket.socket(fileno=_CONTROL_FD)
        self._pid = os.getpid()

    def ready(self, imports_ms: int, dataset_ms: int) -> None:
        """Say that the worker waits for a job."""
        self._send({"type": "ready", "importsMs": imports_ms, "datasetMs": dataset_ms})

    def wait_for_job(self) -> Message | None:
        """Return the job, or None if there will be none."""
        reader = FrameReader(_MAX_JOB_FRAME_BYTES)
        while data := self._socket.recv(64 * 1024):
            for message in reader.feed(data):
                return message
        return None

    def started(self) -> None:
        """Say that the next thing is the first user instruction."""
        self._send({"type": "started"})

    def result(self, error: Message | None, value: object = None) -> None:
        """Give the result; silently nothing where the code has closed the socket.

        A process that the code forked reaches its end too, but has no result to give.
        """
        if os.getpid() == self._pid:
            with contextlib.suppress(OSError):
                self._send({"type": "result", "error": error, "value": value})

    def _send(self, message: Message) -> None:
        self._socket.sendall(encode(message))
