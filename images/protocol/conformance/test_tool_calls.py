"""Tools that code calls, by a runner that has the feature `tools`."""

from __future__ import annotations

import base64
import json

import pytest

from refusals import refusal
from runner_client import Json, RunnerClient, Stream, python_job, sha256

MIB = 1024 * 1024
TOOLS = {"maxParallel": 4, "resultBytes": 65536}
DONE = b'{"ok": true, "result": {"rows": [1, 2]}, "raw": {"content": []}}'
LAST = json.dumps(
    {
        "ok": False,
        "error": {"code": "MAX_TOOL_CALLS_EXCEEDED", "message": "over", "sent": "no"},
        "terminate": True,
    }
).encode()

# What code may do that looks for the connection by which its process is told what to do.
FORGE = """
import base64, json, os, stat

def forge(call, args=b'{}', batch=None):
    message = {'type': 'tool_call', 'call': call, 'batch': batch, 'server': 's', 'tool': 't'}
    body = json.dumps({**message, 'args': base64.b64encode(args).decode()}).encode()
    frame = len(body).to_bytes(4, 'big') + body
    for name in os.listdir('/proc/self/fd'):
        try:
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                while frame:
                    frame = frame[os.write(int(name), frame):]
        except OSError:
            pass
"""


@pytest.fixture
def calling(fresh: RunnerClient) -> RunnerClient:
    """A client of a new runner whose code may call tools."""
    if "tools" not in fresh.hello().get("features", []):
        pytest.skip("the runner has no feature tools")
    return fresh


def start(client: RunnerClient, code: str, **tools: int) -> Stream:
    job = {**python_job(code), "tools": {**TOOLS, **tools}}
    assert client.stage(job).status == 200
    return client.start()


def args(event: Json) -> object:
    return json.loads(base64.b64decode(event["args"]))


def test_a_call_is_an_event_and_its_result_goes_to_the_code(calling: RunnerClient) -> None:
    stream = start(calling, "print(call_tool('store', 'list', {'city': 'é'})['result']['rows'])")
    event = stream.until("tool_call")
    assert (event["call"], event["server"], event["tool"]) == (1, "store", "list")
    assert (event["batch"], args(event)) == (None, {"city": "é"})
    assert calling.tool_result(1, DONE).body == {}
    assert stream.finish().text == "[1, 2]\n"


def test_the_calls_of_a_batch_come_together_and_their_results_in_any_order(
    calling: RunnerClient,
) -> None:
    code = (
        "requests = [{'server': 's', 'tool': 't', 'args': {'n': n}} for n in range(3)]\n"
        "print([outcome['result'] for outcome in call_tools(requests, max_parallel=2)])"
    )
    stream = start(calling, code)
    events = [stream.until("tool_call") for _ in range(3)]
    batch = {"first": 1, "size": 3, "maxParallel": 2}
    assert [(event["call"], event["batch"]) for event in events] == [
        (call, batch) for call in (1, 2, 3)
    ]
    assert [args(event) for event in events] == [{"n": 0}, {"n": 1}, {"n": 2}]
    for call in (3, 1, 2):
        assert calling.tool_result(call, b'{"ok": true, "result": %d}' % call).status == 200
    assert stream.finish().text == "[1, 2, 3]\n"


def test_a_result_is_taken_once_and_its_repeat_changes_nothing(calling: RunnerClient) -> None:
    stream = start(calling, "print([call_tool('s', 't')['result']['rows'] for _ in range(2)])")
    stream.until("tool_call")
    assert refusal(calling.tool_result(2, DONE)) == (409, "CallNotOpen")
    assert calling.tool_result(1, DONE).status == 200
    stream.until("tool_call")
    assert calling.tool_result(1, DONE).status == 200
    assert refusal(calling.tool_result(1, b"other")) == (409, "BytesChanged")
    assert refusal(calling.tool_result(3, DONE)) == (409, "CallNotOpen")
    assert calling.tool_result(2, DONE).status == 200
    assert stream.finish().text == "[[1, 2], [1, 2]]\n"
    # After the end, too.
    assert calling.tool_result(1, DONE).status == 200
    assert refusal(calling.tool_result(2, b"other")) == (409, "BytesChanged")
    assert refusal(calling.tool_result(3, DONE)) == (409, "CallNotOpen")


