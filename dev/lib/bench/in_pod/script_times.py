"""Runs scripts in workers of their own, as the launcher starts them.

A worker runs one script, so each is a new process. PARAMETERS has the jobs by name, how often each
is run, and whether workers warm up before they are ready, as those of warm Pods do.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import tempfile
import time
from typing import Any

from assay_runner.frames import MAX_JOB_FRAME_BYTES, FrameReader, Message, encode
from assay_runner.workers import WORKERS

PARAMETERS: dict[str, Any] = json.loads("{}")

_READ_BYTES = 64 * 1024


class Worker:
    """A process that runs one script."""

    def __init__(self) -> None:
        worker = WORKERS["javascript"]
        warm_up = {"ASSAY_WARM_UP": "true"} if PARAMETERS["warm"] else {}
        self._socket, theirs = socket.socketpair()
        self._reader = FrameReader(MAX_JOB_FRAME_BYTES)
        self._pid = os.posix_spawn(
            worker.command[0],
            worker.command,
            {**os.environ, **worker.environment, **warm_up},
            file_actions=[(os.POSIX_SPAWN_DUP2, theirs.fileno(), worker.control_fd)],
        )
        theirs.close()
        self._received: list[Message] = []
        self.until("ready")

    def until(self, kind: str) -> Message:
        """The next message of a kind."""
        while True:
            while self._received:
                message = self._received.pop(0)
                if message["type"] == kind:
                    return message
            data = self._socket.recv(_READ_BYTES)
            if not data:
                raise RuntimeError(f"the worker has ended before it was {kind}")
            self._received += self._reader.feed(data)

    def run(self, job: Message) -> tuple[float, str]:
        """Milliseconds until there is a result, and the value as JSON."""
        began = time.perf_counter()
        self._socket.sendall(encode({"type": "job", "kind": "javascript", **job}))
        result = self.until("result")
        milliseconds = (time.perf_counter() - began) * 1000
        if result.get("error"):
            raise RuntimeError(str(result["error"]))
        # If the socket closes before, the worker prints an error into this program's output.
        self.until("ended")
        self._socket.close()
        os.waitpid(self._pid, 0)
        return milliseconds, base64.b64decode(result["valueJson"]).decode()


os.chdir(tempfile.mkdtemp())
found: dict[str, Any] = {name: {"ms": [], "values": []} for name in PARAMETERS["jobs"]}
# The first round fills the page cache.
for number in range(PARAMETERS["rounds"] + 1):
    for name, job in PARAMETERS["jobs"].items():
        milliseconds, value = Worker().run(job)
        found[name]["values"] = sorted({*found[name]["values"], value})
        if number > 0:
            found[name]["ms"].append(round(milliseconds, 3))
print(json.dumps(found), flush=True)
