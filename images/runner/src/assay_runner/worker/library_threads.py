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


def thread_ids() -> frozenset[str]:
    """Return the ids of all threads of this process, those of libraries included.

    Raises:
        OSError: if the system does not tell.
    """
    return frozenset(os.listdir(_THREADS))


def wait_for_threads(seconds: float = 1) -> None:
    """Return once no thread of a library runs or waits for Python's lock.

    A thread that sleeps for another reason, such as input, is not waited for, and daemon threads of
    `threading` are not: Python ends them without harm.

    Args:
        seconds: limit, for threads that do not stop running. It is longer than the time for which a
            container that has used up its CPU limit is stopped, with all its threads.

    Raises:
        OSError: if the system does not tell what threads do.
    """
    deadline = monotonic() + seconds
    # The main thread is not enumerated any more when exit handlers run.
    own = {str(threading.get_native_id())}
    own |= {str(thread.native_id) for thread in threading.enumerate()}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        quiet = 0
        while quiet < _QUIET_LOOKS and monotonic() < deadline:
            # Others get the lock.
            sleep(_PAUSE_SECONDS)
            quiet = 0 if any(map(_is_running, thread_ids() - own)) else quiet + 1
    finally:
        sys.setswitchinterval(interval)


def _is_running(thread: str) -> bool:
    try:
        return fields(f"{_THREADS}/{thread}")[STATE] in _RUNNING
    except (FileNotFoundError, ProcessLookupError):
        return False
