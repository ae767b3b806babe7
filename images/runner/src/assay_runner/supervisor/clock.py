"""The time."""

from __future__ import annotations

import time
from typing import NamedTuple


class Now(NamedTuple):
    """A moment.

    Attributes:
        seconds: of a monotonic clock.
        epoch_ms: milliseconds since 1970.
    """

    seconds: float
    epoch_ms: int


def read_clock() -> Now:
    """Return the present moment."""
    return Now(time.monotonic(), time.time_ns() // 1_000_000)
