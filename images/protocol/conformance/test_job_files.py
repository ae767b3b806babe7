"""What any runner makes of the files that a job brings; one Pod here has no room for inputs."""

from __future__ import annotations

import json

import pytest

from messages import Messages
from refusals import refusal, sent_elsewhere
from runner_client import Json, RunnerClient, python_job, sha256

MESSAGES = Messages()
DATA = b"a,b\n1,2\n"


def test_code_finds_the_texts_of_its_job_and_imports_them(fresh: RunnerClient) -> None:
    files = [
        {"path": "helper.py", "text": "def double(x): return 2 * x\n"},
        {"path": "data/raw/t.csv", "text": "größe\r\n1\r\n"},
    ]
    code = "import helper\nprint(helper.double(4), open('data/raw/t.csv', 'rb').read())"
    finished = fresh.finish(python_job(code) | {"files": files})
    assert finished.text == f"8 {files[1]['text'].encode()!r}\n"


@pytest.mark.parametrize(
    "files",
    [
        [{"path": "a"}],
        [{"path": "a", "text": 1}],
        [{"path": "a", "text": "", "extra": 1}],
        [{"path": "/a", "text": ""}],
        [{"path": "a/../../b", "text": ""}],
        [{"path": "a//b", "text": ""}],
        [{"path": "a\0", "text": ""}],
        [{"path": str(n), "text": ""} for n in range(33)],
    ],
)
def test_wrong_files_are_malformed(idle: RunnerClient, files: list[Json]) -> None:
    job = python_job("") | {"files": files}
    assert not MESSAGES.fits("job", job)
    assert refusal(idle.send("stage", idle.body("stage", job=job))) == (400, "Malformed")


@pytest.mark.parametrize(
    "files",
    [
        [{"path": "main.py", "text": ""}],
        [{"path": "main.py/x", "text": ""}],
        [{"path": ".work/generated/a.py", "text": ""}],
        [{"path": ".work", "text": ""}],
        [{"path": "a", "text": ""}, {"path": "a", "text": ""}],
        [{"path": "a/b", "text": ""}, {"path": "a-b", "text": ""}, {"path": "a", "text": ""}],
        [{"path": "a", "text": "x" * 200_000}, {"path": "b", "text": "x" * 70_000}],
    ],
)
def test_files_that_exclude_each_other_are_malformed(idle: RunnerClient, files: list[Json]) -> None:
    job = python_job("") | {"files": files}
    assert refusal(idle.send("stage", idle.body("stage", job=job))) == (400, "Malformed")


def test_the_texts_of_a_job_are_limited_together(idle: RunnerClient) -> None:
    job = python_job("#" * 262_144) | {
        "input": json.dumps("i" * 100_000),
        "reply": {"rows": 1},
        "files": [{"path": "a", "text": "x" * 200_000}],
    }
    assert refusal(idle.send("stage", idle.body("stage", job=job))) == (400, "Malformed")


@pytest.mark.parametrize(
    "given",
    [
        {"path": "a"},
        {"number": 0, "path": "a"},
        {"number": 513, "path": "a"},
        {"number": 1},
        {"number": 1, "path": "../a"},
        {"number": 1, "frame": "a b", "kind": "arrow"},
        {"number": 1, "frame": "a", "kind": "pickle"},
        {"number": 1, "frame": "a"},
        {"number": 1, "frame": "a", "kind": "arrow", "path": "a"},
    ],
)
def test_wrong_inputs_are_malformed(idle: RunnerClient, given: Json) -> None:
    job = python_job("") | {"inputs": [given]}
    assert not MESSAGES.fits("job", job)
    assert refusal(idle.send("stage", idle.body("stage", job=job))) == (400, "Malformed")


@pytest.mark.parametrize(
    "inputs",
    [
        [{"number": 1, "path": ".work/a"}],
        [{"number": 1, "path": "a"}, {"number": 1, "path": "b"}],
        [{"number": 1, "path": "a"}, {"number": 2, "path": "a"}],
        [
            {"number": 1, "frame": "a", "kind": "arrow"},
            {"number": 2, "frame": "a", "kind": "arrow"},
        ],
    ],
)
def test_inputs_that_exclude_each_other_are_malformed(
    idle: RunnerClient, inputs: list[Json]
) -> None:
    job = python_job("") | {"inputs": inputs}
    assert refusal(idle.send("stage", idle.body("stage", job=job))) == (400, "Malformed")


def test_a_pod_without_room_for_inputs_takes_none(unstarted: RunnerClient) -> None:
    assert refusal(unstarted.input(1, DATA)) == (422, "WrongKind")
    job = python_job("") | {"inputs": [{"number": 1, "path": "a"}]}
    assert refusal(unstarted.stage(job)) == (409, "UploadMismatch")


def test_an_input_that_is_not_put_is_not_allowed(idle: RunnerClient) -> None:
    assert refusal(idle.request("POST", "/v1/input", DATA)) == (405, "MethodNotAllowed")


def test_an_input_without_a_signature_of_its_head_is_refused(idle: RunnerClient) -> None:
    assert refusal(idle.request("PUT", "/v1/input", DATA)) == (401, "BadSignature")
    assert refusal(idle.input(1, DATA, {"Assay-Key-Id": "k9"})) == (401, "UnknownKey")


@pytest.mark.parametrize(
    "changes",
    [
        {"op": "source"},
        {"number": 0},
        {"number": 513},
        {"number": None},
        {"bytes": -1},
        {"bytes": 2**41},
        {"sha256": "0" * 63},
        {"sha256": None},
        {"extra": 1},
        {"runUid": ""},
    ],
)
def test_a_wrong_member_in_the_head_of_an_input_is_malformed(
    idle: RunnerClient, changes: Json
) -> None:
    right = {"number": 1, "bytes": len(DATA), "sha256": sha256(DATA)}
    head = idle.body("input", **{**right, **changes})
    assert not MESSAGES.fits("request-input", json.loads(head))
    assert refusal(idle.input(1, DATA, **changes)) == (400, "Malformed")


@pytest.mark.parametrize("size", [len(DATA) - 1, len(DATA) + 1, 0])
def test_an_input_of_another_length_than_was_signed_is_malformed(
    idle: RunnerClient, size: int
) -> None:
    assert refusal(idle.input(1, DATA, bytes=size)) == (400, "Malformed")


@sent_elsewhere
def test_an_input_for_another_pod_process_or_time_is_refused(
    idle: RunnerClient, changes: Json, code: str
) -> None:
    assert refusal(idle.input(1, DATA, **changes)) == (403, code)
