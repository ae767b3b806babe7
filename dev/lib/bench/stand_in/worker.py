"""Launcher and worker of a stand-in Pod: the messages without the processes."""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import time
from collections.abc import Callable, Iterable

from assay_runner.frames import MAX_JOB_FRAME_BYTES, FrameReader, Message
from assay_runner.supervisor.launcher_link import LauncherLink, LinkListener
from bench.stand_in.code import Call, call_of, printed, seconds_of

_USAGE = {"oomKilled": False, "cpuMs": 1, "peakMemoryBytes": 1024 * 1024}


class StandInWorker(LauncherLink):
    """Says to the supervisor what launcher and worker would.

    It prints what `timed_code` does, or what `call_code` does. Its libraries are imported at once.

    Args:
        path: not used.
        listener: receives messages and output.
    """

    def __init__(self, path: str, listener: LinkListener) -> None:
        super().__init__(path, listener)
        self._supervisor = listener
        self._calls = asyncio.get_running_loop()
        self._frames = FrameReader(MAX_JOB_FRAME_BYTES)
        self._code: asyncio.TimerHandle | None = None
        self._began = 0
        self._outcome = bytearray()
        self._collects = False
        self._closed = False

    def listen(self) -> None:
        """Have the launcher connect."""
        self._later(self._connect)

    def send_to_worker(
        self, frames: Iterable[bytes], sent: Callable[[], None] | None = None
    ) -> None:
        """Receive frames as the worker."""
        for frame in frames:
            for message in self._frames.feed(frame):
                self._later(self._worker_receives, message)
        if sent is not None:
            self._later(sent)

    def tell_launcher(self, message: Message) -> None:
        """Receive a message as the launcher."""
        self._later(self._launcher_receives, message)

    def drain(self) -> None:
        """Nothing is on its way."""

    def close(self) -> None:
        """End both."""
        self._closed = True
        self._stop_code()

    def _later(self, action: Callable[..., None], *arguments: object) -> None:
        """Do something as another process would: not before the supervisor is done."""

        def act() -> None:
            if not self._closed:
                action(*arguments)

        self._calls.call_soon(act)

    def _connect(self) -> None:
        self._supervisor.launcher_connected("python")
        self._supervisor.worker_message({"type": "ready", "importsMs": 0, "datasetMs": 0})

    def _worker_receives(self, message: Message) -> None:
        if message["type"] == "job":
            self._began = time.time_ns()
            self._supervisor.worker_message({"type": "started"})
            call = call_of(message["code"])
            if call is None:
                self._code = self._calls.call_later(seconds_of(message["code"]), self._end)
            else:
                self._call_tool(call)
        elif message["type"] == "tool_result":
            self._outcome += base64.b64decode(message["data"])
            if not message["more"]:
                outcome = json.loads(self._outcome)
                self._print_and_end(printed(outcome))
        elif message["type"] == "stop":
            self._stop_code()
            self._supervisor.worker_message({"type": "stopped"})

    def _launcher_receives(self, message: Message) -> None:
        if message["type"] == "ended":
            self._exit({"code": message["code"], "signal": None})
        elif message["type"] == "stop":
            self._stop_code()
            self._exit({"code": None, "signal": int(signal.SIGTERM)})
        elif message["type"] == "collect":
            self._collects = True

    def _call_tool(self, call: Call) -> None:
        message = {
            "type": "tool_call",
            "call": 1,
            "batch": None,
            "server": call.server,
            "tool": call.tool,
            "args": base64.b64encode(call.args.encode()).decode(),
        }
        self._supervisor.worker_message(message)

    def _end(self) -> None:
        self._print_and_end(json.dumps([self._began, True, time.time_ns()]))

    def _print_and_end(self, output: str) -> None:
        self._supervisor.output_received(f"{output}\n".encode())
        self._supervisor.worker_message({"type": "result"})
        self._supervisor.worker_message({"type": "ended", "code": 0})

    def _exit(self, how: Message) -> None:
        self._supervisor.launcher_message({"type": "exited", **how, **_USAGE})
        if self._collects:
            # The code leaves no files.
            self._supervisor.launcher_message({"type": "collected", "message": None})

    def _stop_code(self) -> None:
        if self._code is not None:
            self._code.cancel()
            self._code = None
