"""Output is in the pipe at once: in order, complete, and however the process ends."""

from __future__ import annotations

import json
import os
import signal

import pytest

from local_runner import NewRunner
from runner_client import Finished

pytestmark = pytest.mark.slow

EVERY_WRITER = """
import ctypes, faulthandler, logging, os, subprocess, sys, warnings
libc = ctypes.CDLL(None)
print(1, end=' ')
os.write(1, b'2 ')
libc.printf(b'3 ')
print(4, end=' ', file=sys.stderr)
subprocess.run(['printf', '5 '])
sys.stdout.write('6 ')
os.system('printf "7 "')
libc.puts(b'8')
os.write(2, b'9 ')
sys.stdout.buffer.write(b'10 ')
pid = os.fork()
if pid == 0:
    print(11, end=' ')
    os._exit(0)
os.waitpid(pid, 0)
print(12, end=' ')
os.posix_spawn('/bin/sh', ['sh', '-c', 'printf "13 "'], os.environ)
os.wait()
sys.stderr.write('14 ')
print(15, 16, sep=' ', end=' ')
os.writev(1, [b'17', b' '])
print(18, flush=True)
logging.warning('19')
warnings.warn('20')
print('21', end='')
faulthandler.dump_traceback(all_threads=False)
print('22', end='')
"""


@pytest.mark.executed
def test_output_keeps_its_order_across_all_writers_even_within_a_line(
    new_runner: NewRunner,
) -> None:
    runner = new_runner()
    script = runner.workspace / "main.py"
    finished = runner.client.run(EVERY_WRITER)
    assert finished.error is None, finished.error
    first, second, *rest = finished.text.splitlines()
    assert f"{first} {second}".split() == [str(number) for number in range(1, 19)]
    assert rest[:4] == [
        "WARNING:root:19",
        f"{script}:27: UserWarning: 20",
        "  warnings.warn('20')",
        "21Stack (most recent call first):",
    ]
    assert rest[4] == f'  File "{script}", line 29 in <module>'
    assert rest[-1] == "22"


@pytest.mark.parametrize("write", ["print('x', end=', ')", "sys.stdout.write('x, ')"])
@pytest.mark.parametrize(
    ("end", "exit_report"),
    [
        ("os._exit(0)", {"code": 0, "signal": None}),
        ("os.kill(os.getpid(), signal.SIGKILL)", {"code": None, "signal": signal.SIGKILL}),
        ("os.abort()", {"code": None, "signal": signal.SIGABRT}),
        ("ctypes.string_at(0)", {"code": None, "signal": signal.SIGSEGV}),
        ("os.execv('/bin/true', ['true'])", {"code": 0, "signal": None}),
    ],
)
def test_a_part_of_a_line_is_kept_whatever_ends_the_process(
    new_runner: NewRunner, write: str, end: str, exit_report: dict[str, object]
) -> None:
    finished = new_runner().client.run(f"import ctypes, os, signal, sys\n{write}\n{end}")
    assert finished.text == "x, "
    assert finished.result["exit"] == exit_report


def test_a_part_of_a_line_is_kept_where_code_cannot_be_interrupted(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import ctypes\n"
        "print('x', end=', ')\n"
        "ctypes.PyDLL(None).pause()\n",  # It does not let other Python code run.
        timeoutMs=300,
        stopGraceMs=100,
    )
    assert (finished.outcome, finished.text) == ("DeadlineExceeded", "x, ")


def test_a_forked_process_repeats_nothing(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import os\nprint('x', end='')\npid = os.fork()\nif pid: os.waitpid(pid, 0)\n"
    )
    assert finished.text == "x"


INTERRUPTED = """
import signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
"""
NON_BLOCKING = "import os\nos.set_blocking(1, False)\n"
LONG = 3 * 2**20


