"""Flushes buffered output and writes the stack when the time limit is reached, before SIGTERM."""

from __future__ import annotations

import _thread
import contextlib
import faulthandler

from assay_runner.control import Control, move_away
from assay_runner.stack import SIGNAL, STACK_FD
from assay_runner.worker import streams


def listen(control: Control) -> int:
    """Flush and write the stack when the supervisor sends `stop`; returns the thread's identity.

    A thread can do this while the main thread is blocked in a system call or computes in a library;
    a signal handler cannot. SIGTERM keeps Python's default behaviour, in forked processes too. The
    thread is not a `threading` one, so user code does not see it in `threading.enumerate()`.

    It cannot while a library does not let other Python code run: then the launcher sends a signal,
    whose handler in C writes the stack.
    """
    stack = move_away(STACK_FD)
    faulthandler.register(SIGNAL, file=stack, all_threads=True, chain=False)
    return _thread.start_new_thread(_flush_on_stop, (control, stack))


def _flush_on_stop(control: Control, stack: int) -> None:
    # User code may have closed the socket or written to it.
    with contextlib.suppress(Exception):
        message = control.receive()
        if message is not None and message.get("type") == "stop":
            streams.flush()
            faulthandler.dump_traceback(stack, all_threads=True)
            control.stopped()
