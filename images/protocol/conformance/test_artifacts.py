"""What any runner makes of the files that code leaves."""

from __future__ import annotations

import base64
import json

import pytest

from messages import Messages
from runner_client import Finished, Json, Reply, RunnerClient, python_job

MESSAGES = Messages()
COLLECT = {"folders": ["artifacts", "reports"], "maxCount": 4, "maxBytes": 1000}
LEAVE = """
import os
os.makedirs('artifacts/below')
open('artifacts/b.bin', 'wb').write(bytes(range(256)))
open('artifacts/a.txt', 'w').write('a\\n')
open('artifacts/below/empty', 'w').close()
open('elsewhere.txt', 'w').write('not collected')
"""


def refusal(reply: object) -> tuple[int, str]:
    assert isinstance(reply, Reply)
    return reply.status, reply.code


def run(client: RunnerClient, code: str, collect: Json | None = None) -> Finished:
    return client.finish(python_job(code) | {"collect": {**COLLECT, **(collect or {})}})


def test_files_below_the_folders_are_fetched_by_number_until_they_are_acknowledged(
    fresh: RunnerClient,
) -> None:
    finished = run(fresh, LEAVE)
    assert finished.outcome == "Succeeded"
    assert finished.result["artifactsMessage"] is None
    sizes = {path: event["bytes"] for path, event in finished.artifacts.items()}
    assert sizes == {"artifacts/a.txt": 2, "artifacts/b.bin": 256, "artifacts/below/empty": 0}
    content = {path: fresh.artifact(e["number"]) for path, e in finished.artifacts.items()}
    assert content == {
        "artifacts/a.txt": b"a\n",
        "artifacts/b.bin": bytes(range(256)),
        "artifacts/below/empty": b"",
    }
    first = finished.artifacts["artifacts/a.txt"]
    assert fresh.artifact(first["number"]) == b"a\n"
    assert fresh.call("ack", seq=first["seq"]).status == 200
    assert refusal(fresh.artifact(first["number"])) == (404, "NotFound")
    assert fresh.artifact(first["number"] + 1) == bytes(range(256))
    assert refusal(fresh.artifact(4)) == (404, "NotFound")


def test_all_artifacts_are_fetched_on_one_connection(fresh: RunnerClient) -> None:
    finished = run(fresh, LEAVE)
    connection = fresh.connect()
    sizes = [event["bytes"] for event in finished.artifacts.values()]
    fetched = [fresh.artifact(n + 1, connection) for n in range(len(sizes))]
    assert [len(data) for data in fetched if isinstance(data, bytes)] == sizes
    connection.close()


def test_all_artifacts_from_a_number_on_are_fetched_with_one_request(fresh: RunnerClient) -> None:
    assert "artifactStream" in fresh.hello()["features"]
    finished = run(fresh, LEAVE)
    content = [(1, b"a\n"), (2, bytes(range(256))), (3, b"")]
    connection = fresh.connect()
    assert fresh.artifacts(1, connection) == content
    assert fresh.artifacts(2, connection) == content[1:]
    assert fresh.artifacts(3, connection) == content[2:]
    assert refusal(fresh.artifacts(4, connection)) == (404, "NotFound")
    connection.close()
    seq = finished.artifacts["artifacts/a.txt"]["seq"]
    assert fresh.call("ack", seq=seq).status == 200
    assert fresh.artifacts(1) == content[1:]


def test_the_data_of_the_first_events_is_what_is_fetched(fresh: RunnerClient) -> None:
    code = """
import os
os.makedirs('artifacts', exist_ok=True)
open('artifacts/a', 'w').close()
open('artifacts/b', 'wb').write(bytes(range(256)) * 63)
open('artifacts/c', 'wb').write(b'c' * 257)
open('artifacts/d', 'wb').write(b'd')
"""
    finished = run(fresh, code, {"maxBytes": 2**20})
    events = [finished.artifacts[f"artifacts/{name}"] for name in "abcd"]
    data = [event.get("data") for event in events]
    sent = [base64.b64decode(text) for text in data if text is not None]
    fetched = fresh.artifacts(1)
    assert isinstance(fetched, list)
    assert sent == [content for _, content in fetched[: len(sent)]]
    assert data[len(sent) :] == [None] * (4 - len(sent))
    features = fresh.hello()["features"]
    assert len(sent) == (2 if "artifactData" in features else 0)


def test_many_and_large_artifacts_are_fetched_with_one_request(fresh: RunnerClient) -> None:
    code = """
import os
os.makedirs('artifacts', exist_ok=True)
for n in range(60):
    open(f'artifacts/{n:02}', 'wb').write(bytes([n]) * 1024)
open('artifacts/m', 'wb').write(b'm' * (2**20 + 1))
open('artifacts/n', 'wb').write(b'n' * 2**19)
open('artifacts/o', 'wb').write(b'o')
"""
    run(fresh, code, {"maxCount": 128, "maxBytes": 2**30})
    small = [(n + 1, bytes([n]) * 1024) for n in range(60)]
    large = [(61, b"m" * (2**20 + 1)), (62, b"n" * 2**19), (63, b"o")]
    assert fresh.artifacts(1) == small + large


