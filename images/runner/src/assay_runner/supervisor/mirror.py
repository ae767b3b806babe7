"""A copy of what user code prints, for whoever reads the container's own log."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

# User code could otherwise print what looks like a line of the supervisor.
MARK = b"| "
# The container runtime cuts lines at 16 KiB, and not everybody who reads its logs joins them again.
MAX_LINE_BYTES = 8 * 1024
_LONG_LINE = re.compile(rb"[^\n]{%d}(?=[^\n])" % MAX_LINE_BYTES)
_QUEUE_BYTES = 1024 * 1024


class _Piece(NamedTuple):
    """Something to write: printed bytes, or a whole line of the supervisor's own."""

    data: bytes
    own_line: bool = False


class Mirror:
    """Writes to a descriptor from a thread of its own; only `close` ever waits for its reader.

    Each printed line begins with `| `; the supervisor's own lines are JSON objects. What the
    descriptor does not take in time is dropped, and a line `mirrorDropped` stands in its place.

    Args:
        descriptor: where to write; when it breaks, nothing more is written.
        queue_bytes: most printed bytes that wait to be written.
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
        """Take printed bytes, in order."""
        with self._changed:
            if self._ended:
                return
            if len(data) > self._room:
                self._dropped += len(data)
                return
            self._tell_of_dropped()
            self._room -= len(data)
            self._put(_Piece(data))

    def end(self, *, printed: int, mirrored: int) -> None:
        """Say whether the copy was cut at the job's limit; only the first call counts.

        Args:
            printed: bytes that were printed in all.
            mirrored: how many of them were given to `add`.
        """
        with self._changed:
            if self._ended:
                return
            self._ended = True
            self._tell_of_dropped()
            if printed > mirrored:
                counts = {"mirroredBytes": mirrored, "outputBytes": printed}
                self._put(_own_line("mirrorCut", counts))
            # Ends a line that was printed without a line feed.
            self._put(_Piece(b"", own_line=True))

    def close(self, patience_seconds: float) -> None:
        """After `end`: wait until everything is written, but no longer than this."""
        self._thread.join(patience_seconds)

    def _tell_of_dropped(self) -> None:
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
    """Puts the mark before each line of printed bytes, and before each part of a long one."""

    def __init__(self) -> None:
        self._column = 0

    def add(self, data: bytes) -> bytes:
        """Return printed bytes, which are not empty, as they are to be written."""
        start = b"" if self._column else MARK
        # The padding stands for what the first line has already.
        padding = b" " * self._column
        data = _LONG_LINE.sub(rb"\g<0>\n", padding + data)[len(padding) :]
        last = data.rpartition(b"\n")[2]
        self._column = len(last) if len(last) < len(data) else self._column + len(last)
        lines = data.replace(b"\n", b"\n" + MARK)
        return start + (lines if last else lines.removesuffix(MARK))

    def end(self) -> bytes:
        """Return what ends the line that has begun, if any."""
        ends, self._column = b"\n" if self._column else b"", 0
        return ends


def _own_line(event: str, members: Mapping[str, object]) -> _Piece:
    text = json.dumps({"event": event, **members}, separators=(",", ":"))
    return _Piece(text.encode() + b"\n", own_line=True)
