"""Writes out what code has gathered when its time is up, before it is sent SIGTERM."""

from __future__ import annotations

import _thread
import contextlib

from assay_runner.control import Control
from assay_runner.worker import streams


def listen(control: Control) -> int:
    """Flush the streams as soon as the supervisor says `stop`; returns the thread's identity.

    A thread can do so where a signal handler cannot: while the main thread waits in a system call
    or computes in a library. SIGTERM stays what Python has made of it, in forked processes too. It
    is not one of `threading`, so that code does not find it among its own.
    """
    return _thread.start_new_thread(_flush_on_stop, (control,))


def _flush_on_stop(control: Control) -> None:
    # Code may have closed the socket, or written to it.
    with contextlib.suppress(Exception):
        message = control.receive()
        if message is not None and message.get("type") == "stop":
            streams.flush()
            control.stopped()
