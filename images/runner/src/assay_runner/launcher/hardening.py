"""Protects the launcher from being inspected or stopped by processes of the same user."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38

_libc = ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl({option}): {os.strerror(code)}")


def harden() -> None:
    """Deny ptrace and /proc access, forbid new privileges, and ignore all signals that allow it.

    For PID 1, the kernel already drops signals from inside the namespace that have no handler.
    Elsewhere (local mode, tests), ignoring signals leaves only SIGKILL and SIGSTOP.

    Raises:
        OSError: if the kernel refuses one of the settings.
    """
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    if os.getpid() != 1:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for number in _ignorable_signals():
        signal.signal(number, signal.SIG_IGN)


def allow_inspection() -> None:
    """Let processes of the same user look into the calling process, as after an exec."""
    _prctl(_PR_SET_DUMPABLE, 1)


def undo_for_worker() -> None:
    """Restore default signals in the forked child, and kill it when the launcher is killed."""
    for number in _ignorable_signals() | {signal.SIGCHLD}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _ignorable_signals() -> set[int]:
    kept = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}
    return {int(number) for number in signal.valid_signals()} - {int(number) for number in kept}
