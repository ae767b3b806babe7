"""The numbered events of a run, kept until they are acknowledged."""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

# At least the memory that an event takes besides its data.
EVENT_OVERHEAD_BYTES = 512


class Event(NamedTuple):
    """One event; data is kept as raw bytes and encoded when it is sent.

    Attributes:
        data_name: the member that has the data.
        members_bytes: how long the texts among the members are, if that is much.
    """

    seq: int
    type: str
    at_ms: int
    members: Mapping[str, object]
    data: bytes | None = None
    data_name: str = "data"
    members_bytes: int = 0

    def line(self) -> bytes:
        """Return the event as one line of NDJSON."""
        value: dict[str, object] = {"seq": self.seq, "type": self.type, "atMs": self.at_ms}
        value.update(self.members)
        if self.data is not None:
            value[self.data_name] = base64.b64encode(self.data).decode("ascii")
        return json_line(value)

    @property
    def weight(self) -> int:
        """How many bytes of the budget the event takes."""
        return EVENT_OVERHEAD_BYTES + self.members_bytes + len(self.data or b"")


def json_line(value: Mapping[str, object]) -> bytes:
    """Return a JSON object in UTF-8, followed by a line feed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"


class EventLog:
    """Events in order, from the first one that has not been acknowledged.

    Args:
        budget_bytes: how many bytes of events may be held, besides `started` and `result`, of which
            there is one each.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._room = budget_bytes
        self._events: deque[Event] = deque()
        self._last_seq = 0
        self.ended = False

    @property
    def last_seq(self) -> int:
        """Sequence number of the latest event, 0 before the first."""
        return self._last_seq

    @property
    def room(self) -> int:
        """How many bytes of data another event may have."""
        return max(self._room - EVENT_OVERHEAD_BYTES, 0)

    def append(
        self,
        event_type: str,
        at_ms: int,
        members: Mapping[str, object],
        data: bytes | None = None,
        *,
        data_name: str = "data",
        members_bytes: int = 0,
    ) -> None:
        """Append an event; a `result` ends the log."""
        self._last_seq += 1
        event = Event(self._last_seq, event_type, at_ms, members, data, data_name, members_bytes)
        self._events.append(event)
        self._room -= event.weight
        if event_type == "result":
            self.ended = True

    def drop_data(self, seq: int) -> None:
        """Drop the data of an event and keep the event, so that none is missing when it is read."""
        if self._events and seq >= self._events[0].seq:
            index = seq - self._events[0].seq
            event = self._events[index]
            members = {**event.members, event.data_name: None}
            self._events[index] = event._replace(members=members, data=None)
            self._room += event.weight - self._events[index].weight

    def close(self) -> None:
        """End the log without a `result`."""
        self.ended = True

    def after(self, seq: int, maximum: int) -> list[Event]:
        """Return up to `maximum` kept events with a sequence number higher than `seq`."""
        if not self._events:
            return []
        skip = max(seq + 1 - self._events[0].seq, 0)
        end = min(skip + maximum, len(self._events))
        return [self._events[index] for index in range(skip, end)]

    def forget(self, seq: int) -> None:
        """Drop the events up to this sequence number."""
        while self._events and self._events[0].seq <= seq:
            self._room += self._events.popleft().weight
