"""Code is the script `main.py`, which CPython runs like any other."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from assay_runner.frames import encode
from assay_runner.launcher import worker_process
from assay_runner.launcher.command import Command
from assay_runner.stack import STACK_FD, StackFile
from assay_runner.workers import PYTHON_CONTROL_FD, WORKERS
from local_runner import NewRunner

pytestmark = pytest.mark.slow


def output_of(new_runner: NewRunner, code: str, **limits: int) -> str:
    finished = new_runner().client.run(code, **limits)
    assert finished.outcome == "Succeeded", finished.error
    return finished.text


@pytest.mark.parametrize(
    "code",
    [
        "import io, sys\nout = io.TextIOWrapper(sys.stdout.buffer)\nout.write('x')",
        "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer)\nprint('x', end='')",
        "out = open('/dev/stdout', 'w')\nout.write('x')",
        "out = open(1, 'w', closefd=False)\nout.write('x')",
        "class Report:\n    def __init__(self):\n        self.me, self.out = self, open(1, 'w')\n"
        "report = Report()\nreport.out.write('x')",
    ],
    ids=["wrapped", "replaced", "device", "descriptor", "cycle"],
)
def test_what_code_writes_to_streams_of_its_own_is_in_the_output(
    new_runner: NewRunner, code: str
) -> None:
    assert output_of(new_runner, code) == "x"


def test_files_that_are_left_open_are_whole(new_runner: NewRunner) -> None:
    runner = new_runner()
    finished = runner.client.run(
        "file = open('one', 'w'); file.write('1')\n"
        "class Holder: pass\n"
        "Holder.file = open('two', 'w'); Holder.file.write('2')\n"
        "def keep(f=open('three', 'w')): return f\n"
        "keep().write('3')\n"
    )
    assert finished.error is None, finished.error
    assert [(runner.workspace / name).read_text() for name in ("one", "two", "three")] == list(
        "123"
    )


OBJECTS_AT_THE_END = """
import atexit, gc, os, sys
class Named:
    def __init__(self, name): self.name = name
    def __del__(self): print('gone', self.name)
kept = Named('global')
_private = Named('private')
ring = Named('ring'); ring.self = ring
with open('helper.py', 'w') as file: file.write('kept = None')
import helper
helper.kept = Named('in a module')
atexit.register(print, 'handler')
print('end')
"""


def test_objects_are_finalized_as_by_plain_python(
    new_runner: NewRunner, interpreter: str, tmp_path: Path
) -> None:
    script = tmp_path / "main.py"
    script.write_text(OBJECTS_AT_THE_END)
    plain = subprocess.run(
        [interpreter, script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert plain.stdout.count("gone") == 4
    assert output_of(new_runner, OBJECTS_AT_THE_END) == plain.stdout


def test_daemon_threads_that_still_run_at_the_end_print_nothing(new_runner: NewRunner) -> None:
    code = (
        "import threading\n"
        "number = 0\n"
        "def count():\n"
        "    global number\n"
        "    while True:\n"
        "        import decimal\n"
        "        number += len(str(number))\n"
        "for _ in range(3): threading.Thread(target=count, daemon=True).start()\n"
    )
    assert output_of(new_runner, code) == ""


def test_finalization_that_takes_long_is_waited_for_within_the_time_limit(
    new_runner: NewRunner,
) -> None:
    slow = (
        "import time\nclass Slow:\n    def __del__(self): time.sleep({}); print('gone')\nx = Slow()"
    )
    limits = {"timeoutMs": 60_000, "stopGraceMs": 1}
    assert output_of(new_runner, slow.format(0.5), **limits) == "gone\n"
    assert output_of(new_runner, slow.format(6), **limits) == "gone\n"
    finished = new_runner().client.run(slow.format(600), timeoutMs=1000)
    assert (finished.outcome, finished.text) == ("DeadlineExceeded", "")
    assert finished.error is not None
    assert finished.error["line"] == 3


FRAMES = """
import inspect, sys, traceback, warnings
def outer(): return inner()
def inner(): return [frame.function for frame in inspect.stack()]
print(outer(), sys._getframe().f_back)
traceback.print_stack(file=sys.stdout)
def complain(): warnings.warn('old', stacklevel=2)
complain()
warnings.warn('too far', stacklevel=2)
try: 1 / 0
except ZeroDivisionError: traceback.print_exc()
"""


@pytest.mark.executed
def test_no_frame_is_there_but_those_of_the_code(new_runner: NewRunner) -> None:
    runner = new_runner()
    script = runner.workspace / "main.py"
    finished = runner.client.run(FRAMES)
    assert finished.text.splitlines() == [
        "['inner', 'outer', '<module>'] None",
        f'  File "{script}", line 6, in <module>',
        "    traceback.print_stack(file=sys.stdout)",
        f"{script}:8: UserWarning: old",
        "  complain()",
        "sys:1: UserWarning: too far",
        "Traceback (most recent call last):",
        f'  File "{script}", line 10, in <module>',
        "    try: 1 / 0",
        "         ~~^~~",
        "ZeroDivisionError: division by zero",
    ]


SOURCES = """
import inspect, linecache, os, sys
class Point:
    x = 1