@pytest.mark.parametrize(
    ("code", "outcome"),
    [(f"{LEAVE}raise KeyError", "CodeError"), (f"{LEAVE}os._exit(3)", "CodeError")],
)
def test_files_are_collected_after_an_error_too(
    fresh: RunnerClient, code: str, outcome: str
) -> None:
    finished = run(fresh, code)
    assert finished.outcome == outcome
    assert len(finished.artifacts) == 3


def test_files_are_collected_after_the_time_limit_and_after_a_cancellation(
    fresh: RunnerClient,
) -> None:
    job = python_job(f"{LEAVE}while True: pass", timeoutMs=500) | {"collect": COLLECT}
    finished = fresh.finish(job)
    assert finished.outcome == "DeadlineExceeded"
    assert len(finished.artifacts) == 3


def test_what_is_over_a_limit_is_left_out_and_said(fresh: RunnerClient) -> None:
    finished = run(fresh, LEAVE, {"maxCount": 1, "maxBytes": 100})
    assert list(finished.artifacts) == ["artifacts/a.txt"]
    assert finished.result["artifactsMessage"]


def test_a_link_is_not_followed(fresh: RunnerClient) -> None:
    code = "import os; os.symlink('/etc/passwd', 'artifacts/passwd')"
    finished = run(fresh, code)
    assert finished.artifacts == {}
    assert "passwd" in finished.result["artifactsMessage"]


def test_nothing_is_collected_of_a_job_that_does_not_ask_for_it(fresh: RunnerClient) -> None:
    finished = fresh.run(LEAVE)
    assert finished.artifacts == {}
    assert "artifactsMessage" not in finished.result
    assert refusal(fresh.artifact(1)) == (404, "NotFound")
    assert refusal(fresh.artifacts(1)) == (404, "NotFound")


def test_an_artifact_of_a_run_that_was_not_started_is_refused(unstarted: RunnerClient) -> None:
    assert refusal(unstarted.artifact(1)) == (409, "NotStaged")
    assert refusal(unstarted.artifacts(1)) == (409, "NotStaged")
    assert unstarted.stage(python_job("")).status == 200
    assert refusal(unstarted.artifact(1)) == (409, "NotStarted")
    assert refusal(unstarted.artifacts(1)) == (409, "NotStarted")


@pytest.mark.parametrize("number", [0, -1, 129, "1", None, 1.5])
def test_a_number_that_no_artifact_has_is_malformed(idle: RunnerClient, number: object) -> None:
    for op, name in (("artifact", "number"), ("artifacts", "from")):
        body = idle.body(op, **{name: number})
        assert not MESSAGES.fits(f"request-{op}", json.loads(body))
        assert refusal(idle.send(op, body)) == (400, "Malformed")


@pytest.mark.parametrize(
    "changes",
    [
        {"collect": {}},
        {"collect": {**COLLECT, "extra": 1}},
        {"collect": {**COLLECT, "folders": "artifacts"}},
        {"collect": {**COLLECT, "folders": [""]}},
        {"collect": {**COLLECT, "folders": ["/artifacts"]}},
        {"collect": {**COLLECT, "folders": ["a/../b"]}},
        {"collect": {**COLLECT, "folders": ["a\n"]}},
        {"collect": {**COLLECT, "folders": ["a", "a"]}},
        {"collect": {**COLLECT, "folders": ["\x9b1m"]}},
        {"collect": {**COLLECT, "folders": ["\u202etxt"]}},
        {"collect": {**COLLECT, "folders": ["a" * 257]}},
        {"collect": {**COLLECT, "folders": [str(n) for n in range(33)]}},
        {"collect": {**COLLECT, "files": ["./a"]}},
        {"collect": {**COLLECT, "files": [1]}},
        {"collect": {**COLLECT, "maxCount": 129}},
        {"collect": {**COLLECT, "maxBytes": -1}},
        {"keep": ["a"]},
        {"keep": ["a-b"], "collect": COLLECT},
        {"keep": ["a\n"], "collect": COLLECT},
        {"keep": ["a", "a"], "collect": COLLECT},
        {"keep": [str(n) for n in range(17)], "collect": COLLECT},
        {"mode": "standard"},
        {"mode": "code", "datasets": [], "reply": {"rows": 1}},
        {"scriptName": "a"},
        {"mode": "code", "scriptName": ".a"},
        {"mode": "code", "scriptName": "a\n"},
        {"guard": {}},
        {"guard": {"allowedModules": [""]}},
        {"reply": {"rows": 1, "chart": {"type": "pie"}}},
        {"reply": {"rows": 1, "chart": {"extra": 1}}},
    ],
)
def test_a_wrong_member_of_a_job_about_files_is_malformed(
    idle: RunnerClient, changes: Json
) -> None:
    job = python_job("") | changes
    assert not MESSAGES.fits("job", job)
    assert refusal(idle.send("stage", idle.body("stage", job=job))) == (400, "Malformed")


@pytest.mark.parametrize("member", ["keep", "mode", "guard"])
def test_a_job_of_another_kind_has_no_member_of_python(idle: RunnerClient, member: str) -> None:
    job = python_job("") | {"kind": "sql", "datasets": [], "reply": {"rows": 1}, member: []}
    assert not MESSAGES.fits("job", job)
    assert refusal(idle.send("stage", idle.body("stage", job=job))) == (400, "Malformed")
