"""Reads what the kernel tells of the memory of this container."""

from __future__ import annotations

_ROOT = "/sys/fs/cgroup"
_LIMITS = (
    ("memory.max", "memory.current"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
)
_ENOUGH_BYTES = 32 * 1024 * 1024
_COUNTERS = ("memory.events", "memory/memory.oom_control")


def oom_kills(root: str = _ROOT) -> int | None:
    """Return the container's `oom_kill` counter (cgroup v2, else v1), or None if it is missing."""
    for name in _COUNTERS:
        try:
            with open(f"{root}/{name}", encoding="ascii") as file:
                lines = file.read().splitlines()
        except OSError:
            continue
        for line in lines:
            key, _, value = line.partition(" ")
            if key == "oom_kill" and value.isdecimal():
                return int(value)
    return None


def is_memory_short(root: str = _ROOT) -> bool:
    """Return whether the container has less than 32 MiB left; False if that is unknown.

    Cached files count, though the kernel can take their memory back.
    """
    for limit, used in _LIMITS:
        try:
            with open(f"{root}/{limit}", "rb") as most, open(f"{root}/{used}", "rb") as now:
                return int(most.read()) - int(now.read()) < _ENOUGH_BYTES
        except (OSError, ValueError):
            # Without a limit, the file says `max`.
            continue
    return False
