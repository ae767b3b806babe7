"""Copies the output of user code to the container's log."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

# Without a mark, user code could print a line that looks like one of the supervisor.
MARK = b"| "
# Container runtimes split lines at 16 KiB, and not all log collectors join them again.
MAX_LINE_BYTES = 8 * 1024
_LONG_LINE = re.compile(rb"[^\n]{%d}(?=[^\n])" % MAX_LINE_BYTES)
_QUEUE_BYTES = 1024 * 1024


class _Piece(NamedTuple):
    """Data to write: output of user code, or a complete line of the supervisor."""

    data: bytes
    own_line: bool = False


class Mirror:
    """Writes to a descriptor from a separate thread; only `close` waits for its reader.

    Each line of output begins with `| `; the supervisor's own lines are JSON objects. Output is
    dropped while the queue is full, and a line `mirrorDropped` is written in its place.

    Args:
        descriptor: where to write; after an error, nothing more is written.
        queue_bytes: capacity of the queue in bytes of output.
    """

    def __init__(self, descriptor: int, queue_bytes: int = _QUEUE_BYTES) -> None:
        self._descriptor = descriptor
        self._room = queue_bytes
        self._dropped = 0
        self._ended = False
        self._queue: deque[_Piece] = deque()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._write_queue, name="mirror", daemon=True)
        self._thread.start()

    def add(self, data: bytes) -> None:
        """Queue output, in order."""
        with self._changed:
            if self._ended:
                return
            if len(data) > self._room:
                self._dropped += len(data)
                return
            self._report_dropped()
            self._room -= len(data)
            self._put(_Piece(data))

    def end(self, *, printed: int, mirrored: int) -> None:
        """End the copy, with a line if the job's limit has cut it; repeated calls have no effect.

        Args:
            printed: total bytes of output.
            mirrored: bytes of output that were passed to `add`.
        """
        with self._changed:
            if self._ended:
                return
            self._ended = True
            self._report_dropped()
            if printed > mirrored:
                counts = {"mirroredBytes": mirrored, "outputBytes": printed}
                self._put(_own_line("mirrorCut", counts))
            # Terminates output that does not end with a line feed.
            self._put(_Piece(b"", own_line=True))

    def close(self, timeout_seconds: float) -> None:
        """Wait until everything is written, or for the timeout. Call `end` before."""
        self._thread.join(timeout_seconds)

    def _report_dropped(self) -> None:
        if self._dropped:
            self._put(_own_line("mirrorDropped", {"bytes": self._dropped}))
            self._dropped = 0

    def _put(self, piece: _Piece) -> None:
        self._queue.append(piece)
        self._changed.notify()

    def _take(self) -> _Piece | None:
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._ended)
            return self._queue.popleft() if self._queue else None

    def _write_queue(self) -> None:
        lines = MarkedLines()
        with contextlib.suppress(OSError):
            while (piece := self._take()) is not None:
                if piece.own_line:
                    self._write(lines.end() + piece.data)
                else:
                    self._write(lines.add(piece.data))
                    with self._changed:
                        self._room += len(piece.data)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]


class MarkedLines:
    """Puts the mark before each line of output, and before each part of a long line."""

    def __init__(self) -> None:
        self._column = 0

    def add(self, data: bytes) -> bytes:
        """Return non-empty output with marks."""
        start = b"" if self._column else MARK
        # The padding stands for the part of the first line that was added before.
        padding = b" " * self._column
        data = _LONG_LINE.sub(rb"\g<0>\n", padding + data)[len(padding) :]
        last = data.rpartition(b"\n")[2]
        self._column = len(last) if len(last) < len(data) else self._column + len(last)
        lines = data.replace(b"\n", b"\n" + MARK)
        return start + (lines if last else lines.removesuffix(MARK))

    def end(self) -> bytes:
        """Return the line feed that terminates an incomplete line, if there is one."""
        ends, self._column = b"\n" if self._column else b"", 0
        return ends


def _own_line(event: str, members: Mapping[str, object]) -> _Piece:
    text = json.dumps({"event": event, **members}, separators=(",", ":"))
    return _Piece(text.encode() + b"\n", own_line=True)
