"""Reads what a process has used that has not been reaped."""

from __future__ import annotations

import os
from typing import NamedTuple

_UTIME = 13
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """What a process has used.

    Attributes:
        cpu_ms: in steps of the system's clock tick, 10 ms.
        peak_memory_bytes: the most memory that was resident at a time.
    """

    cpu_ms: int
    peak_memory_bytes: int


def usage(pid: int) -> Usage | None:
    """Return what a process has used.

    Returns:
        None if it has reaped others: what they had at most is known only once it is reaped itself.
        Also None if it is gone.
    """
    try:
        user, system, *children = _times(pid)
        peak = _peak(pid)
    except (OSError, ValueError, IndexError):
        return None
    if any(children):
        return None
    return Usage((user + system) * 1000 // _TICKS_PER_SECOND, peak)


def _times(pid: int) -> list[int]:
    with open(f"/proc/{pid}/stat", "rb") as file:
        # The name in parentheses may itself contain parentheses and spaces.
        fields = file.read().rpartition(b")")[2].split()
    first = _UTIME - 2
    return [int(field) for field in fields[first : first + 4]]


def _peak(pid: int) -> int:
    with open(f"/proc/{pid}/status", "rb") as file:
        for line in file:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    raise ValueError("the process has ended")
