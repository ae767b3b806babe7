"""Kills all processes that the worker has left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator

# Called with (pid, wait status, resource usage) of each reaped process.
Reaped = Callable[[int, int, object], None]
_DEAD = b"X"
# A zombie runs no code; its parent may be the suspended process.
_ENDED = (b"Z", _DEAD)
# Processes end, and threads stop, within microseconds once they have a processor.
_PAUSES_SECONDS = (0.0, 0.0005, 0.001, 0.002, 0.004)


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
    """SIGKILL all other processes than a suspended one.

    Returns:
        Whether none of them runs any more, nor a thread of the suspended one. They may take time to
        end, and the suspended one may have ended or be in a system call.
    """
    for pause in _PAUSES_SECONDS:
        time.sleep(pause)
        reap_exited(reaped)
        others = [pid for pid in _all_others() if pid != suspended and _runs(f"/proc/{pid}")]
        if not others and _is_stopped(suspended):
            return True
        for pid in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    return False


def suspend(pid: int) -> None:
    """Stop a process that only has to end, until it is killed.

    To give its memory back takes longer than all that comes before, and would take the processor
    from those that give the answer.
    """
    os.kill(pid, signal.SIGSTOP)


def _is_stopped(pid: int) -> bool:
    tasks = f"/proc/{pid}/task"
    try:
        return all(_state(f"{tasks}/{task}") in (b"T", *_ENDED) for task in os.listdir(tasks))
    except OSError:
        return False


def _runs(process: str) -> bool:
    return _state(process) not in _ENDED


def _state(process: str) -> bytes:
    """Return the letter of the state of a process or thread, by its directory below /proc."""
    fields = _fields(process)
    return fields[0] if fields else _DEAD


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


def _all_others() -> list[int]:
    if os.getpid() != 1:
        return list(_descendants(os.getpid()))
    return [int(entry) for entry in os.listdir("/proc") if entry.isdecimal() and entry != "1"]


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
    fields = _fields(f"/proc/{pid}")
    return int(fields[1]) if len(fields) > 1 else None


def _fields(process: str) -> list[bytes]:
    """Return the fields of `stat` from the state on; none if the process is gone."""
    try:
        with open(f"{process}/stat", "rb") as file:
            # The name in parentheses may itself contain parentheses and spaces.
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []
