"""The table of docs/python.md on how code ends, with a test for each row."""

from __future__ import annotations

from pathlib import Path

import pytest

from local_runner import NewRunner

pytestmark = pytest.mark.slow

IMPORTS = "import atexit, ctypes, os, signal, subprocess, sys, threading, time, warnings\n"

ExpectedError = tuple[str, str] | None


def raises(error_type: str, message: str) -> ExpectedError:
    return error_type, message


def ends(message: str) -> ExpectedError:
    return "ProcessEnded", f"The process {message}"


# What code does; the outcome; exit code and signal; the reported error; the output.
ROWS: list[tuple[str, str, tuple[int | None, int | None], ExpectedError, str]] = [
    ("pass", "Succeeded", (0, None), None, ""),
    ("sys.exit()", "Succeeded", (0, None), None, ""),
    ("sys.exit(0)", "Succeeded", (0, None), None, ""),
    ("exit_code = 3; sys.exit(exit_code)", "CodeError", (3, None), raises("SystemExit", "3"), ""),
    (
        "sys.exit('nothing to do')",
        "CodeError",
        (1, None),
        raises("SystemExit", "nothing to do"),
        "nothing to do\n",
    ),
    ("raise KeyError('x')", "CodeError", (1, None), raises("KeyError", "'x'"), ""),
    ("raise KeyboardInterrupt", "CodeError", (None, 2), raises("KeyboardInterrupt", ""), ""),
    (
        "raise type('Stop', (BaseException,), {})('now')",
        "CodeError",
        (1, None),
        raises("Stop", "now"),
        "",
    ),
    ("os._exit(0)", "Succeeded", (0, None), None, ""),
    ("os._exit(4)", "CodeError", (4, None), ends("ended with exit code 4"), ""),
    (
        "ctypes.string_at(0)",
        "CodeError",
        (None, 11),
        ends("was ended by signal 11 (Segmentation fault)"),
        "",
    ),
    ("os.abort()", "CodeError", (None, 6), ends("was ended by signal 6 (Aborted)"), ""),
    (
        "os.kill(os.getpid(), signal.SIGTERM)",
        "CodeError",
        (None, 15),
        ends("was ended by signal 15 (Terminated)"),
        "",
    ),
    (
        "os.kill(os.getpid(), signal.SIGKILL)",
        "CodeError",
        (None, 9),
        ends("was ended by signal 9 (Killed)"),
        "",
    ),
    (
        "os.kill(os.getpid(), signal.SIGINT)",
        "CodeError",
        (None, 2),
        raises("KeyboardInterrupt", ""),
        "",
    ),
    (
        "os.kill(os.getpid(), signal.SIGHUP)",
        "CodeError",
        (None, 1),
        ends("was ended by signal 1 (Hangup)"),
        "",
    ),
    ("os.close(0); os.close(1); os.close(2)", "Succeeded", (0, None), None, ""),
    (
        "threading.Thread(target=lambda: (time.sleep(0.1), print('late'))).start()",
        "Succeeded",
        (0, None),
        None,
        "late\n",
    ),
    (
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "Succeeded",
        (0, None),
        None,
        "",
    ),
    (
        "t = threading.Thread(target=sys.exit, args=(5,)); t.start(); t.join(); print('on')",
        "Succeeded",
        (0, None),
        None,
        "on\n",
    ),
    ("atexit.register(print, 'bye'); print('end')", "Succeeded", (0, None), None, "end\nbye\n"),
    (
        "atexit.register(print, 'bye'); raise KeyError('x')",
        "CodeError",
        (1, None),
        raises("KeyError", "'x'"),
        "bye\n",
    ),
    ("atexit.register(os._exit, 6)", "CodeError", (6, None), ends("ended with exit code 6"), ""),
    (
        "input('name? ')",
        "CodeError",
        (1, None),
        raises("EOFError", "input() is not available in a run: put the value into the code"),
        "name? ",
    ),
    ("print(repr(sys.stdin.read()))", "Succeeded", (0, None), None, "''\n"),
    ("subprocess.Popen(['sleep', '60'])", "Succeeded", (0, None), None, ""),
]


@pytest.mark.parametrize(
    ("code", "outcome", "exit_report", "expected", "output"), ROWS, ids=[row[0] for row in ROWS]
)
def test_code_ends_as_the_table_says(
    new_runner: NewRunner,
    code: str,
    outcome: str,
    exit_report: tuple[int | None, int | None],
    expected: ExpectedError,
    output: str,
) -> None:
    finished = new_runner().client.run(f"{IMPORTS}print('before')\n{code}")
    number, name = exit_report
    assert finished.result["exit"] == {"code": number, "signal": name}
    assert (finished.outcome, finished.text) == (outcome, f"before\n{output}")
    error = finished.error
    assert (error and (error["type"], error["message"])) == expected
    if expected is not None and expected[0] != "ProcessEnded":
        assert error["line"] == 3


def test_an_error_in_a_thread_is_printed_and_is_not_the_end(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import threading\n"
        "def divide(): return 1 / 0\n"
        "thread = threading.Thread(target=divide)\n"
        "thread.start(); thread.join()\n"
        "print('on')\n"
    )
    assert finished.outcome == "Succeeded"
    assert finished.text.startswith("Exception in thread Thread-1 (divide):\nTraceback")
    assert finished.text.endswith("ZeroDivisionError: division by zero\non\n")
    assert "assay_runner" not in finished.text


def test_an_error_in_an_exit_handler_is_printed_and_is_not_the_end(new_runner: NewRunner) -> None:
    finished = new_runner().client.run("import atexit\natexit.register(lambda: 1 / 0)\n")
    assert finished.outcome == "Succeeded"
    assert finished.text.startswith("Exception ignored in atexit callback")
    assert finished.text.endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.executed
def test_warnings_appear_once_for_each_place(new_runner: NewRunner) -> None:
    runner = new_runner()
    script = runner.workspace / "main.py"
    finished = runner.client.run(
        "import warnings\n"
        "for i in range(3): warnings.warn('in the loop')\n"
        "warnings.warn('after it', DeprecationWarning)\n"
        "for i in range(2): np.log(0)\n"
    )
    assert finished.text.splitlines() == [
        f"{script}:2: UserWarning: in the loop",
        "  for i in range(3): warnings.warn('in the loop')",
        f"{script}:3: DeprecationWarning: after it",
        "  warnings.warn('after it', DeprecationWarning)",
        f"{script}:4: RuntimeWarning: divide by zero encountered in log",
        "  for i in range(2): np.log(0)",
    ]


@pytest.mark.parametrize("session", [False, True])
def test_processes_that_outlive_the_code_are_killed(new_runner: NewRunner, session: bool) -> None:
    runner = new_runner()
    finished = runner.client.run(
        "import os, subprocess\n"
        "read, write = os.pipe()\n"
        "command = ['sh', '-c', 'trap \"\" TERM HUP; sleep 60 & echo $!; wait']\n"
        f"child = subprocess.Popen(command, stdout=write, start_new_session={session})\n"
        "print(child.pid, os.read(read, 99).decode())\n"
    )
    assert finished.outcome == "Succeeded"
    pids = finished.text.split()
    assert len(pids) == 2
    # The end of the run does not wait for it.
    runner.wait_until_launcher_ends()
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
