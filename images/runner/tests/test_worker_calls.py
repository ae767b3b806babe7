"""The tools that a worker calls, and their results, through the real processes."""

from __future__ import annotations

import base64
import json
import os
import socket
from collections.abc import Sequence

import pytest

from calling_worker import call_message
from local_runner import NewRunner, Runner
from runner_client import LIMITS, Finished, Json, RunnerClient, Stream, sha256

TOOLS = {"maxParallel": 8, "resultBytes": 8 * 1024 * 1024}


@pytest.fixture
def calling(new_runner: NewRunner) -> Runner:
    return new_runner("calling", supervisor_environment={"ASSAY_WORKER": "calling"})


def start(client: RunnerClient, *steps: Sequence[object], **members: object) -> Stream:
    """The schemas do not know this kind, so the client that checks them cannot stage it."""
    job = {
        "kind": "calling",
        "input": json.dumps(steps),
        "limits": LIMITS,
        "tools": TOOLS,
        **members,
    }
    body = json.dumps(client.members("stage", job=job)).encode()
    assert client.stage_unchecked(body).status == 200
    return client.start()


def value(finished: Finished) -> list[Json]:
    text = finished.result["valueJson"]
    assert text is not None, finished.result
    results: list[Json] = json.loads(base64.b64decode(text))
    return results


def received(call: int, data: bytes) -> Json:
    return {"call": call, "bytes": len(data), "sha256": sha256(data)}


def called(event: Json) -> tuple[int, str]:
    return event["call"], base64.b64decode(event["args"]).decode()


def batch(first: int, size: int) -> Json:
    return {"batch": {"first": first, "size": size, "maxParallel": 4}}


RESULT = ["result"]


def test_a_worker_calls_and_gets_each_result(calling: Runner) -> None:
    texts: list[str | int] = ['{"city": "é"}', "{}", 256 * 1024]
    results = [b'{"rows": [1]}', b"", os.urandom(8 * 1024 * 1024)]
    steps: list[Sequence[object]] = []
    for call, text in enumerate(texts, 1):
        steps += [["call", call, text], RESULT]
    stream = start(calling.client, *steps)
    for call, (text, result) in enumerate(zip(texts, results, strict=True), 1):
        expected = text if isinstance(text, str) else "x" * text
        event = stream.until("tool_call")
        assert called(event) == (call, expected)
        assert (event["server"], event["tool"], event["batch"]) == ("store", "list", None)
        assert calling.client.tool_result(call, result).body == {}
    assert value(stream.finish()) == [received(n, data) for n, data in enumerate(results, 1)]


def test_the_results_of_a_batch_come_in_any_order(calling: Runner) -> None:
    members = {**batch(1, 3), "tool": "t" * 256}
    steps = [["call", call, "{}", members] for call in (1, 2, 3)]
    stream = start(calling.client, *steps, RESULT, RESULT, RESULT, ["call", 4, "{}"], RESULT)
    events = [stream.until("tool_call") for _ in range(3)]
    assert [event["batch"] for event in events] == [members["batch"]] * 3
    assert calling.client.tool_result(4, b"early").code == "CallNotOpen"
    for call in (3, 1, 2):
        assert calling.client.tool_result(call, b"%d" % call).status == 200
    stream.until("tool_call")
    assert calling.client.tool_result(4, b"4").status == 200
    assert [result["call"] for result in value(stream.finish())] == [3, 1, 2, 4]


def test_a_call_that_was_answered_stays_without_its_arguments(calling: Runner) -> None:
    stream = start(calling.client, ["call", 1, "first"], RESULT, ["call", 2, "second"], RESULT)
    stream.until("tool_call")
    calling.client.tool_result(1, b"1")
    stream.until("tool_call")
    again = calling.client.start()
    answered = again.until("tool_call")
    assert (answered["args"], answered["tool"]) == (None, "list")
    assert called(again.until("tool_call")) == (2, "second")
    calling.client.tool_result(2, b"2")
    assert value(again.finish()) == [received(1, b"1"), received(2, b"2")]
    assert stream.finish().outcome == "Succeeded"


def test_a_repeated_result_changes_nothing_and_another_one_is_refused(calling: Runner) -> None:
    client = calling.client
    stream = start(client, ["call", 1, "a"], RESULT, ["call", 2, "b"], RESULT)
    stream.until("tool_call")
    assert client.tool_result(2, b"early").code == "CallNotOpen"
    assert client.tool_result(1, b"good").status == 200
    stream.until("tool_call")
    assert client.tool_result(1, b"good").status == 200
    assert client.tool_result(1, b"evil").code == "BytesChanged"
    assert client.tool_result(2, b"good").status == 200
    finished = stream.finish()
    assert value(finished) == [received(1, b"good"), received(2, b"good")]
    for call in (1, 2):
        assert client.tool_result(call, b"good").status == 200
        assert client.tool_result(call, b"evil").code == "BytesChanged"
    assert client.tool_result(3, b"late").code == "CallNotOpen"


def test_a_result_that_is_not_what_was_signed_does_not_reach_the_worker(calling: Runner) -> None:
    stream = start(calling.client, ["call", 1, "a"], RESULT)
    stream.until("tool_call")
    forged = calling.client.tool_result(1, b"evil", sha256=sha256(b"good"))
    assert (forged.status, forged.code) == (401, "BadSignature")
    assert calling.client.tool_result(1, b"good").status == 200
    assert value(stream.finish()) == [received(1, b"good")]


