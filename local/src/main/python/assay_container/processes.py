"""All processes of a container, whatever became of their parents."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator


def descendants(ancestor: int) -> Iterator[int]:
    """Yield the process ids of all children, their children and so on."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdecimal() and (parent := _parent(entry)) is not None:
            children.setdefault(parent, []).append(int(entry))
    pending = [ancestor]
    while pending:
        found = children.get(pending.pop(), [])
        yield from found
        pending += found


def kill_descendants() -> None:
    """End all descendants of this process, which must be the one that adopts orphans."""
    while _signal_descendants() and _reap_one():
        pass


def _signal_descendants() -> bool:
    found = False
    for pid in descendants(os.getpid()):
        found = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return found


def _reap_one() -> bool:
    try:
        os.wait()
    except ChildProcessError:
        return False
    return True


def _parent(pid: str) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name in brackets may itself hold brackets and spaces.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[1]) if len(fields) > 1 else None
