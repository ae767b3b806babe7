"""Collects the worker's output: counts and hashes all of it, and keeps it up to a limit."""

from __future__ import annotations

import asyncio
import base64
import hashlib

from assay_runner.supervisor.events import EventLog
from assay_runner.supervisor.mirror import Mirror

MAX_EVENT_BYTES = 32 * 1024
TAIL_BYTES = 8 * 1024
BATCH_SECONDS = 0.025


class Output:
    """Turns output into events: the first bytes at once, later ones in batches every 25 ms.

    Args:
        log: receives the events.
        limit: bytes to keep; beyond it, only the length, the digest and the last 8 KiB are kept.
        mirror: receives a copy of the output that is kept, if set.
    """

    def __init__(self, log: EventLog, limit: int, mirror: Mirror | None) -> None:
        self._log = log
        self.limit = limit
        self._mirror = mirror
        self._digest = hashlib.sha256()
        self._total = 0
        self._stored = 0
        self._sent = 0
        self._pending = bytearray()
        self._tail = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._next_emit_at = 0.0

    def add(self, data: bytes) -> None:
        """Add output, in the order in which it was written."""
        self._digest.update(data)
        self._total += len(data)
        room = max(self.limit - self._stored, 0)
        if self._tail:
            room = 0
        kept, rest = data[:room], data[room:]
        self._stored += len(kept)
        self._pending += kept
        if rest:
            self._tail += rest
            del self._tail[:-TAIL_BYTES]
        if kept and self._mirror is not None:
            self._mirror.add(kept)
        if self._pending:
            self._emit_or_delay()

    def flush(self) -> None:
        """Emit all pending output."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._pending:
            self._emit(MAX_EVENT_BYTES)

    def end(self) -> None:
        """Mark the end of the output."""
        self.flush()
        if self._mirror is not None:
            self._mirror.end(printed=self._total, mirrored=self._stored)

    def summary(self) -> dict[str, object]:
        """Return the `output` member of the result."""
        truncated = self._total > self._stored
        tail = base64.b64encode(self._tail).decode("ascii") if truncated else None
        return {
            "bytes": self._total,
            "storedBytes": self._stored,
            "truncated": truncated,
            "sha256": self._digest.hexdigest(),
            "tail": tail,
        }

    def _emit_or_delay(self) -> None:
        while len(self._pending) >= MAX_EVENT_BYTES:
            self._emit(MAX_EVENT_BYTES)
        if not self._pending or self._timer is not None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() >= self._next_emit_at:
            self.flush()
        else:
            self._timer = loop.call_at(self._next_emit_at, self.flush)

    def _emit(self, maximum: int) -> None:
        data = bytes(self._pending[:maximum])
        del self._pending[:maximum]
        self._log.append("output", {"offset": self._sent}, data)
        self._sent += len(data)
        self._next_emit_at = asyncio.get_running_loop().time() + BATCH_SECONDS
