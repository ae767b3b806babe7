"""Files that code leaves, through the real processes."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import subprocess
from pathlib import Path

import pytest

from assay_runner.frames import FrameReader, encode
from assay_runner.launcher.command import parse
from assay_runner.launcher.launcher import Launcher
from assay_runner.supervisor.held_files import HeldFiles, whole_file
from assay_runner.supervisor.refusals import Code, Refusal
from local_runner import NewRunner, Runner
from runner_client import Finished, Json, Reply, python_job

pytestmark = pytest.mark.slow

COLLECT = {"folders": ["artifacts"], "maxCount": 100, "maxBytes": 2**27}


def job(code: str, **limits: int) -> Json:
    return python_job(code, **limits) | {"collect": COLLECT}


def finish(runner: Runner, code: str, **limits: int) -> Finished:
    return runner.client.finish(job(code, **limits))


@pytest.mark.executed
def test_what_code_leaves_is_collected_when_the_launcher_and_its_worker_are_gone(
    new_runner: NewRunner,
) -> None:
    runner = new_runner()
    finished = finish(
        runner,
        "open('artifacts/a', 'w').write('x')",
    )
    assert runner.wait_until_launcher_ends() == 0
    assert list(finished.artifacts) == ["artifacts/a"]
    assert runner.client.artifact(1) == b"x"
    runner.acknowledge(finished)
    assert runner.wait_until_supervisor_ends() == 0


def test_a_run_that_leaves_nothing_has_no_artifacts(new_runner: NewRunner) -> None:
    runner = new_runner()
    finished = finish(runner, "print(1)")
    assert (finished.text, finished.artifacts) == ("1\n", {})
    assert finished.result["artifactsMessage"] is None
    assert runner.wait_until_launcher_ends() == 0


def test_a_large_artifact_comes_whole_and_as_often_as_it_is_asked_for(
    new_runner: NewRunner,
) -> None:
    runner = new_runner()
    write = "open('artifacts/a', 'wb').write(bytes(range(256)) * 2**17)"
    finish(runner, f"{write}")
    expected = bytes(range(256)) * 2**17
    assert runner.client.artifact(1) == expected
    assert runner.client.artifact(1) == expected


@pytest.mark.probe("artifact-survivor")
def test_a_process_that_code_leaves_behind_writes_no_more_when_files_are_collected(
    new_runner: NewRunner,
) -> None:
    code = """
import os, sys, time
file = open('artifacts/a', 'wb', buffering=0)
if os.fork() == 0:
    os.setsid()
    while True:
        file.write(b'x' * 1000)
        time.sleep(0.001)  # stays below the limit of a file
time.sleep(0.05)
"""
    runner = new_runner()
    finished = finish(runner, code)
    size = finished.artifacts["artifacts/a"]["bytes"]
    assert runner.client.artifact(1) == b"x" * size
    assert (runner.workspace / "artifacts" / "a").stat().st_size == size > 0


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("1 / 0", "CodeError"),
        ("import signal; os.kill(os.getpid(), signal.SIGKILL)", "CodeError"),
        ("while True: pass", "DeadlineExceeded"),
    ],
)
def test_files_are_collected_however_the_code_ends(
    new_runner: NewRunner, code: str, outcome: str
) -> None:
    leave = "import os; open('artifacts/a', 'w').close()\n"
    finished = finish(new_runner(), leave + code, timeoutMs=1000)
    assert (finished.outcome, list(finished.artifacts)) == (outcome, ["artifacts/a"])


def test_a_container_that_is_gone_leaves_nothing_and_the_run_says_so(
    new_runner: NewRunner,
) -> None:
    runner = new_runner()
    code = "open('artifacts/a', 'w').close()\nwhile True: pass"
    assert runner.client.stage(job(code)).status == 200
    stream = runner.client.start()
    stream.until("started")
    assert runner.launcher is not None
    runner.launcher.kill()
    finished = stream.finish()
    assert (finished.outcome, finished.artifacts) == ("WorkerLost", {})
    assert finished.result["artifactsMessage"] == (
        "No files were collected: the worker's container has ended."
    )


@pytest.mark.probe("artifact-shrinks")
@pytest.mark.parametrize("size", [40_000, 4_000_000])
def test_a_shorter_file_ends_the_answer_early_and_is_then_refused(
    new_runner: NewRunner, size: int
) -> None:
    runner = new_runner()
    code = f"open('artifacts/a', 'wb').write(bytes({size}))"
    finish(runner, code)
    os.truncate(runner.workspace / "artifacts" / "a", size // 2)
    with pytest.raises(Exception, match="IncompleteRead"):
        runner.client.artifact(1)
    assert runner.client.artifacts(1) == [(1, None)]
    os.truncate(runner.workspace / "artifacts" / "a", 0)
    reply = runner.client.artifact(1)
    assert isinstance(reply, Reply)
    assert (reply.status, reply.code) == (409, "ArtifactLost")
    (runner.workspace / "artifacts" / "a").write_bytes(bytes(size + 1_000_000))
    assert runner.client.artifact(1) == bytes(size)


@pytest.mark.probe("artifact-workspace")
def test_the_workspace_that_is_collected_is_the_one_that_the_run_began_with(
    new_runner: NewRunner, tmp_path: Path
) -> None:
    (tmp_path / "other" / "artifacts").mkdir(parents=True)
    (tmp_path / "other" / "artifacts" / "forged").write_text("x")
    runner = new_runner()
    code = f"""
