"""Runs of Python code through the real supervisor, launcher and worker."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from local_runner import NewRunner, Runner
from runner_client import Finished, python_job

pytestmark = pytest.mark.slow

Run = Callable[..., Finished]


@pytest.fixture
def run(new_runner: NewRunner) -> Run:
    """Run code in a new runner of its own."""

    def run_code(code: str, **limits: int) -> Finished:
        return new_runner().client.run(code, **limits)

    return run_code


def test_a_plain_run_reports_its_exit_times_and_usage(run: Run) -> None:
    finished = run("print('hello')")
    assert (finished.outcome, finished.text) == ("Succeeded", "hello\n")
    assert finished.result["exit"] == {"code": 0, "signal": None}
    assert finished.result["value"] is None
    assert finished.result["usage"]["cpuMs"] > 0
    assert finished.result["usage"]["peakMemoryBytes"] > 2**20


def test_empty_code_succeeds_without_output(run: Run) -> None:
    finished = run("")
    assert (finished.outcome, finished.output) == ("Succeeded", b"")


def test_the_three_libraries_are_there(run: Run) -> None:
    finished = run("print(pd.Series(np.arange(3)).sum(), px.__name__, dict(datasets))")
    assert finished.text == "3 plotly.express {}\n"


def test_output_keeps_its_order_across_all_ways_to_write(run: Run) -> None:
    finished = run(
        "import os, subprocess, sys\n"
        "print('1')\n"
        "os.write(1, b'2\\n')\n"
        "print('3', file=sys.stderr)\n"
        "subprocess.run(['echo', '4'])\n"
        "os.write(2, b'5\\n')\n"
        "print('6a', end=''); print('6b', file=sys.stderr, end=''); print('6c')\n"
        "sys.stdout.buffer.write(b'7\\n'); sys.stdout.flush()\n"
        "os.system('echo 8')\n"
    )
    assert finished.text == "1\n2\n3\n4\n5\n6a6b6c\n7\n8\n"


def test_output_without_a_line_end_is_kept(run: Run) -> None:
    assert run("print('x', end='')").text == "x"


def test_binary_output_is_kept_to_the_byte(run: Run) -> None:
    finished = run("import os\nos.write(1, bytes(range(256)) * 10)")
    assert finished.output == bytes(range(256)) * 10


def test_text_without_a_utf8_form_is_printed_as_escapes(run: Run) -> None:
    assert run("print('a\\ud800b', 'é€😀')").text == "a\\ud800b é€😀\n"


def test_ten_thousand_lines_arrive_whole_and_in_order(run: Run) -> None:
    finished = run("for i in range(10000): print('line', i)")
    assert finished.text == "".join(f"line {i}\n" for i in range(10000))
    offsets = [event["offset"] for event in finished.events if event["type"] == "output"]
    assert offsets == sorted(set(offsets))
    assert all(len(json.dumps(event)) < 64 * 1024 for event in finished.events)


def test_no_output_at_all_may_be_kept(run: Run) -> None:
    finished = run("print('x')", outputBytes=0)
    assert finished.output == b""
    assert base64.b64decode(finished.result["output"]["tail"]) == b"x\n"


def test_the_supervisor_holds_no_more_than_its_own_limit(new_runner: NewRunner) -> None:
    runner = new_runner(supervisor_environment={"ASSAY_SPOOL_LIMIT_BYTES": "100"})
    assert len(runner.client.run("print('x' * 1000)").output) == 100


def test_an_error_has_type_message_line_and_traceback(run: Run) -> None:
    finished = run("print('before')\nd = {}\nd['x']\n")
    assert finished.outcome == "CodeError"
    assert finished.text == "before\n"
    assert finished.result["exit"] == {"code": 1, "signal": None}
    assert finished.error["type"] == "KeyError"
    assert finished.error["message"] == "'x'"
    assert finished.error["line"] == 3
    lines = finished.error["traceback"].splitlines()
    assert lines[:3] == [
        "Traceback (most recent call last):",
        '  File "main.py", line 3, in <module>',
        "    d['x']",
    ]
    assert lines[-1] == "KeyError: 'x'"
    assert "assay_runner" not in finished.error["traceback"]


def test_the_line_is_the_users_own_also_where_a_library_raised(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "frame = pd.DataFrame({'a': [1]})\n\ndef look(f):\n    return f['b']\n\nlook(frame)"
    )
    assert (finished.error["type"], finished.error["line"]) == ("KeyError", 4)
    assert "return f['b']" in finished.error["traceback"]
    assert "in look" in finished.error["traceback"]


def test_chained_causes_are_shown(run: Run) -> None:
    finished = run(
        "try:\n"
        "    int('x')\n"
        "except ValueError as error:\n"
        "    raise RuntimeError('outer') from error\n"
    )
    trace = finished.error["traceback"]
    assert "ValueError: invalid literal" in trace
    assert "direct cause" in trace
    assert trace.count("Traceback") == 2
    assert finished.error["line"] == 4


def test_generated_code_of_the_same_file_name_shows_no_wrong_line(run: Run) -> None:
    finished = run(
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class Point:\n"
        "    x: int\n"
        "    def __post_init__(self):\n"
        "        raise ValueError('bad')\n"
        "Point(1)\n"
    )
    assert finished.error["line"] == 6
    trace = finished.error["traceback"]
    assert "in __init__\n  File" in trace


def test_an_exception_group_is_described(run: Run) -> None:
    finished = run("raise ExceptionGroup('many', [ValueError('one'), KeyError('two')])")
    assert finished.error["type"] == "ExceptionGroup"
    assert "ValueError: one" in finished.error["traceback"]


def test_a_syntax_error_has_its_line(run: Run) -> None:
    finished = run("x = 1\ny = = 2\n")
    assert (finished.outcome, finished.error["type"]) == ("CodeError", "SyntaxError")
    assert finished.error["line"] == 2
    assert "y = = 2" in finished.error["traceback"]
    assert "assay_runner" not in finished.error["traceback"]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("x = 1\0", ("SyntaxError", "ValueError")),
        ("(" * 1000, ("SyntaxError", "MemoryError")),
        ("def f(): return f()\nf()", ("RecursionError",)),
        ("raise KeyboardInterrupt", ("KeyboardInterrupt",)),
        ("raise GeneratorExit", ("GeneratorExit",)),
        ("input()", ("EOFError",)),
        ("return 1", ("SyntaxError",)),
        ("x = [0] * 2**60", ("MemoryError",)),
    ],
)
def test_whatever_is_raised_is_an_error_of_the_code(
    run: Run, code: str, error: tuple[str, ...]
) -> None:
    finished = run(code)
    assert finished.outcome == "CodeError"
    assert finished.error["type"] in error


def test_an_exception_that_cannot_be_printed_is_still_reported(run: Run) -> None:
    finished = run(
        "class Bad(Exception):\n    def __str__(self): raise ValueError('no')\nraise Bad()"
    )
    assert finished.error["type"] == "Bad"
    assert "__str__ raised ValueError" in finished.error["message"]
    assert finished.error["line"] == 3


def test_a_long_message_is_cut_in_the_middle(run: Run) -> None:
    finished = run("raise ValueError('start' + 'é' * 10**6 + 'end')")
    message = finished.error["message"]
    assert len(message.encode()) <= 4096
    assert message.startswith("start")
    assert message.endswith("end")
    assert "left out" in message
    assert len(finished.error["traceback"].encode()) <= 16 * 1024


@pytest.mark.parametrize("code", ["", "None", "0"])
def test_a_plain_exit_succeeds(run: Run, code: str) -> None:
    finished = run(f"import sys\nprint('x')\nsys.exit({code})")
    assert (finished.outcome, finished.text) == ("Succeeded", "x\n")


def test_an_exit_code_is_an_error_of_the_code(run: Run) -> None:
    finished = run("import sys\nsys.exit(3)")
    assert (finished.outcome, finished.error["type"]) == ("CodeError", "SystemExit")
    assert finished.result["exit"]["code"] == 3
    assert finished.error["line"] == 2


def test_an_exit_text_goes_to_stderr(run: Run) -> None:
    finished = run("import sys\nsys.exit('stop here')")
    assert finished.text == "stop here\n"
    assert (finished.error["type"], finished.error["message"]) == ("SystemExit", "stop here")
    assert finished.result["exit"]["code"] == 1


@pytest.mark.parametrize(
    ("code", "outcome", "exit_report"),
    [
        ("os._exit(0)", "Succeeded", {"code": 0, "signal": None}),
        ("os._exit(7)", "CodeError", {"code": 7, "signal": None}),
        ("os.kill(os.getpid(), 9)", "CodeError", {"code": None, "signal": 9}),
        ("os.abort()", "CodeError", {"code": None, "signal": 6}),
        ("import ctypes; ctypes.string_at(0)", "CodeError", {"code": None, "signal": 11}),
    ],
)
def test_a_process_that_ends_itself_keeps_its_output(
    run: Run, code: str, outcome: str, exit_report: dict[str, object]
) -> None:
    finished = run(f"import os\nprint('before')\n{code}")
    assert finished.text == "before\n"
    assert finished.outcome == outcome
    assert finished.result["exit"] == exit_report
    if outcome == "CodeError":
        assert finished.error["type"] == "ProcessEnded"


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import time; time.sleep(60)",
        "import threading; threading.Lock().acquire(); threading.Event().wait()",
    ],
)
def test_output_before_a_timeout_is_kept(run: Run, code: str) -> None:
    finished = run(f"print('line')\nprint('no line end', end='')\n{code}", timeoutMs=300)
    assert finished.outcome == "DeadlineExceeded"
    assert finished.text == "line\nno line end"
    assert finished.error["line"] == 3


@pytest.mark.executed
def test_code_that_ignores_the_polite_stop_is_killed(run: Run) -> None:
    finished = run(
        "import signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('x')\n"
        "while True: pass",
        timeoutMs=200,
        stopGraceMs=100,
    )
    assert (finished.outcome, finished.text) == ("DeadlineExceeded", "x\n")
    assert finished.result["exit"] == {"code": None, "signal": 9}


def test_compiling_counts_against_the_deadline(run: Run) -> None:
    assert run("x = " + "-" * 60_000 + "1", timeoutMs=5000).outcome == "CodeError"


def test_threads_and_exit_handlers_end_before_the_result(run: Run) -> None:
    finished = run(
        "import atexit, threading, time\n"
        "atexit.register(lambda: print('handler'))\n"
        "def work():\n    time.sleep(0.1)\n    print('thread')\n"
        "threading.Thread(target=work).start()\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "print('main')\n"
    )
    assert (finished.outcome, finished.text) == ("Succeeded", "main\nthread\nhandler\n")


def test_processes_left_behind_are_killed(new_runner: NewRunner) -> None:
    runner = new_runner()
    finished = runner.client.run(
        "import subprocess\n"
        "command = ['sh', '-c', 'echo child; sleep 60 & wait']\n"
        "child = subprocess.Popen(command, start_new_session=True)\n"
        "print(child.pid)\n"
    )
    assert finished.outcome == "Succeeded"
    pid = next(line for line in finished.text.splitlines() if line != "child")
    runner.wait_until_launcher_ends()
    assert not Path(f"/proc/{pid}").exists()


def test_a_forked_child_that_falls_off_the_end_gives_no_result(run: Run) -> None:
    finished = run(
        "import os\n"
        "pid = os.fork()\n"
        "if pid:\n    os.waitpid(pid, 0)\n    print('parent')\n"
        "else:\n    print('child')\n"
    )
    assert (finished.outcome, finished.text) == ("Succeeded", "child\nparent\n")


@pytest.mark.executed
def test_it_looks_like_an_ordinary_main_module(run: Run) -> None:
    finished = run(
        "import inspect, pickle, sys\n"
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Point:\n    x: int\n"
        "def area(a):\n    return a * a\n"
        "if __name__ == '__main__':\n    print('main')\n"
        "print(pickle.loads(pickle.dumps(Point(3))))\n"
        "print(inspect.getsource(area), end='')\n"
        "print(sys.argv, sorted(n for n in dir() if not n.startswith('__')))\n"
    )
    assert finished.error is None, finished.error
    assert finished.text == (
        "main\nPoint(x=3)\ndef area(a):\n    return a * a\n"
        "['main.py'] ['Point', 'area', 'dataclass', 'datasets', 'inspect', 'np', 'pd', 'pickle',"
        " 'px', 'sys']\n"
    )


def test_worker_processes_of_a_pool_work(run: Run) -> None:
    finished = run(
        "from concurrent.futures import ProcessPoolExecutor\n"
        "def double(x): return 2 * x\n"
        "with ProcessPoolExecutor(2) as pool: print(list(pool.map(double, [1, 2])))\n"
    )
    assert finished.text == "[2, 4]\n", finished.events


def test_showing_a_plot_neither_fails_nor_hangs(run: Run) -> None:
    finished = run(
        "px.line([1, 2]).show()\n"
        "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.savefig('plot.png')\n"
        "import os; print(os.path.getsize('plot.png') > 0)\n"
    )
    assert finished.error is None
    assert finished.text.endswith("True\n")


@pytest.mark.executed
def test_home_and_temporary_files_are_on_the_scratch_directory(new_runner: NewRunner) -> None:
    runner = new_runner(worker_environment={"KUBERNETES_SERVICE_HOST": "x", "OMP_NUM_THREADS": "1"})
    finished = runner.client.run(
        "import os, tempfile\n"
        "print(os.getcwd(), os.environ['HOME'], tempfile.gettempdir())\n"
        "print('KUBERNETES_SERVICE_HOST' in os.environ, os.environ['OMP_NUM_THREADS'])\n"
    )
    scratch = str(runner.scratch)
    assert finished.text == f"{runner.workspace} {scratch} {scratch}\nFalse 1\n"


AS_AN_UNKNOWN_USER = ["unshare", "--user", "--map-user=31001", "--map-group=31001"]


@pytest.mark.executed
def test_a_user_that_nobody_knows_has_a_name_a_home_and_temporary_files(
    new_runner: NewRunner,
) -> None:
    runner = new_runner(launcher_prefix=AS_AN_UNKNOWN_USER)
    finished = runner.client.run(
        "import getpass, os, pathlib, tempfile\n"
        "import matplotlib.pyplot as plt\n"
        "print(os.getuid(), getpass.getuser(), os.environ['LOGNAME'])\n"
        "print(os.path.expanduser('~'), pathlib.Path.home())\n"
        "print(os.path.dirname(tempfile.NamedTemporaryFile().name))\n"
        "plt.plot([1]); plt.savefig('plot.png')\n"
    )
    assert finished.error is None, finished.error
    scratch = runner.scratch
    assert finished.text == f"31001 assay assay\n{scratch} {scratch}\n{scratch}\n"


@pytest.mark.executed
def test_user_code_can_neither_inspect_nor_stop_the_launcher(run: Run) -> None:
    finished = run(
        "import os, signal\n"
        "parent = os.getppid()\n"
        "for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "    os.kill(parent, number)\n"
        "if os.getuid() != 0:\n"
        "    for name in ('mem', 'environ', 'fd'):\n"
        "        try: os.open(f'/proc/{parent}/{name}', os.O_RDONLY); print('opened')\n"
        "        except PermissionError: pass\n"
        "print(sorted(map(int, os.listdir('/proc/self/fd'))), os.get_inheritable(960))\n"
    )
    assert finished.outcome == "Succeeded"
    # The fourth is the listing itself, the others are the control socket and the stack's file.
    assert finished.text.endswith("[0, 1, 2, 3, 960, 961] False\n")


@pytest.mark.executed
def test_user_code_can_change_neither_limits_nor_priority_of_the_launcher(run: Run) -> None:
    finished = run(
        "import ctypes, os, resource, subprocess, sys\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def set_all(pid):\n"
        "    yield lambda: resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))\n"
        "    yield lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))\n"
        "    yield lambda: os.sched_setaffinity(pid, os.sched_getaffinity(0))\n"
        "    yield lambda: os.setpriority(os.PRIO_PROCESS, pid, 5)\n"
        "def count_refused(attempts):\n"
        "    refused = 0\n"
        "    for attempt in attempts:\n"
        "        try: attempt()\n"
        "        except PermissionError: refused += 1\n"
        "    return refused\n"
        "launcher = os.getppid()\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "groups = [lambda: os.setpriority(os.PRIO_PGRP, 0, 5),\n"
        "          lambda: os.setpriority(os.PRIO_USER, os.getuid(), 5)]\n"
        "print(count_refused(set_all(launcher)), count_refused(groups))\n"
        "print(count_refused(set_all(child.pid)), count_refused(set_all(0)))\n"
        "print(resource.prlimit(launcher, resource.RLIMIT_CORE) is not None)\n"
        "limit = (ctypes.c_ulong * 2)(0, 0)\n"
        "wide = ctypes.c_ulong(launcher | 1 << 32)\n"
        "print(libc.syscall(302, wide, 4, limit, 0) if os.uname().machine == 'x86_64' else -1)\n"
        "child.kill()\n"
    )
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == ["4 2", "0 0", "True", "-1"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root may make a process namespace")
def test_as_process_one_the_launcher_survives_every_signal_and_leaves_nothing_behind(
    new_runner: NewRunner,
) -> None:
    runner = new_runner(launcher_prefix=["unshare", "--pid", "--fork", "--kill-child"])
    finished = runner.client.run(
        "import os, signal, subprocess\n"
        "for number in signal.valid_signals(): os.kill(1, number)\n"
        "subprocess.Popen(['setsid', 'sh', '-c', 'sleep 60 & sleep 60'])\n"
        "print(os.getppid())\n"
    )
    assert (finished.outcome, finished.text) == ("Succeeded", "1\n")
    runner.client.call("ack", seq=finished.result["seq"])
    assert runner.wait_until_launcher_ends() == 0


def test_a_forged_result_only_ends_the_run(run: Run) -> None:
    finished = run(
        "import json, os, struct, time\n"
        "def say(value):\n"
        "    data = json.dumps(value).encode()\n"
        "    os.write(960, struct.pack('>I', len(data)) + data)\n"
        "print('before')\n"
        "error = {'type': 'Forged', 'message': 'm' * 9000, 'line': 1, 'traceback': None}\n"
        "say({'type': 'result', 'error': error, 'value': None})\n"
        "say({'type': 'result', 'error': None, 'value': None})\n"
        "while True: time.sleep(1)\n",
        # The worker never exits.
        timeoutMs=5000,
        stopGraceMs=100,
    )
    assert (finished.outcome, finished.error["type"]) == ("CodeError", "Forged")
    assert len(finished.error["message"]) <= 4096
    assert finished.text == "before\n"


@pytest.mark.parametrize(
    "forged",
    [
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x02[]",
        b"\x00\x00\x00\x02{}",
        b"\x00\x00\x00\x05{{{{{",
        b'\x00\x00\x00\x12{"type": "started"}'[:22],
        b'\x00\x00\x00\x26{"type":"result","error":5,"value":[]}',
        b'\x00\x00\x00\x2f{"type":"result","error":null,"value":[1e999999]}'[:51],
    ],
)
def test_a_broken_message_does_no_harm(run: Run, forged: bytes) -> None:
    finished = run(f"import os\nos.write(960, {forged!r})\nprint('after')")
    assert (finished.outcome, finished.text) == ("Succeeded", "after\n")


def test_closing_every_descriptor_does_not_lose_the_end(run: Run) -> None:
    finished = run("import os\nprint('before')\nos.closerange(0, 100)\n1/0")
    assert finished.text == "before\n"
    assert finished.outcome == "CodeError"
    assert finished.result["exit"]["code"] == 1


def test_the_acknowledgement_of_the_result_ends_supervisor_and_launcher(
    new_runner: NewRunner,
) -> None:
    runner = new_runner()
    runner.acknowledge(runner.client.run("print('x')"))
    assert runner.wait_until_supervisor_ends() == 0
    assert runner.wait_until_launcher_ends() == 0


def test_the_supervisor_ends_while_idle_connections_are_open(new_runner: NewRunner) -> None:
    runner = new_runner()
    idle = runner.client.connect()
    idle.connect()
    finished = runner.client.run("")
    runner.client.call("ack", seq=finished.result["seq"])
    assert runner.wait_until_supervisor_ends() == 0
    idle.close()


@pytest.mark.executed
def test_the_pods_end_flushes_the_stream_and_ends_the_worker(new_runner: NewRunner) -> None:
    runner = new_runner()
    runner.client.stage(python_job("print('x')\nwhile True: pass"))
    stream = runner.client.start()
    stream.until("output")
    runner.supervisor.send_signal(signal.SIGTERM)
    assert list(stream) == []
    assert runner.wait_until_supervisor_ends() == 143
    runner.wait_until_launcher_ends()


def wait_until_ready(runner: Runner) -> None:
    end = time.monotonic() + 20
    while runner.client.request("GET", "/v1/ready").status != 200:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_supervisor_accepts_only_one_launcher(new_runner: NewRunner) -> None:
    runner = new_runner()
    wait_until_ready(runner)
    assert not runner.socket.exists()


@pytest.mark.executed
def test_a_worker_that_never_connects_fails_to_start(
    new_runner: NewRunner,
) -> None:
    runner = new_runner(worker=None)
    assert runner.socket.exists()
    assert runner.client.request("GET", "/v1/ready").code == "NotReady"
    finished = runner.client.run("", startTimeoutMs=200)
    assert (finished.outcome, finished.error["type"]) == ("StartFailed", "StartTimeout")


@pytest.mark.executed
def test_a_launcher_that_is_killed_is_a_lost_worker_with_all_earlier_output(
    new_runner: NewRunner,
) -> None:
    runner = new_runner()
    client = runner.client
    client.stage(python_job("import os\nprint('x' * 100000)\nprint('end')\nwhile True: pass"))
    stream = client.start()
    events = []
    for event in stream:
        events.append(event)
        if Finished(events).output.endswith(b"end\n"):
            break
    assert runner.launcher is not None
    runner.launcher.kill()
    events += list(stream)
    finished = Finished(events)
    assert finished.outcome == "WorkerLost"
    assert finished.text == "x" * 100000 + "\nend\n"
    assert finished.result["exit"] == {"code": None, "signal": None}


@pytest.mark.executed
def test_a_worker_killed_before_it_was_given_a_job_fails_to_start(new_runner: NewRunner) -> None:
    runner = new_runner()
    wait_until_ready(runner)
    assert runner.launcher is not None
    children = subprocess.run(
        ["ps", "--ppid", str(runner.launcher.pid), "-o", "pid="],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    os.kill(int(children[0]), signal.SIGKILL)
    runner.wait_until_launcher_ends()
    finished = runner.client.run("print(1)")
    assert finished.outcome == "StartFailed"
    assert "signal 9" in finished.error["message"]


@pytest.mark.executed
def test_a_missing_dataset_fails_to_start(new_runner: NewRunner, tmp_path: Path) -> None:
    finished = new_runner(datasets={"sales": tmp_path}).client.run("print(1)")
    assert finished.outcome == "StartFailed"
    assert finished.error["type"] == "SnapshotError"


def test_a_supervisor_without_its_settings_says_which(interpreter: str) -> None:
    process = subprocess.run(
        [interpreter, "-I", "-m", "assay_runner.supervisor"],
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert process.stderr == "assay_runner.supervisor: ASSAY_POD_UID is not set\n"


@pytest.mark.parametrize(
    "arguments", [[], ["perl"], ["python", "--dataset"], ["python", "--dataset", "../x"]]
)
def test_a_launcher_refuses_what_it_does_not_know(interpreter: str, arguments: list[str]) -> None:
    process = subprocess.run(
        [interpreter, "-I", "-m", "assay_runner.launcher", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert process.stderr.startswith("assay_runner.launcher: ")
