"""Reads what a process has used that has not been reaped."""

from __future__ import annotations

import time
from typing import NamedTuple

from assay_runner.process_stat import CHILDREN_TIMES, fields

# The kind of CPU clock that counts user and system time; part of the kernel's ABI.
_CPUCLOCK_SCHED = 2


class Usage(NamedTuple):
    """What a process has used.

    Attributes:
        cpu_ms: user and system time of all its threads.
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
        if any(_times_of_children(pid)):
            return None
        return Usage(round(_cpu_seconds(pid) * 1000), _peak(pid))
    except (OSError, ValueError, IndexError):
        return None


def _cpu_seconds(pid: int) -> float:
    # Python has no clock_getcpuclockid(3). The times in /proc/PID/stat are in steps of 10 ms, and
    # short code takes less.
    return time.clock_gettime(~pid << 3 | _CPUCLOCK_SCHED)


def _times_of_children(pid: int) -> list[int]:
    return [int(field) for field in fields(f"/proc/{pid}")[CHILDREN_TIMES]]


def _peak(pid: int) -> int:
    with open(f"/proc/{pid}/status", "rb") as file:
        for line in file:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    raise ValueError("the process has ended")
