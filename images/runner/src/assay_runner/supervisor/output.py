"""Collects the worker's output: counts and hashes all of it, and keeps it up to a limit."""

from __future__ import annotations

import base64
import hashlib

from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.events import EventLog

MAX_DATA_BYTES = 32 * 1024
TAIL_BYTES = 8 * 1024
BATCH_SECONDS = 0.025
# Bounds the number of events: 31,000 in a day, of which there were 3.5 million at 25 ms.
_EVENTS_BEFORE_LONGER_BATCHES = 4000


class Output:
    """Turns output into events: the first bytes at once, later ones in batches.

    A batch is of 25 ms, and after 100 s of output of a 4,000th of the time since it began.

    Args:
        log: receives the events. Output is kept while it has room.
        limit: bytes to keep; beyond it, only the length, the digest and the last 8 KiB are kept.
    """

    def __init__(self, log: EventLog, limit: int) -> None:
        self._log = log
        self.limit = limit
        self._digest = hashlib.sha256()
        self._total = 0
        self._stored = 0
        self._sent = 0
        self._pending = bytearray()
        self._tail = bytearray()
        self._began_at: float | None = None
        self._next_emit_at = 0.0

    @property
    def total(self) -> int:
        """All bytes of output."""
        return self._total

    @property
    def stored(self) -> int:
        """The bytes of output that were kept."""
        return self._stored

    @property
    def due_at(self) -> float | None:
        """When to call `emit_due`; None if nothing is pending."""
        return self._next_emit_at if self._pending else None

    def add(self, data: bytes, now: Now) -> bytes:
        """Add output, in the order in which it was written; returns what is kept of it."""
        if self._began_at is None:
            self._began_at = now.seconds
        room = self._room()
        kept, rest = data[:room], data[room:]
        self._digest.update(data)
        self._total += len(data)
        self._stored += len(kept)
        self._pending += kept
        if rest:
            self._tail += rest
            del self._tail[:-TAIL_BYTES]
        while len(self._pending) >= MAX_DATA_BYTES:
            self._emit(now)
        self.emit_due(now)
        return kept

    def emit_due(self, now: Now) -> None:
        """Emit what is pending, if its time has come."""
        if self._pending and now.seconds >= self._next_emit_at:
            self.flush(now)

    def flush(self, now: Now) -> None:
        """Emit all pending output."""
        while self._pending:
            self._emit(now)

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

    def _room(self) -> int:
        if self._tail:
            return 0
        return max(min(self.limit - self._stored, self._log.room - len(self._pending)), 0)

    def _emit(self, now: Now) -> None:
        data = bytes(self._pending[:MAX_DATA_BYTES])
        del self._pending[:MAX_DATA_BYTES]
        self._log.append("output", now.epoch_ms, {"offset": self._sent}, data)
        self._sent += len(data)
        began_at = now.seconds if self._began_at is None else self._began_at
        batch = (now.seconds - began_at) / _EVENTS_BEFORE_LONGER_BATCHES
        self._next_emit_at = now.seconds + max(BATCH_SECONDS, batch)