def test_a_result_that_is_not_what_was_signed_leaves_the_call_open(calling: RunnerClient) -> None:
    stream = start(calling, "print(call_tool('s', 't')['ok'])")
    stream.until("tool_call")
    assert refusal(calling.tool_result(1, DONE, sha256=sha256(b""))) == (401, "BadSignature")
    assert calling.tool_result(1, DONE).status == 200
    assert stream.finish().text == "True\n"


def test_results_can_follow_each_other_on_one_connection(calling: RunnerClient) -> None:
    stream = start(calling, "print([call_tool('s', 't')['result'] for _ in range(3)])")
    connection = calling.connect()
    for call in (1, 2, 3):
        stream.until("tool_call")
        data = b'{"ok": true, "result": %d}' % call
        head = calling.body("tool-result", call=call, bytes=len(data), sha256=sha256(data))
        connection.request("PUT", "/v1/tool-result", data, calling.sign_head(head))
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b"{}")
        assert not response.will_close
    connection.close()
    assert stream.finish().text == "[1, 2, 3]\n"


def test_a_result_over_the_limit_of_the_job_leaves_the_call_open(calling: RunnerClient) -> None:
    stream = start(calling, "print(call_tool('s', 't')['ok'])")
    stream.until("tool_call")
    assert refusal(calling.tool_result(1, b" " * 65537)) == (413, "TooLarge")
    assert calling.tool_result(1, b" " * (65536 - len(DONE)) + DONE).status == 200
    assert stream.finish().text == "True\n"


def outcome_of(size: int) -> bytes:
    """An outcome of so many bytes, whose result is text."""
    head, tail = b'{"ok": true, "result": "', b'"}'
    return head + b"x" * (size - len(head) - len(tail)) + tail


def test_a_result_of_eight_mebibytes_goes_to_the_code_whole(calling: RunnerClient) -> None:
    stream = start(calling, "print(len(call_tool('s', 't')['result']))", resultBytes=8 * MIB)
    stream.until("tool_call")
    whole = outcome_of(8 * MIB)
    assert calling.tool_result(1, whole).status == 200
    assert calling.tool_result(1, whole).status == 200
    assert stream.finish().text == f"{len(json.loads(whole)['result'])}\n"


def test_the_results_of_a_batch_have_eight_mebibytes_and_those_that_are_short_count_nothing(
    calling: RunnerClient,
) -> None:
    code = (
        "outcomes = call_tools([{'server': 's', 'tool': 't'}] * 10, max_parallel=4)\n"
        "print([len(outcome['result']) for outcome in outcomes])"
    )
    stream = start(calling, code, resultBytes=MIB)
    assert [stream.until("tool_call")["call"] for _ in range(10)] == [*range(1, 11)]
    long, short = outcome_of(MIB), outcome_of(65536)
    assert calling.tool_result(10, short).status == 200
    for call in range(1, 9):
        assert calling.tool_result(call, long).status == 200
    assert refusal(calling.tool_result(9, long)) == (413, "TooLarge")
    assert refusal(calling.tool_result(9, outcome_of(65537))) == (413, "TooLarge")
    assert calling.tool_result(9, short).status == 200
    lengths = [len(json.loads(data)["result"]) for data in (*[long] * 8, short, short)]
    assert stream.finish().text == f"{lengths}\n"


def test_the_next_batch_has_eight_mebibytes_again(calling: RunnerClient) -> None:
    # Printed at the end, since what is printed before a call may be streamed before it.
    code = (
        "def lengths():\n"
        "    outcomes = call_tools([{'server': 's', 'tool': 't'}] * 8)\n"
        "    return sum(len(outcome['result']) for outcome in outcomes)\n"
        "print([lengths(), lengths()])"
    )
    stream = start(calling, code, resultBytes=MIB)
    long = outcome_of(MIB)
    for call in range(1, 17):
        assert stream.until("tool_call")["call"] == call
        if call % 8 == 0:
            for answered in range(call - 7, call + 1):
                assert calling.tool_result(answered, long).status == 200
    total = 8 * len(json.loads(long)["result"])
    assert stream.finish().text == f"{[total, total]}\n"


