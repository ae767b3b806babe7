"""However a run ends, its output is kept and the reason is reported."""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import Callable

import pytest

from local_runner import NewRunner, Runner
from runner_client import Finished, RunnerClient, Stream, python_job

_AS_ROOT = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
_IN_A_MOUNT_NAMESPACE = ["unshare", *_AS_ROOT, "--mount", "sh", "-e", "-c"]
ON_A_SMALL_SCRATCH = [
    *_IN_A_MOUNT_NAMESPACE,
    'mount -t tmpfs -o size=1m tmpfs "$ASSAY_SCRATCH_DIR";'
    ' mount --bind "$ASSAY_SCRATCH_DIR" "$ASSAY_WORKSPACE_DIR"; exec "$@"',
    "sh",
]
# Stands in for the kernel's counter, so that code can tell how it is going to be killed.
WITH_A_COUNTER_OF_MEMORY_KILLS = [
    *_IN_A_MOUNT_NAMESPACE,
    "mount -t tmpfs tmpfs /sys/fs/cgroup; echo oom_kill 0 > /sys/fs/cgroup/memory.events;"
    ' exec "$@"',
    "sh",
]


@pytest.mark.parametrize(
    "write",
    [
        "open('file', 'wb').write(bytes(2**21))",
        "pd.DataFrame({'a': range(10**6)}).to_csv('file.csv')",
        "pd.DataFrame({'a': range(10**6)}).to_parquet('file.parquet')",
        "import tempfile; tempfile.TemporaryFile().write(bytes(2**21))",
    ],
)
def test_a_full_scratch_directory_is_an_error_of_the_code_that_says_so(
    new_runner: NewRunner, write: str
) -> None:
    client = new_runner(launcher_prefix=ON_A_SMALL_SCRATCH).client
    finished = client.run(f"print('before')\n{write}")
    assert (finished.outcome, finished.text) == ("CodeError", "before\n")
    assert finished.error["type"] == "OSError"
    assert finished.error["message"].startswith("[Errno 28] ")
    assert "No space left on device" in finished.error["message"]
    assert finished.error["line"] == 2


def test_a_full_scratch_directory_harms_nothing_but_what_is_written_there(
    new_runner: NewRunner,
) -> None:
    finished = new_runner(launcher_prefix=ON_A_SMALL_SCRATCH).client.run(
        "file = open('file', 'wb', buffering=0)\n"
        "try:\n"
        "    while True: file.write(bytes(4096))\n"
        "except OSError as error: print(error)\n"
        "print(pd.DataFrame({'a': [1, 2]})['a'].sum())\n"
        "1 / 0\n"
    )
    assert finished.text == "[Errno 28] No space left on device\n3\n"
    assert (finished.error["type"], finished.error["line"]) == ("ZeroDivisionError", 6)


LITTLE_MEMORY = (
    "import resource\n"
    "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
    "resource.setrlimit(resource.RLIMIT_AS, (used + 2**25,) * 2)\n"
    "print('before')\n"
)


@pytest.mark.parametrize(
    "code",
    [
        "block = bytearray(2**30)",
        "array = np.ones(2**30)",
        "text = 'x'\nwhile True: text += text",
        "blocks = []\nwhile True: blocks.append(bytearray(2**20))",
        "entries = {}\nwhile True: entries[len(entries)] = object()",
        "nested = ()\nwhile True: nested = (nested,)",
    ],
)
def test_memory_that_python_is_refused_is_an_error_of_the_code(
    new_runner: NewRunner, code: str
) -> None:
    finished = new_runner().client.run(LITTLE_MEMORY + code)
    assert (finished.outcome, finished.text) == ("CodeError", "before\n")
    assert (finished.error["type"], finished.error["line"]) == (
        "MemoryError",
        5 + code.count("\n"),
    )
    assert "MemoryError" in finished.error["traceback"].splitlines()[-1]
    assert finished.result["exit"] == {"code": 1, "signal": None}


