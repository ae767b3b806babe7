"""Code runs in a `__main__` of its own, as a notebook's or a script's does."""

from __future__ import annotations

import pytest

from local_runner import NewRunner

pytestmark = pytest.mark.slow

SCOPES = """
import __main__, inspect, pickle, typing
from dataclasses import dataclass

@dataclass
class Tree:
    parent: 'Tree | None'
    size: int = 1

count = 0

def add(step):
    global count
    count += step
    inner = step
    def more():
        nonlocal inner
        inner += count
        return inner
    return more()

print(typing.get_type_hints(Tree) == {'parent': Tree | None, 'size': int}, Tree.__module__)
print(add(2), count, __main__.count, [count + i for i in range(2)], (lambda: count)())
print(pickle.loads(pickle.dumps(Tree(Tree(None)))) == Tree(Tree(None)))
print(inspect.getsource(add).splitlines()[0], inspect.getsource(lambda: 'here'))
print(inspect.getsourcelines(add)[1], inspect.getmodule(add) is __main__)
print(eval('count'), globals() is vars(__main__), globals() is locals(), __name__)
exec('made = 5')
print(made)
if __name__ == '__main__':
    print('main')
"""


@pytest.mark.executed
def test_scopes_types_sources_and_pickles_work(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(SCOPES)
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == [
        "True __main__",
        "4 2 2 [2, 3] 2",
        "True",
        "def add(step): print(inspect.getsource(add).splitlines()[0], inspect.getsource("
        "lambda: 'here'))",
        "",
        "12 True",
        "2 True True __main__",
        "5",
        "main",
    ]


def test_coroutines_run_and_their_errors_show_the_users_lines(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import asyncio\n"
        "async def double(x):\n"
        "    await asyncio.sleep(0)\n"
        "    if x > 2: raise ValueError('too much')\n"
        "    return 2 * x\n"
        "async def main():\n"
        "    print(await asyncio.gather(double(1), double(2)))\n"
        "    async with asyncio.TaskGroup() as group:\n"
        "        group.create_task(double(3))\n"
        "asyncio.run(main())\n"
    )
    assert finished.text == "[2, 4]\n"
    assert finished.error["type"] == "ExceptionGroup"
    assert "if x > 2: raise ValueError('too much')" in finished.error["traceback"]
    assert "assay_runner" not in finished.error["traceback"]


FORKED = """
import multiprocessing, os
from concurrent.futures import ProcessPoolExecutor
from joblib import Parallel, delayed

def double(x):
    return 2 * x

def say(queue):
    print('child', flush=True)
    queue.put(os.getpid())

with multiprocessing.Pool(2) as pool:
    print(pool.map(double, range(3)))
with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('fork')) as pool:
    print(list(pool.map(double, range(3))))
queue = multiprocessing.SimpleQueue()
process = multiprocessing.Process(target=say, args=(queue,))
process.start()
process.join()
print(process.exitcode, queue.get() == process.pid)
print(Parallel(2)(delayed(double)(x) for x in range(3)))
"""


@pytest.mark.executed
def test_processes_are_forked(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(FORKED)
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == [
        "[0, 2, 4]",
        "[0, 2, 4]",
        "child",
        "0 True",
        "[0, 2, 4]",
    ]


def test_forked_processes_end_when_they_are_terminated_however_soon(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import multiprocessing, time\n"
        "def work(x): return x\n"
        "for i in range(300):\n"
        "    process = multiprocessing.Process(target=time.sleep, args=(600,))\n"
        "    process.start()\n"
        "    process.terminate()\n"
        "    process.join()\n"
        "    assert process.exitcode == -15\n"
        "for i in range(50):\n"
        "    with multiprocessing.Pool(2) as pool: pool.map(work, range(3))\n"
        "print('all ended')\n",
        timeoutMs=300_000,
    )
    assert finished.error is None, finished.error
    assert (finished.outcome, finished.text) == ("Succeeded", "all ended\n")


def test_forked_processes_keep_what_the_code_does_about_termination(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "import os, signal\n"
        "def child_ends_by(handler):\n"
        "    if handler: signal.signal(signal.SIGTERM, handler)\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        os._exit(0)\n"
        "    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\n"
        "print(child_ends_by(None), child_ends_by(lambda *_: os._exit(7)),"
        " child_ends_by(signal.SIG_IGN), signal.pthread_sigmask(signal.SIG_BLOCK, []))\n"
    )
    assert finished.text == "-15 7 0 set()\n"


def test_causes_contexts_groups_and_notes_are_kept(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "def fail():\n"
        "    try:\n"
        "        {}['key']\n"
        "    except KeyError:\n"
        "        1 / 0\n"
        "try:\n"
        "    fail()\n"
        "except ZeroDivisionError as error:\n"
        "    error.add_note('a note')\n"
        "    raise ExceptionGroup('group', [error, ValueError('other')]) from OSError('cause')\n"
    )
    trace = finished.error["traceback"]
    for part in (
        "KeyError: 'key'",
        "During handling of the above exception, another exception occurred",
        "ZeroDivisionError: division by zero",
        "a note",
        "ValueError: other",
        "OSError: cause",
        "The above exception was the direct cause of the following exception",
        "ExceptionGroup: group (2 sub-exceptions)",
        "{}['key']",
        "1 / 0",
    ):
        assert part in trace
    assert "assay_runner" not in trace
    assert finished.error["line"] == 10


HOSTILE_TEXTS = """
class Bad(Exception):
    def __str__(self): raise ValueError('no')
    def __repr__(self): raise SystemExit(3)

{}
"""


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("raise Bad()", "<Bad.__str__ raised ValueError>"),
        ("raise RuntimeError('outer') from Bad()", "outer"),
        ("raise ExceptionGroup('group', [Bad()])", "group (1 sub-exception)"),
    ],
)
def test_exceptions_that_cannot_be_printed_keep_the_traceback(
    new_runner: NewRunner, statement: str, message: str
) -> None:
    finished = new_runner().client.run(HOSTILE_TEXTS.format(statement))
    assert finished.error["message"] == message
    assert finished.error["line"] == 6
    assert statement in finished.error["traceback"]
    assert "<exception str() failed>" in finished.error["traceback"]


def test_texts_of_a_megabyte_in_a_chain_are_cut(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "raise ValueError('a' * 2**20) from ExceptionGroup('b' * 2**20, [OSError('c' * 2**20)])"
    )
    assert finished.error["type"] == "ValueError"
    assert len(finished.error["message"]) <= 4096
    assert len(finished.error["traceback"]) <= 16 * 1024
    assert finished.error["traceback"].endswith("aaa")
