"""Waits at the end of a script for the threads of libraries.

Before version 3.14, Python ends a thread that asks for its lock (the GIL) once it finalizes. If the
thread runs C++, that aborts the process. Arrow's threads can be that late: they release the Python
file that they have read after the call that reads it has returned, which `pandas.read_parquet` does
(https://github.com/apache/arrow/issues/34314).
"""

from __future__ import annotations

import os
import sys
import threading
from time import monotonic, sleep

from assay_runner.process_stat import STATE, fields

_THREADS = "/proc/self/task"
_RUNNING = (b"R", b"D")
_PAUSE_SECONDS = 0.0001
# A thread may have begun to wait for the lock just before its state is read.
_QUIET_LOOKS = 2
# A thread that asks for the lock then sets a request for it at once. Python grants a request, while
# a thread that merely finds the lock free may be overtaken.
_SWITCH_SECONDS = 1e-6


def count_threads() -> int:
    """Return the number of threads of this process, those of libraries included.

    Raises:
        OSError: if the system does not tell.
    """
    return len(os.listdir(_THREADS))


def wait_for_threads(seconds: float = 0.1) -> None:
    """Return once no other thread runs or waits for Python's lock.

    Args:
        seconds: limit, for threads that do not stop running.

    Raises:
        OSError: if the system does not tell what threads do.
    """
    deadline = monotonic() + seconds
    own = str(threading.get_native_id())
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        quiet = 0
        while quiet < _QUIET_LOOKS and monotonic() < deadline:
            # Others get the lock.
            sleep(_PAUSE_SECONDS)
            quiet = 0 if any(map(_is_running, set(os.listdir(_THREADS)) - {own})) else quiet + 1
    finally:
        sys.setswitchinterval(interval)


def _is_running(thread: str) -> bool:
    try:
        return fields(f"{_THREADS}/{thread}")[STATE] in _RUNNING
    except (FileNotFoundError, ProcessLookupError):
        return False
