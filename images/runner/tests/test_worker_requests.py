"""What a worker asks the operator for, and the replies, through the real processes."""

from __future__ import annotations

import base64
import json
import os
import socket
from collections.abc import Sequence

import pytest

from local_runner import NewRunner, Runner
from runner_client import LIMITS, Finished, Json, RunnerClient, Stream, sha256


@pytest.fixture
def asking(new_runner: NewRunner) -> Runner:
    return new_runner("asking", supervisor_environment={"ASSAY_WORKER": "asking"})


def start(client: RunnerClient, *steps: Sequence[object], **limits: int) -> Stream:
    """The schemas do not know this kind, so the client that checks them cannot stage it."""
    job = {"kind": "asking", "input": json.dumps(steps), "limits": {**LIMITS, **limits}}
    body = json.dumps(client.members("stage", job=job)).encode()
    assert client.stage_unchecked(body).status == 200
    return client.start()


def value(finished: Finished) -> list[Json]:
    text = finished.result["valueJson"]
    assert text is not None, finished.result
    replies: list[Json] = json.loads(base64.b64decode(text))
    return replies


def received(call: int, data: bytes) -> Json:
    return {"call": call, "bytes": len(data), "sha256": sha256(data)}


def asked(event: Json) -> tuple[int, str]:
    return event["call"], base64.b64decode(event["data"]).decode()


REPLY = ["reply"]


def test_a_worker_asks_and_gets_each_reply(asking: Runner) -> None:
    texts: list[str | int] = ['{"tool": "é"}', "", 256 * 1024]
    replies = [b'{"rows": [1]}', b"", os.urandom(8 * 1024 * 1024)]
    steps: list[Sequence[object]] = []
    for call, text in enumerate(texts, 1):
        steps += [["ask", call, text], REPLY]
    stream = start(asking.client, *steps)
    for call, (text, reply) in enumerate(zip(texts, replies, strict=True), 1):
        expected = text if isinstance(text, str) else "x" * text
        assert asked(stream.until("request")) == (call, expected)
        assert asking.client.reply(call, reply).body == {}
    assert value(stream.finish()) == [received(n, data) for n, data in enumerate(replies, 1)]


def test_a_request_that_was_answered_stays_without_its_text(asking: Runner) -> None:
    stream = start(asking.client, ["ask", 1, "first"], REPLY, ["ask", 2, "second"], REPLY)
    stream.until("request")
    asking.client.reply(1, b"1")
    stream.until("request")
    again = asking.client.start()
    assert again.until("request")["data"] is None
    assert asked(again.until("request")) == (2, "second")
    asking.client.reply(2, b"2")
    assert value(again.finish()) == [received(1, b"1"), received(2, b"2")]
    assert stream.finish().outcome == "Succeeded"


def test_a_repeated_reply_changes_nothing_and_another_one_is_refused(asking: Runner) -> None:
    client = asking.client
    stream = start(client, ["ask", 1, "a"], REPLY, ["ask", 2, "b"], REPLY)
    stream.until("request")
    assert client.reply(2, b"early").code == "ReplyRefused"
    assert client.reply(1, b"good").status == 200
    stream.until("request")
    assert client.reply(1, b"good").status == 200
    assert client.reply(1, b"evil").code == "BytesChanged"
    assert client.reply(2, b"good").status == 200
    finished = stream.finish()
    assert value(finished) == [received(1, b"good"), received(2, b"good")]
    assert client.reply(2, b"good").status == 200
    assert client.reply(3, b"late").code == "ReplyRefused"


def test_a_reply_that_is_not_what_was_signed_does_not_reach_the_worker(asking: Runner) -> None:
    stream = start(asking.client, ["ask", 1, "a"], REPLY)
    stream.until("request")
    forged = asking.client.reply(1, b"evil", sha256=sha256(b"good"))
    assert (forged.status, forged.code) == (401, "BadSignature")
    assert asking.client.reply(1, b"good").status == 200
    assert value(stream.finish()) == [received(1, b"good")]


