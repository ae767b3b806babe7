"""What any runner makes of uploads; one that runs Python takes none."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from messages import Messages
from refusals import refusal, sent_elsewhere
from runner_client import Json, Reply, RunnerClient, python_job

MESSAGES = Messages()
DATA = b"a,b\n1,2\n"


def test_a_pod_that_runs_code_takes_no_upload(idle: RunnerClient) -> None:
    assert refusal(idle.upload(DATA)) == (422, "WrongKind")
    assert idle.hello()["runUid"] is None


def test_an_upload_that_is_not_put_is_not_allowed(idle: RunnerClient) -> None:
    assert refusal(idle.request("POST", "/v1/source", DATA)) == (405, "MethodNotAllowed")


def test_an_upload_without_a_head_is_refused(idle: RunnerClient) -> None:
    reply = idle.request("PUT", "/v1/source", DATA)
    assert refusal(reply) == (401, "BadSignature")


def test_an_upload_whose_head_is_of_another_signature_is_refused(idle: RunnerClient) -> None:
    other = idle.sign(idle.body("source", bytes=len(DATA) + 1)).headers
    assert refusal(idle.upload(DATA, other)) == (401, "BadSignature")
    stranger = idle.with_key(Ed25519PrivateKey.generate())
    assert refusal(stranger.upload(DATA)) == (401, "BadSignature")
    assert refusal(idle.upload(DATA, {"Assay-Key-Id": "k9"})) == (401, "UnknownKey")


def test_a_head_of_an_upload_that_is_not_base64_is_malformed(idle: RunnerClient) -> None:
    assert refusal(idle.upload(DATA, {"Assay-Request": "{}"})) == (400, "Malformed")


@pytest.mark.parametrize(
    "changes",
    [
        {"op": "stage"},
        {"bytes": -1},
        {"bytes": 2**41},
        {"bytes": "9"},
        {"bytes": None},
        {"extra": 1},
        {"runUid": ""},
    ],
)
def test_a_wrong_member_in_the_head_of_an_upload_is_malformed(
    idle: RunnerClient, changes: Json
) -> None:
    head = idle.body("source", **{"bytes": len(DATA), **changes})
    assert not MESSAGES.fits("request-source", json.loads(head))
    assert refusal(idle.upload(DATA, **changes)) == (400, "Malformed")


@pytest.mark.parametrize("size", [len(DATA) - 1, len(DATA) + 1, 0])
def test_an_upload_of_another_length_than_was_signed_is_malformed(
    idle: RunnerClient, size: int
) -> None:
    assert refusal(idle.upload(DATA, bytes=size)) == (400, "Malformed")


def test_an_upload_in_chunks_is_malformed(idle: RunnerClient) -> None:
    connection = idle.connect()
    head = idle.sign_head(idle.body("source", bytes=len(DATA)))
    connection.request(
        "PUT",
        "/v1/source",
        iter([DATA]),
        {"Transfer-Encoding": "chunked", **head},
        encode_chunked=True,
    )
    response = connection.getresponse()
    assert refusal(Reply(response.status, json.loads(response.read()))) == (400, "Malformed")
    connection.close()


@sent_elsewhere
def test_an_upload_for_another_pod_process_or_time_is_refused(
    idle: RunnerClient, changes: Json, code: str
) -> None:
    assert refusal(idle.upload(DATA, **changes)) == (403, code)


def test_a_refusal_of_an_upload_comes_before_its_body(idle: RunnerClient) -> None:
    head = idle.sign_head(idle.body("source", bytes=2**30))
    connection = idle.connect()
    connection.putrequest("PUT", "/v1/source")
    for name, value in {**head, "Content-Length": str(2**30), "Expect": "100-continue"}.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    assert refusal(Reply(response.status, json.loads(response.read()))) == (422, "WrongKind")
    connection.close()


def test_a_job_of_python_is_staged_after_an_upload_was_refused(unstarted: RunnerClient) -> None:
    assert unstarted.upload(DATA, runUid="run-2").code == "WrongKind"
    assert unstarted.stage(python_job("")).status == 200
