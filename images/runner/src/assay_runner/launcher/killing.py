"""Kills all processes that the worker has left behind."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator

# Called with (pid, wait status, resource usage) of each reaped process.
Reaped = Callable[[int, int, object], None]


def kill_everything(reaped: Reaped) -> None:
    """SIGKILL all other processes of the PID namespace and reap them.

    If the launcher is not PID 1, it kills its descendants instead: as the child subreaper it adopts
    all orphans among them.
    """
    if os.getpid() == 1:
        while _signal_all_others() and _reap_one(reaped, 0):
            pass
    else:
        while _signal_descendants() and _reap_one(reaped, 0):
            pass


def suspend(pid: int) -> None:
    """Stop a process that only has to end, until it is killed.

    To give its memory back takes longer than all that comes before, and would take the processor
    from those that give the answer.
    """
    os.kill(pid, signal.SIGSTOP)


def reap_exited(reaped: Reaped) -> None:
    """Reap the processes that have exited, without blocking."""
    while _reap_one(reaped, os.WNOHANG):
        pass


def _reap_one(reaped: Reaped, options: int) -> bool:
    try:
        pid, status, usage = os.wait4(-1, options)
    except ChildProcessError:
        return False
    if pid:
        reaped(pid, status, usage)
    return pid != 0


def _signal_all_others() -> bool:
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _signal_descendants() -> bool:
    found = False
    for pid in _descendants(os.getpid()):
        found = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return found


def _descendants(root: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdecimal() and (parent := _parent(entry)) is not None:
            children.setdefault(parent, []).append(int(entry))
    pending = [root]
    while pending:
        found = children.get(pending.pop(), [])
        yield from found
        pending += found


def _parent(pid: str) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name in parentheses may itself contain parentheses and spaces.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[1]) if len(fields) > 1 else None
