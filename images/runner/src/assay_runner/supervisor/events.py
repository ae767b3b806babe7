"""The numbered events of a run, kept until they are acknowledged."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One event; output is kept as raw bytes and encoded when it is sent."""

    seq: int
    type: str
    at_ms: int
    members: Mapping[str, object]
    data: bytes | None = None

    def line(self) -> bytes:
        """Return the event as one line of NDJSON."""
        value: dict[str, object] = {"seq": self.seq, "type": self.type, "atMs": self.at_ms}
        value.update(self.members)
        if self.data is not None:
            value["data"] = base64.b64encode(self.data).decode("ascii")
        return json_line(value)


def json_line(value: Mapping[str, object]) -> bytes:
    """Return a JSON object in UTF-8, followed by a line feed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"


class EventLog:
    """Events in order, from the first one that has not been acknowledged.

    Args:
        now_ms: the clock, in epoch milliseconds.
    """

    def __init__(self, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._now_ms = now_ms
        self._events: deque[Event] = deque()
        self._last_seq = 0
        self._changed = asyncio.Event()
        self.ended = False

    @property
    def last_seq(self) -> int:
        """Sequence number of the latest event, 0 before the first."""
        return self._last_seq

    def append(
        self, event_type: str, members: Mapping[str, object], data: bytes | None = None
    ) -> None:
        """Append an event; a `result` ends the log."""
        self._last_seq += 1
        self._events.append(Event(self._last_seq, event_type, self._now_ms(), members, data))
        if event_type == "result":
            self.ended = True
        self._notify()

    def close(self) -> None:
        """End the log without a `result`."""
        self.ended = True
        self._notify()

    def after(self, seq: int, maximum: int) -> list[Event]:
        """Return up to `maximum` kept events with a sequence number higher than `seq`."""
        if not self._events:
            return []
        skip = max(seq + 1 - self._events[0].seq, 0)
        end = min(skip + maximum, len(self._events))
        return [self._events[index] for index in range(skip, end)]

    async def wait_for_more(self, seq: int) -> None:
        """Wait until there is an event with a higher sequence number, or the log has ended."""
        while self._last_seq <= seq and not self.ended:
            await self._changed.wait()

    def forget(self, seq: int) -> None:
        """Drop the events up to this sequence number."""
        while self._events and self._events[0].seq <= seq:
            self._events.popleft()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
