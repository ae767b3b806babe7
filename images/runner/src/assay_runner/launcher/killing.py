"""Kills all processes that the worker has left behind, and stops the worker until then."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator

from assay_runner.process_stat import PARENT, STATE, fields

# Called with (pid, wait status, resource usage) of each reaped process.
Reaped = Callable[[int, int, object], None]
# Processes end, and threads stop, within microseconds once they have a processor.
_PAUSES_SECONDS = (0.0, 0.0, 0.0005, 0.001, 0.002, 0.004)
# Empty listings in a row: one may miss a process whose parent starts it meanwhile.
_LISTINGS = 2


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


def kill_all_but(suspended: int, reaped: Reaped) -> bool:
    """SIGKILL all other processes of the PID namespace than a suspended one, and reap them.

    Returns:
        True if the suspended process is the only one left and all of its threads are stopped. A
        zombie counts as left, since other threads of its process may still run. False if that was
        not reached within 8 ms, or if the launcher is not PID 1, where nothing is killed: it cannot
        list what is its own.
    """
    if os.getpid() != 1:
        return False
    alone = 0
    for pause in _PAUSES_SECONDS:
        time.sleep(pause)
        reap_exited(reaped)
        others = [pid for pid in _processes() if pid not in (1, suspended)]
        for pid in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        alone = 0 if others else alone + 1
        if alone >= _LISTINGS and _is_stopped(suspended):
            return True
    return False


def suspend(pid: int) -> None:
    """Stop a process that only has to end, until it is killed.

    To give its memory back takes longer than all that comes before, and would take the processor
    from those that give the answer.
    """
    os.kill(pid, signal.SIGSTOP)


def _is_stopped(pid: int) -> bool:
    """Whether no thread of a process runs: a suspended one starts none."""
    tasks = f"/proc/{pid}/task"
    try:
        return all(fields(f"{tasks}/{task}")[STATE] == b"T" for task in os.listdir(tasks))
    except (OSError, IndexError):
        return False


def _processes() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdecimal()]


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
        return int(fields(f"/proc/{pid}")[PARENT])
    except (OSError, IndexError):
        return None