def test_a_worker_that_the_kernel_kills_for_memory_has_exceeded_it(new_runner: NewRunner) -> None:
    client = new_runner(launcher_prefix=WITH_A_COUNTER_OF_MEMORY_KILLS).client
    finished = client.run(
        "import os\n"
        "print('before')\n"
        "open('/sys/fs/cgroup/memory.events', 'w').write('oom_kill 1\\n')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert (finished.outcome, finished.text) == ("MemoryExceeded", "before\n")
    assert finished.error is None
    assert finished.result["exit"] == {"code": None, "signal": 9}


def test_a_signal_is_called_by_its_name(new_runner: NewRunner) -> None:
    finished = new_runner(launcher_prefix=ON_A_SMALL_SCRATCH).client.run(
        "print('before')\narray = np.memmap('file', 'int8', 'w+', shape=2**21)\narray[:] = 1\n"
    )
    assert (finished.outcome, finished.text) == ("CodeError", "before\n")
    assert finished.error["message"] == "The process was ended by signal 7 (Bus error)"


# Tells in a file of its own how many lines it has written, and its process in the first of them.
# The number is stored at once: struct.pack_into clears it before, where a kill may come between.
COUNT = (
    "import mmap, os, time\n"
    "open('written', 'wb').write(bytes(8))\n"
    "written = memoryview(mmap.mmap(os.open('written', os.O_RDWR), 8)).cast('q')\n"
    "lines = 0\n"
    "while True:\n"
    "    print(lines if lines else os.getpid())\n"
    "    lines += 1\n"
    "    written[0] = lines\n"
)
A_LINE_EVERY_MILLISECOND = COUNT + "    time.sleep(0.001)\n"
SPEEDS = pytest.mark.parametrize("code", [A_LINE_EVERY_MILLISECOND, COUNT], ids=["1ms", "flood"])


def lines_written(runner: Runner) -> int:
    (lines,) = struct.unpack("=q", (runner.workspace / "written").read_bytes())
    return int(lines)


def assert_kept(finished: Finished, written: int) -> None:
    """Check that all lines are complete and in order; the last may be incomplete."""
    assert not finished.result["output"]["truncated"]
    assert_lines(finished.text, written)


def assert_lines(text: str, written: int) -> None:
    first, _, rest = text.partition("\n")
    numbers = "".join(f"{number}\n" for number in range(1, text.count("\n") + 1))
    assert first.isdecimal()
    assert numbers.startswith(rest)
    assert text.count("\n") >= written > 10


def started(client: RunnerClient, code: str) -> tuple[Stream, list[dict[str, object]]]:
    """Start code and read its events until it has produced some output."""
    client.stage(python_job(code, outputBytes=2**23, stopGraceMs=1000))
    stream = client.start()
    events = []
    for event in stream:
        events.append(event)
        if len(Finished(events).output) > 500:
            break
    return stream, events


@SPEEDS
def test_a_deadline_keeps_every_line_that_was_written(new_runner: NewRunner, code: str) -> None:
    runner = new_runner()
    finished = runner.client.run(code, timeoutMs=300, outputBytes=2**23)
    assert finished.outcome == "DeadlineExceeded"
    assert_kept(finished, lines_written(runner))


def test_a_deadline_flushes_buffered_output(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import sys, time\nsys.stdout.reconfigure(write_through=False)\n"
        "print('gathered')\ntime.sleep(60)\n",
        timeoutMs=500,
    )
    assert (finished.outcome, finished.text) == ("DeadlineExceeded", "gathered\n")


@pytest.mark.parametrize(
    "wait",
    [
        "with contextlib.redirect_stdout(io.StringIO()): time.sleep(60)",
        "sys.stdout = None; time.sleep(60)",
        "ctypes.CDLL(None).pause()",
        "threading.Lock().acquire(); ctypes.CDLL(None).sleep(60)",
        "while True: pass",
    ],
)
def test_a_deadline_flushes_buffered_output_wherever_the_code_is(
    new_runner: NewRunner, wait: str
) -> None:
    finished = new_runner().client.run(
        "import contextlib, ctypes, io, sys, threading, time\n"
        "sys.stdout.reconfigure(write_through=False)\n"
        f"print('gathered')\n{wait}\n",
        timeoutMs=500,
        stopGraceMs=20_000,
    )
    assert (finished.outcome, finished.text) == ("DeadlineExceeded", "gathered\n")


def cancel(runner: Runner, _: Finished) -> None:
    runner.client.call("cancel")


def kill_worker(_: Runner, so_far: Finished) -> None:
    os.kill(int(so_far.text.split()[0]), signal.SIGKILL)


def kill_launcher(runner: Runner, _: Finished) -> None:
    assert runner.launcher is not None
    runner.launcher.kill()


Kill = Callable[[Runner, Finished], None]


@SPEEDS
@pytest.mark.parametrize(
    ("outcome", "kill"),
    [("Cancelled", cancel), ("CodeError", kill_worker), ("WorkerLost", kill_launcher)],
)
def test_a_kill_keeps_every_line_that_was_written(
    new_runner: NewRunner, code: str, outcome: str, kill: Kill
) -> None:
    runner = new_runner()
    stream, events = started(runner.client, code)
    kill(runner, Finished(events))
    finished = Finished(events + list(stream))
    runner.wait_until_launcher_ends()
    assert finished.outcome == outcome
    assert_kept(finished, lines_written(runner))


def test_the_pods_end_keeps_every_line_that_was_written_before_it(new_runner: NewRunner) -> None:
    runner = new_runner()
    stream, events = started(runner.client, A_LINE_EVERY_MILLISECOND)
    written = lines_written(runner)
    runner.supervisor.send_signal(signal.SIGTERM)
    events += list(stream)
    assert runner.wait_until_supervisor_ends() == 143
    assert {str(event["type"]) for event in events} == {"started", "output"}
    assert_lines(Finished(events).text, written)
