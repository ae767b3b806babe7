"""Flushes buffered output when the time limit is reached, before SIGTERM."""

from __future__ import annotations

import _thread
import contextlib

from assay_runner.control import Control
from assay_runner.worker import streams


def listen(control: Control) -> int:
    """Flush the streams when the supervisor sends `stop`; returns the thread's identity.

    A thread can do this while the main thread is blocked in a system call or computes in a library;
    a signal handler cannot. SIGTERM keeps Python's default behaviour, in forked processes too. The
    thread is not a `threading` one, so user code does not see it in `threading.enumerate()`.
    """
    return _thread.start_new_thread(_flush_on_stop, (control,))


def _flush_on_stop(control: Control) -> None:
    # User code may have closed the socket or written to it.
    with contextlib.suppress(Exception):
        message = control.receive()
        if message is not None and message.get("type") == "stop":
            streams.flush()
            control.stopped()