@pytest.mark.parametrize("hindrance", [INTERRUPTED, NON_BLOCKING], ids=["signals", "non-blocking"])
@pytest.mark.parametrize(
    "write",
    [
        f"print('x' * {LONG})",
        f"sys.stdout.write('x' * {LONG}); print()",
        f"sys.stdout.buffer.write(np.full({LONG // 4}, 0x78787878, 'int32')); print()",
    ],
    ids=["print", "text", "array"],
)
def test_long_output_is_written_whole(new_runner: NewRunner, hindrance: str, write: str) -> None:
    finished = new_runner().client.run(
        f"import sys\n{hindrance}\n{write}\nfor i in range(20000): print('x' * 100)",
        outputBytes=2**23,
    )
    assert finished.error is None, finished.error
    assert finished.text == "x" * LONG + "\n" + ("x" * 100 + "\n") * 20000


STANDARD_STREAMS = """
import contextlib, io, pickle, sys
print(sys.stdout.encoding, sys.stdout.errors, sys.stdout.name, sys.stdout.mode, sys.stdout.fileno())
print(sys.stderr.encoding, sys.stderr.errors, sys.stderr.name, sys.stderr.mode, sys.stderr.fileno())
print(isinstance(sys.stdout, io.TextIOWrapper), sys.stdout is sys.__stdout__, sys.stdout.isatty())
print(pickle.loads(pickle.dumps(print)) is print, print.__name__, print.__doc__[:6])
print('a', 1, None, sep='-', end='!\\n')
print('a', 'b', sep=None, end=None)
print(end='')
print()
with contextlib.redirect_stdout(io.StringIO()) as caught:
    print('caught', 1)
print(repr(caught.getvalue()))
for wrong in ({'sep': 1}, {'end': 1}, {'other': 1}):
    try: print('x', **wrong)
    except TypeError as error: print(error)
sys.stdout.reconfigure(line_buffering=True)
print('é', 'x' * 5000 == 'x' * 5000)
sys.stdout = None
print('nowhere')
"""


