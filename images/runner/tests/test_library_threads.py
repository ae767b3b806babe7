"""Threads of libraries that wait for the GIL when the code ends get it before finalization."""

from __future__ import annotations

import subprocess
import sys

import pytest

from runner_client import RunnerClient

pytestmark = pytest.mark.slow

# Threads of C that wait for the GIL, which the code does not release.
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
def test_threads_of_libraries_that_wait_for_the_gil_get_it_before_finalization(
    fresh: RunnerClient, end: str
) -> None:
    finished = fresh.run(_LATE_THREADS + end)
    assert finished.outcome == ("CodeError" if "Key" in end else "Succeeded")
    assert finished.text == "late\n" * 8


_IN_A_THREAD = """
import _thread, hashlib, os, sys, threading, time
from assay_runner.worker.library_threads import wait_for_threads
begun = threading.Event()
def work():
    begun.set()
    {work}
{start}
begun.wait()
interval = sys.getswitchinterval()
began = time.monotonic()
wait_for_threads({limit})
print(time.monotonic() - began, flush=True)
assert sys.getswitchinterval() == interval
os._exit(0)
"""
# Computes without the GIL for longer than the process lives.
_COMPUTE = "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)"
_OF_NO_MODULE = "_thread.start_new_thread(work, ())"
_DAEMON = "threading.Thread(target=work, daemon=True).start()"


def seconds_to_wait(work: str, start: str, limit: float) -> float:
    """Wait in a new process in which a thread does this work."""
    code = _IN_A_THREAD.format(work=work, start=start, limit=limit)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return float(done.stdout)


def test_a_thread_that_runs_is_waited_for_until_the_limit() -> None:
    assert seconds_to_wait(_COMPUTE, _OF_NO_MODULE, limit=0.2) >= 0.2


@pytest.mark.parametrize(
    ("work", "start"), [("time.sleep(600)", _OF_NO_MODULE), (_COMPUTE, _DAEMON)]
)
def test_threads_that_sleep_and_daemon_threads_are_not_waited_for(work: str, start: str) -> None:
    assert seconds_to_wait(work, start, limit=600) < 60


def test_an_exit_handler_does_not_wait_for_its_own_thread() -> None:
    code = (
        "import atexit\n"
        "from assay_runner.worker.library_threads import wait_for_threads\n"
        "atexit.register(wait_for_threads, 600)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
