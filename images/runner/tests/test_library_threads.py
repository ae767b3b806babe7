"""Threads of libraries that are about to run Python when the code ends may do so."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from assay_runner.worker.library_threads import count_threads, wait_for_threads
from runner_client import RunnerClient

# Threads of C that wait for Python's lock, which is kept until the end of the code.
_LATE_THREADS = """
import ctypes
libc = ctypes.PyDLL(None)
@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
def late(_):
    print('late')
for _ in range(8):
    libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, late, None)
"""


@pytest.mark.parametrize("end", ["", "raise KeyError('x')", "raise SystemExit(0)"])
def test_threads_of_libraries_that_wait_for_the_lock_get_it_before_python_ends(
    fresh: RunnerClient, end: str
) -> None:
    finished = fresh.run(_LATE_THREADS + end)
    assert finished.outcome == ("CodeError" if "Key" in end else "Succeeded")
    assert finished.text == "late\n" * 8


def test_a_thread_that_runs_is_waited_for_until_the_limit() -> None:
    code = (
        "import hashlib, threading, time\n"
        "from assay_runner.worker.library_threads import wait_for_threads\n"
        # Computes for seconds without Python's lock.
        "work = hashlib.pbkdf2_hmac, ('sha256', b'', b'', 10_000_000)\n"
        "threading.Thread(target=work[0], args=work[1], daemon=True).start()\n"
        "began = time.monotonic()\n"
        "wait_for_threads(0.2)\n"
        "print(time.monotonic() - began >= 0.2)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_threads_that_sleep_are_not_waited_for() -> None:
    interval = sys.getswitchinterval()
    wake = threading.Event()
    count = count_threads()
    sleeper = threading.Thread(target=wake.wait)
    sleeper.start()
    assert count_threads() == count + 1
    # Unlimited but for that of the test.
    wait_for_threads(float("inf"))
    assert sys.getswitchinterval() == interval
    wake.set()
    sleeper.join()