print(inspect.getsource(Point), end='')
print(os.path.samefile(__file__, 'main.py'), sys.flags.inspect, sys.flags.isolated)
exec(compile('def made():\\n    return 1', '<string>', 'exec'))
try: print(inspect.getsource(made))
except OSError as error: print(error)
with open('helper.py', 'w') as file: file.write('def double(x): return 2 * x')
import helper
print(helper.double(2), inspect.getsource(helper.double))
print([name for name in os.environ if name.startswith(('PYTHON', 'RUN_DATASETS'))])
print([path for path in sys.path if 'startup' in path])
"""


@pytest.mark.executed
def test_the_script_is_a_file_that_has_its_source_and_modules_beside_it(
    new_runner: NewRunner,
) -> None:
    environment = {"PYTHONDONTWRITEBYTECODE": "1"}
    finished = new_runner(worker_environment=environment).client.run(SOURCES)
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == [
        "class Point:",
        "    x = 1",
        "True 0 0",
        "could not get source code",
        "4 def double(x): return 2 * x",
        "",
        "[]",
        "[]",
    ]


SPAWNED = """
import multiprocessing, os
from concurrent.futures import ProcessPoolExecutor

def double(x):
    return 2 * x

if __name__ == '__main__':
    context = multiprocessing.get_context(METHOD)
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        print(list(pool.map(double, range(3))))
    process = context.Process(target=print, args=('child',))
    process.start()
    process.join()
    print(process.exitcode)