import os
os.makedirs('artifacts', exist_ok=True)
open('artifacts/own', 'w').close()
os.rename({str(runner.workspace)!r}, {str(tmp_path / "moved")!r})
os.symlink({str(tmp_path / "other")!r}, {str(runner.workspace)!r})
"""
    assert list(finish(runner, code).artifacts) == ["artifacts/own"]


def test_100_artifacts_are_held_by_a_supervisor_with_few_descriptors(
    new_runner: NewRunner,
) -> None:
    runner = new_runner()
    resource.prlimit(runner.supervisor.pid, resource.RLIMIT_NOFILE, (64, 4096))
    write = "for n in range(101): open(f'artifacts/{n:03}', 'w').write(str(n))"
    finished = finish(runner, f"import os\n{write}")
    assert len(finished.artifacts) == 100
    assert "1 over the 100 files" in finished.result["artifactsMessage"]
    connection = runner.client.connect()
    content = [runner.client.artifact(n, connection) for n in range(1, 101)]
    connection.close()
    assert content == [str(n).encode() for n in range(100)]
    descriptors = Path(f"/proc/{runner.supervisor.pid}/fd")
    held = len(list(descriptors.iterdir()))
    last = finished.artifacts["artifacts/099"]["seq"]
    assert runner.client.call("ack", seq=last).status == 200
    assert len(list(descriptors.iterdir())) <= held - 100 + 1


def test_a_download_that_has_begun_survives_its_acknowledgement(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    files = HeldFiles()
    files.hold(1, os.open(tmp_path / "a", os.O_RDONLY), 4)
    download = files.open(1)
    files.release(1)
    with pytest.raises(Refusal) as refusal:
        files.open(1)
    assert refusal.value.code is Code.NOT_FOUND

    async def read() -> bytes:
        return b"".join([data async for data in download.chunks()])

    assert asyncio.run(read()) == b"1234"
    download.close()


def test_the_bytes_of_a_small_file_are_all_that_were_there_or_none(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    readable = os.open(tmp_path / "a", os.O_RDONLY)
    assert whole_file(readable, 5) == b"12345"
    assert whole_file(readable, 4) == b"1234"
    assert whole_file(readable, 0) == b""
    assert whole_file(readable, 6) is None
    assert whole_file(os.open(tmp_path / "a", os.O_WRONLY), 5) is None


def test_files_that_a_process_makes_after_an_announced_end_are_not_collected(
    tmp_path: Path,
) -> None:
    """Files are opened only once no process can put something else in their place."""
    command = parse(["python"], {"ASSAY_WORKSPACE_DIR": str(tmp_path)})
    launcher = Launcher(command)
    supervisor, link = socket.socketpair()
    wakeup, _ = os.pipe()
    with subprocess.Popen(["sleep", "60"]) as worker, supervisor, link:
        launcher._worker = worker.pid
        supervisor.sendall(encode({"type": "collect", **COLLECT, "files": []}))
        supervisor.sendall(encode({"type": "ended", "code": 0}))
        launcher._wait(link, wakeup)
        has_files = launcher._settle_files(link)
        (tmp_path / "artifacts").mkdir()
        (tmp_path / "artifacts" / "late").write_text("x")
        assert launcher._exit is not None
        assert launcher._report(link, launcher._exit, has_files)
        reported = [*FrameReader(4096).feed(supervisor.recv(4096))]
        worker.kill()
    assert [message["type"] for message in reported] == ["exited", "collected"]
    assert (reported[0]["code"], reported[1]["message"]) == (0, None)
