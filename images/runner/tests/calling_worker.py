"""A worker for tests, which calls tools as it is told to, also wrongly.

Its input is a list of steps. `["call", NUMBER, MEMBERS]` sends a call, with an `args` of as many
letters as MEMBERS says if it is a number, and `["send", MESSAGE]` any message. `["result"]` waits
for a result, `["wait"]` for its first byte, left unread. It returns the call, length and SHA-256 of
each result.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import socket
from typing import Any

from assay_runner.frames import MAX_JOB_FRAME_BYTES, FrameReader, encode


class Peer:
    """The supervisor, as a worker in another language would talk to it."""

    def __init__(self) -> None:
        self._socket = socket.socket(fileno=0)
        self._reader = FrameReader(MAX_JOB_FRAME_BYTES)
        self._received: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self._socket.sendall(encode(message))

    def receive(self) -> dict[str, Any]:
        """Return the next message."""
        while not self._received:
            data = self._socket.recv(65536)
            if not data:
                raise EOFError
            self._received += self._reader.feed(data)
        return self._received.pop(0)

    def wait(self) -> None:
        """Wait for the next message, and leave it unread."""
        self._socket.recv(1, socket.MSG_PEEK)

    def result(self) -> dict[str, object]:
        """Return what the next result is."""
        data = b""
        while True:
            piece = self.receive()
            data += base64.b64decode(piece["data"])
            if not piece["more"]:
                digest = hashlib.sha256(data).hexdigest()
                return {"call": piece["call"], "bytes": len(data), "sha256": digest}


def encoded(text: str) -> str:
    """Return text as messages have it."""
    return base64.b64encode(text.encode()).decode()


def call_message(number: int, args: str | int, **members: object) -> dict[str, Any]:
    """Return the message of a call."""
    text = args if isinstance(args, str) else "x" * args
    named = {"batch": None, "server": "store", "tool": "list", "args": encoded(text)}
    return {"type": "tool_call", "call": number, **named, **members}


def run_worker() -> None:
    """Do the steps of one job."""
    peer = Peer()
    peer.send({"type": "ready", "importsMs": 0, "datasetMs": 0})
    steps = json.loads(peer.receive()["input"])
    peer.send({"type": "started"})
    results = []
    for name, *arguments in steps:
        if name == "call":
            number, args, *members = arguments
            peer.send(call_message(number, args, **(members[0] if members else {})))
        elif name == "send":
            peer.send(arguments[0])
        elif name == "wait":
            peer.wait()
        else:
            results.append(peer.result())
    peer.send({"type": "result", "error": None, "valueJson": encoded(json.dumps(results))})


if __name__ == "__main__":
    with contextlib.suppress(EOFError, OSError):
        run_worker()
