"""The supervisor's log: the steps of its run and, if enabled, the output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from assay_runner.supervisor.mirror import MAX_LINE_BYTES, MarkedLines, Mirror
from local_runner import NewRunner, Runner
from messages import Messages
from runner_client import Finished, python_job

pytestmark = pytest.mark.slow

MIRRORING = {"ASSAY_MIRROR_OUTPUT": "true"}


def mirrored(runner: Runner, finished: Finished) -> list[bytes]:
    """The lines that the container's stdout has at its end."""
    runner.acknowledge(finished)
    assert runner.wait_until_supervisor_ends() == 0
    return runner.read_stdout().splitlines()


def events(runner: Runner) -> list[object]:
    return [record["event"] for record in runner.records]


def test_a_run_leaves_one_record_for_each_step(new_runner: NewRunner) -> None:
    runner = new_runner()
    finished = runner.client.run("print('x')")
    assert events(runner) == ["staged", "sent", "started"]
    for record in runner.records:
        assert set(record) == {"event", "runUid", "podUid", "atMs"}
        assert (record["runUid"], record["podUid"]) == ("run-1", "pod-1")
    assert runner.records[2]["atMs"] <= finished.events[0]["atMs"]


def test_repeated_requests_leave_no_second_record(new_runner: NewRunner) -> None:
    runner = new_runner()
    body = json.dumps(runner.client.members("stage", job=python_job("print('x')"))).encode()
    for _ in range(2):
        runner.client.send("stage", body)
        for _ in range(2):
            list(runner.client.start())
    assert events(runner) == ["staged", "sent", "started"]


def test_code_that_never_ran_leaves_no_record_of_a_start(new_runner: NewRunner) -> None:
    cancelled, failed = new_runner(), new_runner(worker=None)
    cancelled.client.stage(python_job(""))
    cancelled.client.call("cancel")
    list(cancelled.client.start())
    assert failed.client.run("", startTimeoutMs=1).outcome == "StartFailed"
    assert events(cancelled) == events(failed) == ["staged"]


def test_a_refusal_leaves_one_record_with_and_without_a_job(new_runner: NewRunner) -> None:
    staged, idle = new_runner(), new_runner()
    staged.client.stage(python_job(""))
    for runner in (staged, idle):
        for _ in range(2):
            assert runner.client.call("refuse").status == 200
    assert [(record["event"], record["runUid"]) for record in staged.records] == [
        ("staged", "run-1"),
        ("refused", "run-1"),
    ]
    assert [(record["event"], record["runUid"]) for record in idle.records] == [("refused", "")]


def test_output_is_not_mirrored_unless_asked_for(new_runner: NewRunner) -> None:
    runner = new_runner()
    assert mirrored(runner, runner.client.run("print('x')")) == []


def test_mirrored_lines_are_marked_and_cannot_pass_for_the_supervisors(
    new_runner: NewRunner,
) -> None:
    runner = new_runner(supervisor_environment=MIRRORING)
    finished = runner.client.run(
        "import os\n"
        "print('one\\n\\nthree')\n"
        'print(\'{"event":"started"}\', end="", flush=True)\n'
        "os.write(2, b'\\n| \\xff\\n\\n')\n"
        "print('no line end', end='')"
    )
    assert mirrored(runner, finished) == [
        b"| one",
        b"| ",
        b"| three",
        b'| {"event":"started"}',
        b"| | \xff",
        b"| ",
        b"| no line end",
    ]
    assert events(runner) == ["staged", "sent", "started"]


def test_the_mirror_is_cut_at_the_jobs_limit_and_says_so_last(new_runner: NewRunner) -> None:
    runner = new_runner(supervisor_environment=MIRRORING)
    finished = runner.client.run("for i in range(1000): print('%03d' % i)", outputBytes=10)
    lines = mirrored(runner, finished)
    assert lines[:-1] == [b"| 000", b"| 001", b"| 00"]
    Messages(closed=True).check("log-line", json.loads(lines[-1]))
    assert json.loads(lines[-1]) == {
        "event": "mirrorCut",
        "mirroredBytes": 10,
        "outputBytes": 4000,
    }