@pytest.mark.parametrize(
    "wrong",
    [
        [["ask", 2, "a"]],
        [["ask", 0, "a"]],
        [["ask", 1, "a"], ["ask", 2, "b"]],
        [["ask", 1, "a"], ["ask", 1, "a"]],
        [["ask", 1, 256 * 1024 + 1]],
        [["send", {"type": "request", "call": 1}]],
        [["send", {"type": "request", "call": "1", "data": ""}]],
        [["send", {"type": "request", "call": 1, "data": "*"}]],
        [["send", {"type": "request", "call": 1, "data": base64.b64encode(b"\xff").decode()}]],
    ],
)
def test_a_worker_that_asks_wrongly_is_cut_off(
    new_runner: NewRunner, wrong: list[list[object]]
) -> None:
    runner = new_runner("asking", supervisor_environment={"ASSAY_WORKER": "asking"})
    finished = start(runner.client, *wrong, REPLY).finish()
    assert (finished.outcome, finished.result["valueJson"]) == ("Succeeded", None)
    assert runner.client.reply(1, b"").code == "ReplyRefused"


def test_a_worker_that_does_not_read_its_reply_can_ask_for_no_other(asking: Runner) -> None:
    """It would have the supervisor hold one reply after the other."""
    stream = start(asking.client, ["ask", 1, "a"], ["wait"], ["ask", 2, "b"], REPLY)
    stream.until("request")
    assert asking.client.reply(1, os.urandom(8 * 1024 * 1024)).status == 200
    finished = stream.finish()
    assert [event["type"] for event in finished.events] == ["result"]
    assert finished.result["valueJson"] is None


def test_a_pod_whose_worker_asks_nothing_cuts_off_one_that_does(new_runner: NewRunner) -> None:
    runner = new_runner()
    code = (
        "import os, stat\n"
        """request = b'{"type": "request", "call": 1, "data": ""}'\n"""
        "for name in os.listdir('/proc/self/fd'):\n"
        "    descriptor = int(name)\n"
        "    try:\n"
        "        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):\n"
        "            os.write(descriptor, len(request).to_bytes(4, 'big') + request)\n"
        "    except OSError:\n"
        "        pass\n"
    )
    finished = runner.client.run(code)
    assert [event["type"] for event in finished.events] == ["started", "result"]


def test_a_reply_to_a_run_that_was_cancelled_is_refused(asking: Runner) -> None:
    stream = start(asking.client, ["ask", 1, "a"], REPLY)
    stream.until("request")
    asking.client.call("cancel")
    assert asking.client.reply(1, b"").code == "ReplyRefused"
    assert stream.finish().outcome == "Cancelled"


def begin(client: RunnerClient, call: int, data: bytes) -> socket.socket:
    """Send the headers of a reply."""
    connection = socket.create_connection((client.target.host, client.target.port), timeout=30)
    lines = [b"PUT /v1/reply HTTP/1.1", b"Host: x", b"Content-Length: %d" % len(data)]
    head = client.body("reply", call=call, bytes=len(data), sha256=sha256(data))
    for name, text in {**client.sign_head(head), "Expect": "100-continue"}.items():
        lines.append(f"{name}: {text}".encode())
    connection.sendall(b"\r\n".join(lines) + b"\r\n\r\n")
    assert connection.recv(65536).startswith(b"HTTP/1.1 100")
    return connection


def test_one_reply_is_received_at_a_time_and_an_incomplete_one_is_forgotten(
    asking: Runner,
) -> None:
    stream = start(asking.client, ["ask", 1, "a"], REPLY)
    stream.until("request")
    with begin(asking.client, 1, b"good") as connection:
        connection.sendall(b"go")
        assert asking.client.reply(1, b"good").code == "ReplyRefused"
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(65536).startswith(b"HTTP/1.1 400")
    assert asking.client.reply(1, b"good").status == 200
    assert value(stream.finish()) == [received(1, b"good")]


def test_only_a_runner_whose_worker_asks_has_the_feature(
    new_runner: NewRunner, asking: Runner
) -> None:
    assert "requests" in asking.client.hello()["features"]
    assert "requests" not in new_runner(None).client.hello()["features"]
