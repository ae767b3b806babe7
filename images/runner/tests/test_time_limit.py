"""The error of a run that took too long names the line where its time ran out."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_runner.frames import FrameReader, encode
from assay_runner.stack import Frame, StackFile
from assay_runner.supervisor.worker_messages import MAX_LAUNCHER_FRAME_BYTES, launcher_exit
from local_runner import NewRunner

pytestmark = pytest.mark.slow

LIMITS = {"timeoutMs": 500, "stopGraceMs": 4000}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("x = 1\nwhile True: pass", [2]),
        ("import time\ndef nap():\n    time.sleep(600)\n\nnap()", [5, 3]),
        ("import ctypes\nctypes.CDLL(None).pause()", [2]),
        # Does not let other Python code run.
        ("import ctypes\n\ndef wait():\n    ctypes.PyDLL(None).sleep(600)\nwait()", [5, 4]),
        ("numbers = range(10**18)\ntotal = sum(numbers)", [2]),
        ("import re\nre.match('(a+)+b', 'a' * 99)", [2]),
        ("from threading import Event, Thread\nThread(target=lambda: Event().wait()).start()", [2]),
        (
            "from threading import Event, Thread\n"
            "t = Thread(target=Event().wait)\nt.start(); t.join()",
            [3],
        ),
        (
            "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)",
            [3],
        ),
        ("import os\nos.closerange(3, 900)\nwhile True: pass", [3]),
    ],
    ids=["loop", "sleep", "c", "gil", "sum", "re", "thread", "join", "sigterm", "descriptors"],
)
def test_the_error_names_the_line_where_time_ran_out(
    new_runner: NewRunner, code: str, lines: list[int]
) -> None:
    finished = new_runner().client.run(f"print('before')\n{code}", **LIMITS)
    assert (finished.outcome, finished.text) == ("DeadlineExceeded", "before\n")
    error = finished.error
    assert error is not None
    last = lines[-1] + 1
    assert (error["type"], error["message"]) == (
        "TimeLimitExceeded",
        f"Time ran out in line {last}",
    )
    assert error["line"] == last
    traceback = error["traceback"].splitlines()
    assert traceback[0] == "Traceback (most recent call last):"
    assert [line.split(",")[:2] for line in traceback[1:]] == [
        ['  File "main.py"', f" line {line + 1}"] for line in lines
    ]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.closerange(3, 4096)\nwhile True: pass",
        "import signal\nsignal.signal(signal.SIGRTMAX - 2, signal.SIG_IGN)\n"
        "import ctypes\nctypes.PyDLL(None).sleep(600)",
        "import os\nos.execvp('sleep', ['sleep', '600'])",
        "import os\nos.write(960 + 1, b'\\xff' * 2**20)\nwhile True: pass",
    ],
    ids=["closed", "signal", "exec", "forged"],
)
def test_code_that_prevents_it_is_stopped_all_the_same(new_runner: NewRunner, code: str) -> None:
    finished = new_runner().client.run(code, **LIMITS)
    assert finished.outcome == "DeadlineExceeded"
    assert finished.text == ""


def test_a_deep_stack_keeps_the_innermost_lines(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "def deep(n):\n    if n: deep(n - 1)\n    while True: pass\ndeep(60)", **LIMITS
    )
    assert finished.error["line"] == 3
    assert finished.error["traceback"].count("line 2, in deep") == 19


def written(text: str) -> StackFile:
    file = StackFile()
    Path(f"/proc/self/fd/{file.descriptor}").write_bytes(text.encode())
    return file


def test_only_frames_of_the_script_are_read() -> None:
    text = (
        "Thread 0x01 (most recent call first):\n"
        '  File "/workspace/main.py", line 9 in other\n'
        "\n"
        "Current thread 0x02 (most recent call first):\n"
        '  File "/usr/lib/python3.11/json/__init__.py", line 1 in loads\n'
        '  File "/workspace/main.py", line 7 in work\n'
        '  File "/workspace/lib/main.py", line 8 in work\n'
        '  File "/workspace/main.py", line 3 in <module>\n'
    )
    frames = [Frame(3, "<module>"), Frame(7, "work")]
    assert written(text).frames("/workspace/main.py") == frames
    assert written(text).frames("/elsewhere/main.py") == []
    assert StackFile().frames("/workspace/main.py") == []


def test_a_forged_file_is_read_in_bounds() -> None:
    line = '  File "/workspace/main.py", line 999999999999 in x\n'
    assert written(line * 10_000).frames("/workspace/main.py") == []
    line = f'  File "/workspace/main.py", line 1 in {"x" * 9000}\n'
    frames = written(line * 100).frames("/workspace/main.py")
    assert all(frame == Frame(1, "x" * 64) for frame in frames)
    assert 0 < len(frames) <= 20


@pytest.mark.parametrize("name", ["\0" * 64, "\x1b[31m" * 16, "\u00e9" * 64, "\\" * 64, '"' * 64])
def test_frames_fit_into_the_report_whatever_code_has_written(name: str) -> None:
    line = f'  File "/workspace/main.py", line 999999999 in {name}\n'
    stack = written(line * 100).frames("/workspace/main.py")
    numbers = dict.fromkeys(("code", "signal", "cpuMs", "peakMemoryBytes"), 2**53)
    report = {"type": "exited", **numbers, "oomKilled": False, "stack": stack}
    [message] = FrameReader(MAX_LAUNCHER_FRAME_BYTES).feed(encode(report))
    assert launcher_exit(message).stack == tuple(stack)