def test_what_was_printed_before_the_pods_end_is_mirrored(new_runner: NewRunner) -> None:
    runner = new_runner(supervisor_environment=MIRRORING)
    runner.client.stage(python_job("import os\nos.write(1, b'x')\nwhile True: pass"))
    runner.client.start().until("output")
    runner.supervisor.send_signal(signal.SIGTERM)
    assert runner.wait_until_supervisor_ends() == 143
    assert runner.read_stdout() == b"| x\n"


def test_an_unread_log_blocks_neither_code_nor_protocol(new_runner: NewRunner) -> None:
    runner = new_runner(supervisor_environment=MIRRORING)
    megabytes = 4
    finished = runner.client.run(
        f"for i in range({megabytes}): print('x' * (2**20 - 1))", outputBytes=megabytes * 2**20
    )
    assert (finished.outcome, len(finished.output)) == ("Succeeded", megabytes * 2**20)
    runner.acknowledge(finished)
    assert runner.wait_until_supervisor_ends() == 0


def test_a_log_that_is_closed_does_no_harm(new_runner: NewRunner) -> None:
    runner = new_runner(supervisor_environment=MIRRORING)
    assert runner.supervisor.stdout is not None
    runner.supervisor.stdout.close()
    finished = runner.client.run("for i in range(1000): print(i, flush=True)")
    assert finished.text == "".join(f"{i}\n" for i in range(1000))
    runner.acknowledge(finished)
    assert runner.wait_until_supervisor_ends() == 0


def test_a_mirror_setting_that_is_neither_true_nor_false_is_refused(interpreter: str) -> None:
    environment = {
        "ASSAY_POD_UID": "pod-1",
        "ASSAY_POD_NAMESPACE": "runs",
        "ASSAY_PUBLIC_KEYS": "k1=" + "A" * 43 + "=",
        "ASSAY_MIRROR_OUTPUT": "yes",
    }
    process = subprocess.run(
        [interpreter, "-I", "-m", "assay_runner.supervisor"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert process.stderr == "assay_runner.supervisor: ASSAY_MIRROR_OUTPUT must be true or false\n"


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    os.close(read)


def read_to_end(descriptor: int) -> bytes:
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()


def test_output_that_a_slow_reader_misses_is_counted_in_its_place(pipe: tuple[int, int]) -> None:
    read, write = pipe
    mirror = Mirror(write, queue_bytes=11)
    mirror.add(b"early\n")
    mirror.add(b"too much\n" * 2)
    mirror.add(b"late\n")
    mirror.end(printed=11, mirrored=11)
    mirror.close(timeout_seconds=20)
    os.close(write)
    assert read_to_end(read).splitlines() == [
        b"| early",
        b'{"event":"mirrorDropped","bytes":18}',
        b"| late",
    ]


def test_closing_waits_for_a_reader_that_reads(pipe: tuple[int, int]) -> None:
    read, write = pipe
    data = b"0123456789abcde\n" * (2**15)
    mirror = Mirror(write)
    mirror.add(data)
    mirror.end(printed=len(data), mirrored=len(data))
    received = bytearray()
    while len(received) < len(data) + 2 * 2**15:
        received += os.read(read, 2**16)
    mirror.close(timeout_seconds=20)
    os.close(write)
    assert received == b"".join(b"| " + line for line in data.splitlines(keepends=True))
    assert read_to_end(read) == b""


LONG = b"x" * MAX_LINE_BYTES


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([b"a\nb"], b"| a\n| b\n"),
        ([b"x", b"a\nb\n"], b"| xa\n| b\n"),
        ([b"x", b"\n"], b"| x\n"),
        ([b"\n"], b"| \n"),
        ([b"a\n| "], b"| a\n| | \n"),
        ([LONG], b"| " + LONG + b"\n"),
        ([LONG, b"\n"], b"| " + LONG + b"\n"),
        ([LONG + LONG + b"y\n"], b"| " + LONG + b"\n| " + LONG + b"\n| y\n"),
        ([b"\n" + LONG, b"y", b"z\n{"], b"| \n| " + LONG + b"\n| yz\n| {\n"),
        ([LONG[1:], b"yz"], b"| " + LONG[1:] + b"y\n| z\n"),
    ],
)
def test_a_mark_stands_before_each_line_and_each_part_of_a_long_one(
    pieces: list[bytes], text: bytes
) -> None:
    lines = MarkedLines()
    assert b"".join([*map(lines.add, pieces), lines.end()]) == text