def test_a_result_over_the_limit_of_the_job_is_refused_and_a_shorter_one_taken(
    calling: Runner,
) -> None:
    tools = {**TOOLS, "resultBytes": 65536}
    stream = start(calling.client, ["call", 1, "a"], RESULT, tools=tools)
    stream.until("tool_call")
    refused = calling.client.tool_result(1, b"x" * 65537)
    assert (refused.status, refused.code) == (413, "TooLarge")
    assert calling.client.tool_result(1, b"x" * 65536).status == 200
    assert value(stream.finish()) == [received(1, b"x" * 65536)]


@pytest.mark.parametrize(
    "wrong",
    [
        [["call", 2, "a"]],
        [["call", 0, "a"]],
        [["call", 1, "a"], ["call", 2, "b"]],
        [["call", 1, "a"], ["call", 1, "a"]],
        [["call", 1, 256 * 1024 + 1]],
        [["call", 1, "a", batch(1, 2)], ["call", 2, "b", batch(2, 1)]],
        [["call", 1, "a", batch(1, 101)]],
        [["call", 1, "a", {"batch": {"first": 1}}]],
        [["call", 1, "a", {"batch": 1}]],
        [["call", 1, "a", {"server": ""}]],
        [["call", 1, "a", {"tool": "x" * 257}]],
        [["call", 1, "a", {"tool": "\ud800"}]],
        [["call", 1, "a", {"server": None}]],
        [["send", {"type": "tool_call", "call": 1}]],
        [["send", {**call_message(1, "a"), "call": "1"}]],
        [["send", {**call_message(1, "a"), "args": "*"}]],
        [["send", {**call_message(1, "a"), "args": base64.b64encode(b"\xff").decode()}]],
    ],
)
def test_a_worker_that_calls_wrongly_is_cut_off(
    new_runner: NewRunner, wrong: list[list[object]]
) -> None:
    runner = new_runner("calling", supervisor_environment={"ASSAY_WORKER": "calling"})
    finished = start(runner.client, *wrong, RESULT).finish()
    assert (finished.outcome, finished.result["valueJson"]) == ("Succeeded", None)
    assert runner.client.tool_result(1, b"").code == "CallNotOpen"


def test_a_worker_that_does_not_read_its_result_can_make_no_other_call(calling: Runner) -> None:
    """It would have the supervisor hold one result after the other."""
    stream = start(calling.client, ["call", 1, "a"], ["wait"], ["call", 2, "b"], RESULT)
    stream.until("tool_call")
    assert calling.client.tool_result(1, os.urandom(8 * 1024 * 1024)).status == 200
    finished = stream.finish()
    assert [event["type"] for event in finished.events] == ["result"]
    assert finished.result["valueJson"] is None


def test_a_pod_whose_job_has_no_tools_cuts_off_a_worker_that_calls_one(
    new_runner: NewRunner,
) -> None:
    runner = new_runner()
    message = {**call_message(1, "{}")}
    code = (
        "import os, stat\n"
        f"request = {json.dumps(message)!r}.encode()\n"
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


def test_a_result_for_a_run_that_was_cancelled_is_refused(calling: Runner) -> None:
    stream = start(calling.client, ["call", 1, "a"], RESULT)
    stream.until("tool_call")
    calling.client.call("cancel")
    assert calling.client.tool_result(1, b"").code == "CallNotOpen"
    assert stream.finish().outcome == "Cancelled"


def begin(client: RunnerClient, call: int, data: bytes) -> socket.socket:
    """Send the headers of a result."""
    connection = socket.create_connection((client.target.host, client.target.port), timeout=30)
    lines = [b"PUT /v1/tool-result HTTP/1.1", b"Host: x", b"Content-Length: %d" % len(data)]
    head = client.body("tool-result", call=call, bytes=len(data), sha256=sha256(data))
    for name, text in {**client.sign_head(head), "Expect": "100-continue"}.items():
        lines.append(f"{name}: {text}".encode())
    connection.sendall(b"\r\n".join(lines) + b"\r\n\r\n")
    assert connection.recv(65536).startswith(b"HTTP/1.1 100")
    return connection


def test_one_result_is_received_at_a_time_and_an_incomplete_one_is_forgotten(
    calling: Runner,
) -> None:
    stream = start(calling.client, ["call", 1, "a"], RESULT)
    stream.until("tool_call")
    with begin(calling.client, 1, b"good") as connection:
        connection.sendall(b"go")
        assert calling.client.tool_result(1, b"good").code == "CallNotOpen"
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(65536).startswith(b"HTTP/1.1 400")
    assert calling.client.tool_result(1, b"good").status == 200
    assert value(stream.finish()) == [received(1, b"good")]


def test_a_slow_reader_of_the_events_holds_up_nobody(calling: Runner) -> None:
    steps: list[Sequence[object]] = []
    for call in range(1, 21):
        steps += [["call", call, 256 * 1024], RESULT]
    slow = start(calling.client, *steps)
    other = calling.client.start()
    for call in range(1, 21):
        assert other.until("tool_call")["call"] == call
        assert calling.client.tool_result(call, b"{}").status == 200
    assert other.finish().outcome == "Succeeded"
    calls = [event["call"] for event in slow.finish().events if event["type"] == "tool_call"]
    assert calls == [*range(1, 21)]
