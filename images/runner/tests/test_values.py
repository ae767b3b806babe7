"""Input and value of kinds of job that have them, from the request to the result."""

from __future__ import annotations

import base64
import json

import pytest

from assay_runner.frames import FrameError
from assay_runner.json_text import MAX_JSON_BYTES, MAX_JSON_DEPTH, JsonTextError, check
from assay_runner.supervisor.worker_messages import worker_result
from local_runner import NewRunner, Runner
from runner_client import LIMITS, Json

pytestmark = pytest.mark.slow


@pytest.fixture
def echo(new_runner: NewRunner) -> Runner:
    return new_runner("echo", supervisor_environment={"ASSAY_WORKER": "echo"})


def job(text: str) -> Json:
    return {"kind": "echo", "input": text, "limits": LIMITS}


def stage_body(runner: Runner, text: str) -> bytes:
    """The schemas do not know this kind, so the client that checks them cannot send it."""
    return json.dumps(runner.client.members("stage", job=job(text))).encode()


LONGEST = f'"{"x" * (MAX_JSON_BYTES - 2)}"'


@pytest.mark.parametrize(
    "text",
    [
        "null",
        ' {"b": 1.0, "a": [12345678901234567890.10],\n "b": "é😀\\u0000"} ',
        "9" * 5000,
        "[" * MAX_JSON_DEPTH + "]" * MAX_JSON_DEPTH,
        LONGEST,
    ],
    ids=["null", "spelling", "digits", "depth", "length"],
)
def test_a_value_arrives_as_it_was_written(echo: Runner, text: str) -> None:
    echo.client.stage_unchecked(stage_body(echo, text))
    finished = echo.client.start().finish()
    assert finished.outcome == "Succeeded"
    assert base64.b64decode(finished.result["valueJson"]).decode() == text
    assert finished.result["value"] is None


def test_a_kind_that_not_every_operator_knows_is_a_feature(
    new_runner: NewRunner, echo: Runner
) -> None:
    known = {"sources", "uploads", "datasets", "tables", "egress", "refuse"}
    assert set(echo.client.hello()["features"]) == {*known, "echo"}
    files = {"artifacts", "artifactStream", "artifactData", "anywhere", "files", "inputs"}
    every = {"reply", "workspace", "charts", *files}
    for worker, further in {
        "python": {"polars", *every, "keep", "code", "tools"},
        "jvm": {"sql", "builtin", *every, "timeZone", "export"},
        "javascript": {"javascript", "tools"},
        "snapshot": set(),
    }.items():
        idle = new_runner(None, supervisor_environment={"ASSAY_WORKER": worker})
        assert set(idle.client.hello()["features"]) == {*known, *further}


def test_an_error_may_have_a_code(echo: Runner) -> None:
    echo.client.stage_unchecked(stage_body(echo, '"fail"'))
    finished = echo.client.start().finish()
    assert (finished.outcome, finished.error["code"]) == ("CodeError", "ECHO_FAILED")
    assert finished.result["valueJson"] is None


NOT_JSON = [
    *("", " ", "nil", "NaN", "Infinity", "{", "[1,]", "{a:1}", "1 2", '"\n"', "'a'", '"a'),
    *("[" * (MAX_JSON_DEPTH + 1) + "]" * (MAX_JSON_DEPTH + 1), "[" * 100_000, LONGEST + " "),
    *("\ufeff1", '"\ud800"'),
    # Minutes, if the time were quadratic: the worker can send this while the supervisor keeps time.
    '"' + '\\"' * (MAX_JSON_BYTES // 2 - 1),
]


@pytest.mark.parametrize("text", NOT_JSON, ids=range(len(NOT_JSON)))
def test_text_that_is_not_one_json_value_of_its_size_is_refused(text: str) -> None:
    with pytest.raises(JsonTextError):
        check(text)


@pytest.mark.parametrize("text", ["", "{", LONGEST + " "])
def test_input_that_is_not_json_is_malformed(new_runner: NewRunner, text: str) -> None:
    idle = new_runner(None, supervisor_environment={"ASSAY_WORKER": "echo"})
    reply = idle.client.stage_unchecked(stage_body(idle, text))
    assert (reply.status, reply.code) == (400, "Malformed")


@pytest.mark.parametrize(
    "members",
    [
        {"valueJson": 1},
        {"valueJson": "*"},
        {"valueJson": base64.b64encode(b"\xff").decode()},
        {"valueJson": base64.b64encode(b"{").decode()},
        {"error": {"type": "E", "message": "", "code": "lower"}},
        {"error": {"type": "E", "message": "", "code": "X" * 65}},
        {"error": {"type": "E", "message": "", "code": "A\n"}},
        {"error": {"type": "E", "message": "", "code": 7}},
    ],
)
def test_a_worker_with_an_invalid_value_or_code_is_not_believed(members: Json) -> None:
    with pytest.raises(FrameError):
        worker_result({"type": "result", "error": None, **members})
