"""The end of a run is reported before the end of its process, where nothing can come any more."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay_runner.launcher.killing import suspend
from assay_runner.launcher.usage import usage
from runner_client import LIMITS, RunnerClient, query_job

pytestmark = pytest.mark.slow

SLOW_EXIT_HANDLER = (
    "import ctypes\n"
    "libc = ctypes.CDLL(None)\n"
    "libc.__cxa_atexit(libc.sleep, ctypes.c_void_p(60), None)\n"
)


def test_the_end_of_the_process_is_not_waited_for_once_python_has_ended(
    fresh: RunnerClient,
) -> None:
    code = SLOW_EXIT_HANDLER + "class Late:\n    def __del__(self): print('late')\nlate = Late()\n"
    finished = fresh.run(code, timeoutMs=20_000)
    assert (finished.outcome, finished.text) == ("Succeeded", "late\n")
    assert finished.result["usage"]["cpuMs"] > 0
    assert finished.result["usage"]["peakMemoryBytes"] > 10 * 2**20


def test_what_a_process_has_used_can_be_read_once_it_has_reported_its_end() -> None:
    code = (
        "import functools, os\n"
        "from assay_runner.worker.quick_end import EndMarker\n"
        "EndMarker(pause=60_000_000).arm(functools.partial(os.write, 1, b'ended'))\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(5) == b"ended"
        used = usage(process.pid)
        process.kill()
    assert used is not None


def test_a_process_that_only_has_to_end_is_kept_from_it_until_it_is_killed() -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        suspend(process.pid)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        process.kill()
    assert os.WIFSTOPPED(status)
    assert process.returncode == -signal.SIGKILL


_AS_ROOT = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
_IN_A_PID_NAMESPACE = ["unshare", *_AS_ROOT, "--pid", "--fork", "--mount-proc", "--kill-child"]
_SUSPENDED = """
import os, subprocess, sys, time
from assay_runner.launcher.killing import kill_all_but, suspend
code = sys.argv[1] + "\\nimport sys; print('up', flush=True);"
code += "text = sys.stdin.read(); open('late', 'w').write(text)"
worker = subprocess.Popen(
    [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)
worker.stdout.readline()
held = subprocess.Popen(["sleep", "60"])
for suspends in (False, True):
    if suspends:
        suspend(worker.pid)
    print(kill_all_but(worker.pid, lambda *_: None))
worker.stdin.write(b"late")
worker.stdin.close()
print(os.waitid(os.P_PID, worker.pid, os.WSTOPPED | os.WNOWAIT).si_status, os.path.exists("late"))
print(held.poll() is not None)
worker.kill()
"""


# Ends the thread that calls it, and not the process.
_EXIT = {"x86_64": 60, "aarch64": 93}[platform.machine()]
_THREAD_OF_A_ZOMBIE = f"""
import ctypes, os, threading, time
if os.fork() == 0:
    threading.Thread(target=time.sleep, args=(60,)).start()
    ctypes.CDLL(None).syscall({_EXIT}, 0)
"""


@pytest.mark.parametrize(
    ("code", "is_alone"),
    [("pass", True), ("import os; os.fork() or os._exit(0)", False), (_THREAD_OF_A_ZOMBIE, False)],
)
def test_all_other_processes_are_ended_and_the_suspended_one_does_nothing(
    tmp_path: Path, code: str, is_alone: bool
) -> None:
    """A child of the suspended process is a zombie, or has a thread that runs."""
    command = [*_IN_A_PID_NAMESPACE, sys.executable, "-c", _SUSPENDED, code]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    text = subprocess.check_output(command, cwd=tmp_path, env=environment, text=True)
    assert text.splitlines() == [
        *("False", str(is_alone)),
        f"{int(signal.SIGSTOP)} False",
        "True",
    ]


def test_the_end_of_a_process_with_an_exception_is_not_waited_for(fresh: RunnerClient) -> None:
    finished = fresh.run(SLOW_EXIT_HANDLER + "1 / 0", timeoutMs=20_000)
    assert finished.outcome == "CodeError"
    assert finished.error["type"] == "ZeroDivisionError"


def test_streams_of_c_are_flushed_before_the_end_is_reported(fresh: RunnerClient) -> None:
    finished = fresh.run(SLOW_EXIT_HANDLER + "libc.printf(b'from C')", timeoutMs=20_000)
    assert (finished.outcome, finished.text) == ("Succeeded", "from C")


@pytest.mark.parametrize("kind", ["python", "polars"])
def test_the_end_of_a_query_is_not_waited_for_though_it_leaves_its_rows(
    fresh: RunnerClient, kind: str
) -> None:
    collect = {"folders": ["results"], "maxCount": 10, "maxBytes": 2**20}
    code = SLOW_EXIT_HANDLER + "[{'n': 1}, {'n': 2}]"
    limits = {**LIMITS, "timeoutMs": 20_000}
    finished = fresh.finish(query_job(kind, code, collect=collect, limits=limits))
    assert finished.outcome == "Succeeded", finished.error
    assert list(finished.artifacts) == ["results/result.parquet", "results/rows.ndjson"]
    assert finished.result["usage"]["cpuMs"] > 0


_SHOWS_ITS_TRACEBACK = """
import code
try:
    1 / 0
except ZeroDivisionError:
    code.InteractiveInterpreter().showtraceback()
"""


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        ("raise SystemExit(3)", "CodeError"),
        ("import code; code.InteractiveInterpreter().runsource('1/0')", "Succeeded"),
        (_SHOWS_ITS_TRACEBACK, "Succeeded"),
        ("import sys; sys.stdout = open('/dev/full', 'w'); print('lost')", "CodeError"),
        ("import subprocess; subprocess.run(['sleep', '0.01'])", "Succeeded"),
    ],
)
def test_the_end_of_the_process_decides_where_only_it_tells_how_it_ended(
    fresh: RunnerClient, end: str, outcome: str
) -> None:
    finished = fresh.run(end)
    assert finished.outcome == outcome


def test_an_exit_handler_of_a_library_that_the_code_has_loaded_writes_to_the_output(
    fresh: RunnerClient,
) -> None:
    code = (
        "import ctypes, _testcapi\n"
        "libc = ctypes.CDLL(None)\n"
        "line = ctypes.create_string_buffer(b'from its exit handler')\n"
        "libc.__cxa_atexit(libc.puts, line, None)\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(line))\n"
    )
    finished = fresh.run(code)
    assert finished.text == "from its exit handler\n"


def test_exit_handlers_of_the_preloaded_libraries_are_skipped() -> None:
    code = (
        "import ctypes\n"
        "from assay_runner.worker.quick_end import skip_exit_handlers\n"
        "libc = ctypes.CDLL(None)\n"
        "lines = [ctypes.create_string_buffer(text) for text in (b'early', b'late')]\n"
        "libc.__cxa_atexit(libc.puts, lines[0], None)\n"
        "skip_exit_handlers()\n"
        "libc.__cxa_atexit(libc.puts, lines[1], None)\n"
        "for line in lines: ctypes.pythonapi.Py_IncRef(ctypes.py_object(line))\n"
        "libc.printf(b'buffered ')\n"
        "raise SystemExit(7)\n"
    )
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, check=False, stdout=subprocess.PIPE)
    assert (ended.returncode, ended.stdout) == (7, b"buffered late\n")