def test_print_and_the_streams_are_as_python_has_them(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(STANDARD_STREAMS)
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == [
        "utf-8 backslashreplace <stdout> w 1",
        "utf-8 backslashreplace <stderr> w 2",
        "True True False",
        "True print Prints",
        "a-1-None!",
        "a b",
        "",
        "'caught 1\\n'",
        "sep must be None or a string, not int",
        "end must be None or a string, not int",
        "print() got an unexpected keyword argument 'other'",
        "é True",
    ]


PRINT_PIECES = """
import json, os, sys
reader, packets = os.pipe2(os.O_DIRECT)
kept = os.dup(1)
os.dup2(packets, 1)
os.dup2(packets, 2)
os.set_blocking(reader, False)
written = {}
for name, write in WRITES.items():
    write()
    pieces = []
    while True:
        try: pieces.append(os.read(reader, 4096))
        except BlockingIOError: break
    written[name] = b"|".join(pieces).decode()
os.dup2(kept, 1)
print(json.dumps(written))
"""


def pieces(new_runner: NewRunner, writes: str) -> dict[str, str]:
    """What each of `WRITES` writes, with a bar between system calls."""
    finished = new_runner().client.run(writes + PRINT_PIECES)
    assert finished.error is None, finished.error
    written: dict[str, str] = json.loads(finished.text)
    return written


def test_a_print_is_one_write_at_once(new_runner: NewRunner) -> None:
    writes = """
import sys
WRITES = {
    'one': lambda: print('x'),
    'number': lambda: print(1),
    'several': lambda: print('line', 1, None),
    'part': lambda: print('x', end=''),
    'nothing': lambda: print(),
    'no utf-8': lambda: print('\\ud800'),
    'after a part': lambda: (sys.stdout.write('x'), print('y')),
}
"""
    assert pieces(new_runner, writes) == {
        "one": "x\n",
        "number": "1\n",
        "several": "line 1 None\n",
        "part": "x",
        "nothing": "\n",
        "no utf-8": "\\ud800\n",
        "after a part": "x|y\n",
    }


def test_text_that_is_written_is_one_write_at_once(new_runner: NewRunner) -> None:
    writes = """
import sys
class Name(str): pass
WRITES = {
    'part': lambda: sys.stdout.write('x'),
    'line': lambda: sys.stdout.write('x\\n'),
    'longer in bytes': lambda: sys.stdout.write('é'),
    'no utf-8': lambda: sys.stdout.write('\\ud800'),
    'of a subclass': lambda: sys.stdout.write(Name('x')),
    'lines': lambda: sys.stdout.writelines(['x\\n', 'y\\n']),
    'error': lambda: sys.stderr.write('x'),
    'bytes': lambda: sys.stdout.buffer.write(b'x'),
}
"""
    assert pieces(new_runner, writes) == {
        "part": "x",
        "line": "x\n",
        "longer in bytes": "é",
        "no utf-8": "\\ud800",
        "of a subclass": "x",
        "lines": "x\n|y\n",
        "error": "x",
        "bytes": "x",
    }


STREAM_METHODS = """
import sys
print(sys.stdout.write('é\\n'), sys.stdout.write('x' * 5000) == 5000)
for wrong in (b'x', None):
    try: sys.stdout.write(wrong)
    except TypeError as error: print(error)
sys.stdout.reconfigure(encoding='ascii', errors='replace')
print('é€')
stdout = sys.stdout
sys.stdout = sys.stderr
stdout.close()
try: stdout.write('x')
except ValueError as error: print(error)
raw = sys.stderr.detach()
try: sys.stderr.write('x')
except ValueError as error: raw.write(str(error).encode())
sys.stdout = sys.stderr = None
"""


def test_a_stream_that_is_changed_writes_as_python_does(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(STREAM_METHODS)
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == [
        "é",
        "x" * 5000 + "2 True",
        "write() argument must be str, not bytes",
        "write() argument must be str, not None",
        "??",
        "I/O operation on closed file.",
        "underlying buffer has been detached",
    ]


@pytest.mark.parametrize(
    "end",
    ["pass", "raise ValueError", "sys.exit(3)"],
    ids=["end", "error", "exit"],
)
def test_code_may_buffer_its_output(new_runner: NewRunner, end: str) -> None:
    finished = new_runner().client.run(
        "import sys\nsys.stdout.reconfigure(write_through=False)\n"
        f"for i in range(5000): print(i)\n{end}\n"
    )
    assert finished.text == "".join(f"{i}\n" for i in range(5000))


def lines_by_thread(finished: Finished) -> dict[str, int]:
    counts: dict[str, int] = {}
    for line in finished.text.splitlines():
        counts[line] = counts.get(line, 0) + 1
    return counts


def test_lines_of_threads_and_processes_are_not_torn(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import os, threading\n"
        "def work(name):\n"
        "    for i in range(2000): print(name, 'has written', 'a line')\n"
        "threads = [threading.Thread(target=work, args=(name,)) for name in 'ab']\n"
        "pid = os.fork()\n"
        "if pid == 0: work('c'); os._exit(0)\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "os.waitpid(pid, 0)\n"
    )
    assert lines_by_thread(finished) == {f"{name} has written a line": 2000 for name in "abc"}


def test_closed_descriptors_are_errors_of_the_code_that_prints(new_runner: NewRunner) -> None:
    finished = new_runner().client.run("import os\nprint('before')\nos.close(1)\nprint('after')")
    assert (finished.outcome, finished.text) == ("CodeError", "before\n")
    assert (finished.error["type"], finished.error["line"]) == ("OSError", 4)
    assert finished.error["message"] == f"[Errno 9] {os.strerror(9)}"
    assert "assay_runner" not in finished.error["traceback"]


def test_standard_error_goes_on_where_standard_output_is_closed(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import os, sys\nos.close(1)\nprint('still here', file=sys.stderr)"
    )
    assert (finished.outcome, finished.text) == ("Succeeded", "still here\n")


def test_buffered_output_is_written_by_a_print_with_flush(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import os, sys\n"
        "sys.stdout.reconfigure(write_through=False)\n"
        "print('gathered')\n"
        "print('and', 'written', flush=True)\n"
        "print('lost')\n"
        "os._exit(0)\n"
    )
    assert finished.text == "gathered\nand written\n"
