"""Uploads to a snapshot Pod, through the real processes."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import socket
from pathlib import Path

import pytest

from assay_runner.supervisor.refusals import Refusal
from assay_runner.supervisor.requests import Request
from assay_runner.supervisor.snapshot_job import Upload
from assay_runner.supervisor.uploads import Uploads
from local_runner import NewRunner, Runner
from runner_client import Json, RunnerClient, snapshot_job

pytestmark = pytest.mark.slow

DATA = b"a,b\n1,x\n2,y\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def job(data: bytes, **source: object) -> Json:
    upload = {"bytes": len(data), "sha256": digest(data)}
    return snapshot_job(**{"format": "csv", "upload": upload, **source})


@pytest.mark.executed
def test_an_upload_becomes_the_source_of_a_snapshot(new_runner: NewRunner) -> None:
    runner = new_runner("snapshot")
    reply = runner.client.upload(DATA)
    assert (reply.status, reply.body) == (200, {"bytes": len(DATA), "sha256": digest(DATA)})
    assert (runner.snapshot / "upload.bin").read_bytes() == DATA
    finished = runner.client.finish(job(DATA))
    assert finished.outcome == "Succeeded", finished.result
    value = finished.result["value"]
    assert (value["bytes"], value["sha256"], value["rows"]) == (len(DATA), digest(DATA), 2)
    assert sorted(os.listdir(runner.snapshot)) == [
        "description.json",
        "frame.arrow",
        "frame.parquet",
        "source.csv",
    ]
    assert (runner.snapshot / "source.csv").read_bytes() == DATA
    described = json.loads((runner.snapshot / "description.json").read_text())
    assert described["source"]["sha256"] == digest(DATA)


def test_a_compressed_upload_is_stored_decompressed(new_runner: NewRunner) -> None:
    runner = new_runner("snapshot")
    packed = gzip.compress(DATA)
    assert runner.client.upload(packed).status == 200
    finished = runner.client.finish(job(packed, compression="gzip"))
    assert finished.result["value"]["sha256"] == digest(DATA)
    assert "upload.bin" not in os.listdir(runner.snapshot)


def test_an_upload_of_many_pieces_and_none_at_all_are_taken(new_runner: NewRunner) -> None:
    client = new_runner("snapshot", worker_environment={}).client
    large = os.urandom(5_000_000)
    assert client.upload(large).body["sha256"] == digest(large)
    assert client.upload(b"").body == {"bytes": 0, "sha256": digest(b"")}


def test_a_later_upload_takes_the_place_of_an_earlier_one(new_runner: NewRunner) -> None:
    runner = new_runner("snapshot")
    assert runner.client.upload(b"a\n0\n").status == 200
    assert runner.client.upload(DATA).status == 200
    assert runner.client.stage(job(b"a\n0\n")).code == "UploadMismatch"
    assert runner.client.finish(job(DATA)).outcome == "Succeeded"


def test_a_job_must_be_of_the_upload_that_was_received(new_runner: NewRunner) -> None:
    client = new_runner("snapshot").client
    assert client.stage(job(DATA)).code == "UploadMismatch"
    client.upload(DATA)
    for other in (job(DATA + b"\n"), job(DATA[:-1] + b"z"), snapshot_job(format="csv", text="a")):
        assert client.stage(other).code == "UploadMismatch"
    assert client.hello()["state"] == "Idle"
    assert client.stage(job(DATA), runUid="run-2").code == "RunMismatch"
    assert client.stage(job(DATA)).status == 200
    assert client.upload(DATA).code == "UploadRefused"


def test_a_pod_that_was_uploaded_to_belongs_to_that_run(new_runner: NewRunner) -> None:
    client = new_runner("snapshot").client
    assert client.upload(DATA, runUid="run-2").status == 200
    assert client.upload(DATA).code == "RunMismatch"


def test_an_upload_over_the_limit_is_refused(new_runner: NewRunner) -> None:
    runner = new_runner("snapshot", supervisor_environment={"ASSAY_UPLOAD_LIMIT_BYTES": "11"})
    assert runner.client.upload(DATA).code == "TooLarge"
    assert runner.client.upload(DATA[:11]).status == 200


def test_a_snapshot_pod_of_another_source_takes_no_upload(new_runner: NewRunner) -> None:
    runner = new_runner("snapshot", supervisor_environment={"ASSAY_UPLOAD_LIMIT_BYTES": "0"})
    assert runner.client.upload(DATA).code == "WrongKind"


def begin(client: RunnerClient, size: int) -> socket.socket:
    """Send the headers of an upload."""
    connection = socket.create_connection((client.target.host, client.target.port), timeout=30)
    lines = [b"PUT /v1/source HTTP/1.1", b"Host: x", b"Content-Length: %d" % size]
    for name, value in client.sign_head(client.body("source", bytes=size)).items():
        lines.append(f"{name}: {value}".encode())
    connection.sendall(b"\r\n".join(lines) + b"\r\n\r\n")
    return connection


def wait_for_a_byte(runner: Runner) -> None:
    """Wait until a part of an upload has been written."""
    unfinished = runner.snapshot / "upload.unfinished"
    while not (unfinished.exists() and unfinished.stat().st_size):
        os.sched_yield()


def test_an_interrupted_upload_leaves_no_file(new_runner: NewRunner) -> None:
    runner = new_runner("snapshot")
    with begin(runner.client, len(DATA)) as connection:
        connection.sendall(DATA[:5])
        wait_for_a_byte(runner)
        assert runner.client.upload(DATA).code == "UploadRefused"
        assert runner.client.stage(job(DATA)).code == "UploadMismatch"
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(65536).startswith(b"HTTP/1.1 400")
    assert os.listdir(runner.snapshot) == []
    assert runner.client.upload(DATA).status == 200


def test_a_stalled_upload_times_out(new_runner: NewRunner) -> None:
    settings = {"ASSAY_REQUEST_TIMEOUT_MS": "500"}
    runner = new_runner("snapshot", supervisor_environment=settings)
    with begin(runner.client, len(DATA)) as connection:
        connection.sendall(DATA[:5])
        assert connection.recv(65536) == b""
    assert os.listdir(runner.snapshot) == []


def test_what_follows_an_upload_on_its_connection_is_not_served(new_runner: NewRunner) -> None:
    runner = new_runner("snapshot")
    with begin(runner.client, len(DATA)) as connection:
        connection.sendall(DATA + b"GET /v1/hello HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while data := connection.recv(65536):
            answer += data
    assert answer.count(b"HTTP/1.1") == 1
    assert (runner.snapshot / "upload.bin").read_bytes() == DATA


def request(size: int) -> Request:
    return Request("source", "runs", "run-1", "pod-1", "n", 1, None, 0, size, b"")


def test_a_directory_that_cannot_be_written_to_is_reported(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="the upload could not be written: No such file"):
        Uploads(str(tmp_path / "missing"), 100).begin(request(1))


def test_a_link_in_the_place_of_an_upload_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "upload.unfinished").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refusal, match="File exists"):
        Uploads(str(tmp_path), 100).begin(request(1))
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_is_reported_and_leaves_no_file(tmp_path: Path) -> None:
    uploads = Uploads(str(tmp_path), 100)
    incoming = uploads.begin(request(5))
    os.unlink(tmp_path / "upload.unfinished")
    with open("/dev/full", "wb", buffering=0) as full:
        incoming._file = full
        asyncio.run(incoming.write(b"123"))
        asyncio.run(incoming.write(b"45"))
        with pytest.raises(Refusal, match="No space left on device") as refused:
            asyncio.run(incoming.finish())
    assert refused.value.code.text == "UploadFailed"
    incoming.discard()
    assert os.listdir(tmp_path) == []
    uploads.seal("run-1", None)


def test_an_upload_too_large_for_the_disk_is_refused_before_its_body(tmp_path: Path) -> None:
    uploads = Uploads(str(tmp_path), 2**50)
    with pytest.raises(Refusal, match="No space left on device"):
        uploads.begin(request(2**50))
    assert os.listdir(tmp_path) == []


def test_a_short_upload_cannot_be_finished(tmp_path: Path) -> None:
    uploads = Uploads(str(tmp_path), 100)
    incoming = uploads.begin(request(5))
    asyncio.run(incoming.write(b"1234"))
    with pytest.raises(EOFError):
        asyncio.run(incoming.finish())
    incoming.discard()
    with pytest.raises(Refusal, match="not what was received"):
        uploads.seal("run-1", Upload(4, digest(b"1234")))