"""


@pytest.mark.executed
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_may_be_spawned(new_runner: NewRunner, method: str) -> None:
    code = f"import tempfile; tempfile.tempdir = '/tmp'\n{SPAWNED}".replace("METHOD", repr(method))
    assert output_of(new_runner, code) == "[0, 2, 4]\nchild\n0\n"


def test_signals_are_as_python_has_them(new_runner: NewRunner) -> None:
    text = output_of(
        new_runner,
        "import signal\n"
        "print(signal.getsignal(signal.SIGTERM).name, signal.getsignal(signal.SIGINT).__name__)\n",
    )
    assert text == "SIG_DFL default_int_handler\n"


def test_the_codes_own_excepthook_is_called_and_the_error_is_reported(
    new_runner: NewRunner,
) -> None:
    finished = new_runner().client.run(
        "import sys\n"
        "sys.excepthook = lambda kind, error, trace: print('hook:', error)\n"
        "raise ValueError('wrong')\n"
    )
    assert (finished.outcome, finished.text) == ("CodeError", "hook: wrong\n")
    error = finished.error
    assert (error["type"], error["message"], error["line"]) == ("ValueError", "wrong", 3)
    assert finished.result["exit"] == {"code": 1, "signal": None}


def test_an_error_in_a_forked_process_is_printed(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import os\n"
        "pid = os.fork()\n"
        "if pid == 0: raise ValueError('of the child')\n"
        "os.waitpid(pid, 0)\n"
    )
    assert finished.outcome == "Succeeded"
    assert finished.text.startswith("Traceback (most recent call last):\n")
    assert finished.text.endswith("ValueError: of the child\n")


@pytest.mark.parametrize(
    ("code", "expected", "exit_code", "output"),
    [
        ("sys.exit(256)", None, 0, ""),
        ("sys.exit(-1)", ("SystemExit", "-1", 2), 255, ""),
        ("sys.exit(2**70)", ("SystemExit", str(2**70), 2), 255, ""),
        ("exit(3)", ("SystemExit", "3", 2), 3, ""),
        ("quit('enough')", ("SystemExit", "enough", 2), 1, "enough\n"),
        ("raise SystemExit(3)", ("SystemExit", "3", None), 3, ""),
        ("raise SystemExit('enough')", ("SystemExit", "1", None), 1, "enough\n"),
        ("try: sys.exit(3)\nexcept SystemExit: pass", None, 0, ""),
        (
            "try: sys.exit(3)\nexcept SystemExit: raise SystemExit(4)",
            ("SystemExit", "4", None),
            4,
            "",
        ),
        ("try: sys.exit(3)\nexcept SystemExit: {}['x']", ("KeyError", "'x'", 3), 1, ""),
    ],
)
def test_an_exit_is_reported_as_the_operating_system_sees_it(
    new_runner: NewRunner,
    code: str,
    expected: tuple[str, str, int | None] | None,
    exit_code: int,
    output: str,
) -> None:
    finished = new_runner().client.run(f"import sys\n{code}")
    error = finished.error
    assert (error and (error["type"], error["message"], error["line"])) == expected
    assert finished.result["exit"] == {"code": exit_code, "signal": None}
    assert (finished.outcome, finished.text) == ("CodeError" if expected else "Succeeded", output)


def test_the_traceback_of_an_exit_is_that_of_the_code(new_runner: NewRunner) -> None:
    finished = new_runner().client.run("import sys\ndef stop(): sys.exit('no')\nstop()")
    assert finished.error["traceback"] == (
        "Traceback (most recent call last):\n"
        '  File "main.py", line 3, in <module>\n'
        "    stop()\n"
        '  File "main.py", line 2, in stop\n'
        "    def stop(): sys.exit('no')\n"
        "SystemExit: no"
    )


def test_streams_that_cannot_be_flushed_at_the_end_are_an_error(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import os, sys\nsys.stdout = open('/dev/full', 'w')\nprint('x')\n"
    )
    assert (finished.outcome, finished.error["type"]) == ("CodeError", "ProcessEnded")
    assert "exit code 120" in finished.error["message"]


AS_ROOT = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
READ_ONLY_SCRATCH = [
    *["unshare", *AS_ROOT, "--mount", "sh", "-e", "-c"],
    'mount -t tmpfs -o ro tmpfs "$ASSAY_SCRATCH_DIR";'
    ' mount --bind "$ASSAY_SCRATCH_DIR" "$ASSAY_WORKSPACE_DIR"; exec "$@"',
    "sh",
]


@pytest.mark.executed
def test_a_script_that_cannot_be_written_fails_to_start(new_runner: NewRunner) -> None:
    runner = new_runner(launcher_prefix=READ_ONLY_SCRATCH)
    finished = runner.client.run("print('ran')")
    assert (finished.outcome, finished.text) == ("StartFailed", "")
    assert finished.error["type"] == "OSError"


def test_code_is_not_run_where_its_start_cannot_be_announced(
    interpreter: str, tmp_path: Path
) -> None:
    supervisor, worker = socket.socketpair()
    command = Command(
        "python", (), "", {}, "", str(tmp_path), str(tmp_path), "", network_filter=False
    )
    stack = StackFile()

    def hand_over() -> None:
        os.dup2(os.dup(worker.fileno()), PYTHON_CONTROL_FD)
        os.dup2(stack.descriptor, STACK_FD)

    with supervisor, worker:
        process = subprocess.Popen(
            [interpreter, *WORKERS["python"].command[1:]],
            cwd=tmp_path,
            env=worker_process.worker_environment(os.environ, command),
            close_fds=False,
            preexec_fn=hand_over,
        )
        assert b"ready" in supervisor.recv(4096)
        supervisor.shutdown(socket.SHUT_RD)
        supervisor.sendall(encode({"code": "open('ran', 'w')"}))
        assert process.wait(20) == 1
    assert (tmp_path / "main.py").exists()
    assert not (tmp_path / "ran").exists()
