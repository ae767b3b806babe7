"""Waits at the end of a script for the threads of libraries.

Up to version 3.13, Python ends a thread that requests the GIL during finalization. If the thread
runs C++, this aborts the process. A thread of Arrow may do so after `pandas.read_parquet`, which
passes Arrow a Python file: the thread releases the file, and may do this after the read has
returned (https://github.com/apache/arrow/issues/34314).
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
# A thread may have begun to wait for the GIL just before its state is read.
_QUIET_LOOKS = 2
# How long a thread waits for the GIL until Python has to hand it over. Otherwise, the main thread
# may take the GIL again before the one that waits for it.
_SWITCH_SECONDS = 1e-6


def thread_ids() -> frozenset[str]:
    """Return the ids of all threads of this process, those of libraries included.

    Raises:
        OSError: if the system does not tell.
    """
    return frozenset(os.listdir(_THREADS))


def wait_for_threads(seconds: float = 1) -> None:
    """Return once no thread of a library runs or waits for the GIL.

    Does not wait for threads that sleep for another reason, such as input, nor for daemon threads
    of `threading`, which Python ends at exit as in any script.

    Args:
        seconds: limit, for threads that do not stop running. The CPU limit of a container may stop
            all its threads for up to 100 ms at a time, so it is longer than that.

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
            # Releases the GIL.
            sleep(_PAUSE_SECONDS)
            quiet = 0 if any(map(_is_running, thread_ids() - own)) else quiet + 1
    finally:
        sys.setswitchinterval(interval)


def _is_running(thread: str) -> bool:
    try:
        return fields(f"{_THREADS}/{thread}")[STATE] in _RUNNING
    except (FileNotFoundError, ProcessLookupError):
        return False
