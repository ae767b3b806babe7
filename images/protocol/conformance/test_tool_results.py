"""What any runner makes of the results of tool calls."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from messages import Messages
from refusals import refusal, sent_elsewhere
from runner_client import Json, RunnerClient, python_job, sha256

MESSAGES = Messages()
DATA = b'{"rows": []}'


def test_a_result_to_a_run_that_is_not_there_is_refused(idle: RunnerClient) -> None:
    assert refusal(idle.tool_result(1, DATA)) == (409, "NotStaged")


def test_a_result_that_is_not_put_is_not_allowed(idle: RunnerClient) -> None:
    assert refusal(idle.request("POST", "/v1/tool-result", DATA)) == (405, "MethodNotAllowed")


def test_a_result_without_a_signature_of_its_head_is_refused(idle: RunnerClient) -> None:
    assert refusal(idle.request("PUT", "/v1/tool-result", DATA)) == (401, "BadSignature")
    stranger = idle.with_key(Ed25519PrivateKey.generate())
    assert refusal(stranger.tool_result(1, DATA)) == (401, "BadSignature")
    assert refusal(idle.tool_result(1, DATA, {"Assay-Key-Id": "k9"})) == (401, "UnknownKey")


@pytest.mark.parametrize(
    "changes",
    [
        {"op": "source"},
        {"call": 0},
        {"call": "1"},
        {"call": None},
        {"bytes": -1},
        {"bytes": 8 * 1024 * 1024 + 1},
        {"sha256": "0" * 63},
        {"sha256": "A" * 64},
        {"sha256": None},
        {"extra": 1},
        {"runUid": ""},
    ],
)
def test_a_wrong_member_in_the_head_of_a_result_is_malformed(
    idle: RunnerClient, changes: Json
) -> None:
    right = {"call": 1, "bytes": len(DATA), "sha256": sha256(DATA)}
    head = idle.body("tool-result", **{**right, **changes})
    assert not MESSAGES.fits("request-tool-result", json.loads(head))
    assert refusal(idle.tool_result(1, DATA, **changes)) == (400, "Malformed")


@pytest.mark.parametrize("size", [len(DATA) - 1, len(DATA) + 1, 0])
def test_a_result_of_another_length_than_was_signed_is_malformed(
    idle: RunnerClient, size: int
) -> None:
    assert refusal(idle.tool_result(1, DATA, bytes=size)) == (400, "Malformed")


@sent_elsewhere
def test_a_result_for_another_pod_process_or_time_is_refused(
    idle: RunnerClient, changes: Json, code: str
) -> None:
    assert refusal(idle.tool_result(1, DATA, **changes)) == (403, code)


def test_a_result_to_a_call_that_was_not_made_is_refused(fresh: RunnerClient) -> None:
    assert fresh.stage(python_job("")).status == 200
    assert refusal(fresh.tool_result(1, DATA)) == (409, "NotStarted")
    assert refusal(fresh.tool_result(1, DATA, runUid="run-2")) == (409, "RunMismatch")
    assert fresh.start().finish().outcome == "Succeeded"
    assert refusal(fresh.tool_result(1, DATA)) == (409, "CallNotOpen")