def test_a_call_that_was_answered_is_streamed_again_without_its_arguments(
    calling: RunnerClient,
) -> None:
    stream = start(calling, "for _ in range(2): call_tool('s', 't', {'a': 1})")
    stream.until("tool_call")
    calling.tool_result(1, DONE)
    stream.until("tool_call")
    again = calling.start()
    assert again.until("tool_call")["args"] is None
    assert args(again.until("tool_call")) == {"a": 1}
    calling.tool_result(2, DONE)
    assert again.finish().result == stream.finish().result


def test_a_slow_reader_of_the_events_holds_up_no_call(calling: RunnerClient) -> None:
    code = "for _ in range(20): call_tool('s', 't', {'a': 'x' * 260_000})"
    slow = start(calling, code)
    other = calling.start()
    for call in range(1, 21):
        assert other.until("tool_call")["call"] == call
        assert calling.tool_result(call, DONE).status == 200
    assert other.finish().outcome == "Succeeded"
    calls = [event["call"] for event in slow.finish().events if event["type"] == "tool_call"]
    assert calls == [*range(1, 21)]


def test_arguments_that_are_too_long_are_an_error_of_the_call_and_none_is_made(
    calling: RunnerClient,
) -> None:
    code = "print(call_tool('s', 't', {'a': 'x' * 300 * 1024})['error']['code'])"
    finished = start(calling, code).finish()
    assert finished.text == "INVALID_ARGS\n"
    assert "tool_call" not in [event["type"] for event in finished.events]


@pytest.mark.parametrize(
    "forged",
    [
        "forge(1); forge(2)",
        "forge(1); forge(1)",
        "forge(2)",
        "forge(1, b'x' * (256 * 1024 + 1))",
        "forge(1, batch={'first': 1, 'size': 101, 'maxParallel': 1})",
        "forge(1, batch={'first': 1, 'size': 2, 'maxParallel': 1}); forge(2)",
    ],
    ids=["second", "same", "number", "arguments", "batch", "within"],
)
def test_whoever_calls_wrongly_can_call_no_more_and_the_run_ends(
    calling: RunnerClient, forged: str
) -> None:
    finished = start(calling, FORGE + forged).finish()
    made = [event["call"] for event in finished.events if event["type"] == "tool_call"]
    assert made in ([], [1])
    assert refusal(calling.tool_result(1, DONE)) == (409, "CallNotOpen")


def test_code_of_a_job_without_tools_cannot_call_any(fresh: RunnerClient) -> None:
    finished = fresh.run(FORGE + "forge(1)\nprint('call_tool' in globals())")
    assert finished.text == "False\n"
    assert "tool_call" not in [event["type"] for event in finished.events]


def test_a_result_that_ends_the_run_cannot_be_caught(calling: RunnerClient) -> None:
    code = "print('before')\ntry:\n    call_tool('s', 't')\nfinally:\n    print('after')"
    stream = start(calling, code)
    stream.until("tool_call")
    assert calling.tool_result(1, LAST).status == 200
    finished = stream.finish()
    assert finished.outcome == "CodeError"
    assert (finished.error["code"], finished.error["message"], finished.error["line"]) == (
        "MAX_TOOL_CALLS_EXCEEDED",
        "over",
        3,
    )


def test_a_cancelled_run_takes_no_result(calling: RunnerClient) -> None:
    stream = start(calling, "call_tool('s', 't')")
    stream.until("tool_call")
    assert calling.call("cancel").status == 200
    assert refusal(calling.tool_result(1, DONE)) == (409, "CallNotOpen")
    assert stream.finish().outcome == "Cancelled"
