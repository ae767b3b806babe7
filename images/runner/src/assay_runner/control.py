"""The worker's end of the control socket."""

from __future__ import annotations

import _thread
import base64
import contextlib
import fcntl
import functools
import os
import socket
from collections import deque
from collections.abc import Callable

from assay_runner.frames import MAX_JOB_FRAME_BYTES, FrameReader, Message, encode
from assay_runner.workers import PYTHON_CONTROL_FD

# Out of the way of code that counts its descriptors, or closes the first few hundred of them.
_MIN_FD = 960


class Control:
    """Sends `ready` to `ended` as the worker goes on; receives one job, and `stop`.

    Code may call tools in between: then it receives their results, too.

    Args:
        descriptor: of the socket as it was inherited.
    """

    def __init__(self, descriptor: int = PYTHON_CONTROL_FD) -> None:
        moved = move_away(descriptor)
        self._socket = socket.socket(fileno=moved)
        self._file = _identity(moved)
        self._pid = os.getpid()
        self._reader = FrameReader(MAX_JOB_FRAME_BYTES)
        self._received: deque[Message] = deque()
        # The thread that waits for `stop` sends, too.
        self._sending = _thread.allocate_lock()

    def is_open(self) -> bool:
        """Return whether code has left the socket open."""
        try:
            return _identity(self._socket.fileno()) == self._file
        except OSError:
            return False

    def ready(self, imports_ms: int, dataset_ms: int) -> None:
        """Report that the worker waits for a job."""
        self._send({"type": "ready", "importsMs": imports_ms, "datasetMs": dataset_ms})

    def receive(self) -> Message | None:
        """Return the next message, the job first; None at the end of the stream."""
        while not self._received:
            data = self._socket.recv(64 * 1024)
            if not data:
                return None
            self._received.extend(self._reader.feed(data))
        return self._received.popleft()

    def started(self) -> None:
        """Report that the first user instruction comes next."""
        self._send({"type": "started"})

    def tool_call(
        self, call: int, batch: Message | None, server: str, tool: str, args: str
    ) -> None:
        """Ask for the result of a call.

        Args:
            call: its number.
            batch: the batch that it is of; None if it is made alone.
            server: the name of the server.
            tool: the name of the tool.
            args: JSON text.
        """
        encoded = base64.b64encode(args.encode()).decode("ascii")
        names = {"server": server, "tool": tool, "args": encoded}
        self._send({"type": "tool_call", "call": call, "batch": batch, **names})

    def stopped(self) -> None:
        """Report that buffered output was flushed, as `stop` requested."""
        if self.is_open():
            with contextlib.suppress(OSError):
                self._send({"type": "stopped"})

    def result(
        self,
        error: Message | None,
        value: object = None,
        *,
        json_text: str | None = None,
        only_with_exit_code: int | None = None,
    ) -> None:
        """Send the result; does nothing if the code has closed the socket.

        Also does nothing in processes that the code has forked, which run to this point too.

        Args:
            error: why the job failed.
            value: the description of a snapshot.
            json_text: what code returns, as JSON.
            only_with_exit_code: the error counts only if the process ends with this code.
        """
        if os.getpid() == self._pid and self.is_open():
            message = {
                "type": "result",
                "error": error,
                "value": value,
                "valueJson": None
                if json_text is None
                else base64.b64encode(json_text.encode()).decode("ascii"),
                "onlyWithExitCode": only_with_exit_code,
            }
            with contextlib.suppress(OSError):
                self._send(message)

    def kept(self, note: str | None) -> None:
        """Report that frames were kept, after the result; `note` says which were not, and why."""
        if os.getpid() == self._pid and self.is_open():
            with contextlib.suppress(OSError):
                self._send({"type": "kept", "message": note})

    def report_of_end(self, code: int) -> Callable[[], object] | None:
        """Return what reports that only the end of the process is left.

        It can be called when Python has cleared all modules.

        Args:
            code: the exit code that the process will have.

        Returns:
            None if the code has closed the socket.
        """
        if not self.is_open():
            return None
        return functools.partial(self._socket.send, encode({"type": "ended", "code": code}))

    def _send(self, message: Message) -> None:
        with self._sending:
            self._socket.sendall(encode(message))


def move_away(descriptor: int) -> int:
    """Give an inherited descriptor a high number, and keep it from being inherited further."""
    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _MIN_FD)
    except OSError:
        # The limit on descriptors is lower.
        os.set_inheritable(descriptor, False)
        return descriptor
    os.close(descriptor)
    return moved


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
