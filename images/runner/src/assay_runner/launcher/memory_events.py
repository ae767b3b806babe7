"""Reads how many processes the kernel has OOM-killed in this container."""

from __future__ import annotations

_COUNTERS = ("memory.events", "memory/memory.oom_control")


def oom_kills(root: str = "/sys/fs/cgroup") -> int | None:
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
