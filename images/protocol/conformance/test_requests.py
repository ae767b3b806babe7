"""What any runner must answer to requests, whatever its worker."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from local_runner import NewRunner, Runner
from runner_client import RunnerClient, python_job, snapshot_job

OPERATIONS = ("stage", "start", "attach", "cancel", "ack")
OTHER_MEMBERS: dict[str, dict[str, object]] = {
    "stage": {"job": python_job("")},
    "attach": {"afterSeq": 0},
    "ack": {"seq": 0},
}


@pytest.fixture
def client(new_runner: NewRunner) -> RunnerClient:
    """A client of a new runner whose worker never comes."""
    return new_runner(worker=None).client


@pytest.fixture
def idle(shared_runner: Runner) -> RunnerClient:
    """A client of a runner that nothing was ever staged in, for requests that are refused."""
    return shared_runner.client


def body_of(client: RunnerClient, path: str, **changes: object) -> bytes:
    members = client.members(path, **OTHER_MEMBERS.get(path, {}))
    return json.dumps({**members, **changes}).encode()


def test_hello_tells_protocol_pod_nonce_state_run_and_keys(idle: RunnerClient) -> None:
    hello = idle.hello()
    assert 1 in hello.get("protocols", [hello["protocol"]])
    assert hello["podUid"] == idle.target.pod_uid
    assert (hello["protocol"], hello["state"], hello["runUid"]) == (1, "Idle", None)
    assert hello["keyIds"] == ["k1"]
    assert len(hello["nonce"]) == 43


def test_each_process_has_a_nonce_of_its_own(new_runner: NewRunner) -> None:
    first, second = (new_runner(worker=None).client.hello() for _ in range(2))
    assert first["nonce"] != second["nonce"]


def test_hello_tells_the_state_and_run_that_was_staged(client: RunnerClient) -> None:
    assert client.stage(python_job("")).body == {"state": "Staged"}
    hello = client.hello()
    assert (hello["state"], hello["runUid"]) == ("Staged", "run-1")


def test_ready_is_refused_while_there_is_no_worker(idle: RunnerClient) -> None:
    reply = idle.request("GET", "/v1/ready")
    assert (reply.status, reply.code) == (503, "NotReady")


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/", "/v2/hello", "/v1/stage/x", "/v1/hello?x=1"])
def test_an_unknown_path_is_not_found(idle: RunnerClient, path: str) -> None:
    reply = idle.request("GET", path)
    assert (reply.status, reply.code) == (404, "NotFound")


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/hello"), ("GET", "/v1/stage"), ("PUT", "/v1/start")]
)
def test_a_wrong_method_is_not_allowed(idle: RunnerClient, method: str, path: str) -> None:
    reply = idle.request(method, path)
    assert (reply.status, reply.code) == (405, "MethodNotAllowed")


@pytest.mark.parametrize("op", OPERATIONS)
def test_an_unsigned_request_is_refused(idle: RunnerClient, op: str) -> None:
    reply = idle.request("POST", f"/v1/{op}", body_of(idle, op))
    assert (reply.status, reply.code) == (401, "BadSignature")


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_body_changed_after_signing_is_refused(idle: RunnerClient, op: str) -> None:
    signed = idle.sign(body_of(idle, op))
    reply = idle.request("POST", f"/v1/{op}", signed.body + b" ", signed.headers)
    assert (reply.status, reply.code) == (401, "BadSignature")


def test_a_signature_of_another_key_is_refused(idle: RunnerClient) -> None:
    reply = idle.with_key(Ed25519PrivateKey.generate()).stage(python_job(""))
    assert (reply.status, reply.code) == (401, "BadSignature")


@pytest.mark.parametrize("signature", ["", "AAAA", "not base64!", "A" * 90])
def test_a_broken_signature_is_refused(idle: RunnerClient, signature: str) -> None:
    headers = {"Assay-Key-Id": "k1", "Assay-Signature": signature}
    reply = idle.request("POST", "/v1/stage", body_of(idle, "stage"), headers)
    assert (reply.status, reply.code) == (401, "BadSignature")


def test_an_unknown_key_is_refused(idle: RunnerClient) -> None:
    signed = idle.sign(body_of(idle, "stage"))
    headers = {**signed.headers, "Assay-Key-Id": "k2"}
    reply = idle.request("POST", "/v1/stage", signed.body, headers)
    assert (reply.status, reply.code) == (401, "UnknownKey")


def test_a_stranger_learns_nothing_of_the_body(idle: RunnerClient) -> None:
    reply = idle.request("POST", "/v1/stage", b"{")
    assert reply.code == "BadSignature"


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"podUid": "pod-2"}, "WrongPod"),
        ({"namespace": "other"}, "WrongPod"),
        ({"nonce": "x" * 43}, "WrongNonce"),
        ({"notAfter": 1}, "Expired"),
        ({"podUid": "pod-2", "nonce": "x", "notAfter": 1}, "WrongPod"),
        ({"nonce": "x", "notAfter": 1}, "WrongNonce"),
    ],
)
def test_identity_is_checked_before_age(
    idle: RunnerClient, op: str, changes: dict[str, object], code: str
) -> None:
    reply = idle.send(op, body_of(idle, op, **changes))
    assert (reply.status, reply.code) == (403, code)


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize(
    "changes",
    [
        {"extra": 1},
        {"op": "other"},
        {"namespace": ""},
        {"runUid": None},
        {"podUid": 7},
        {"nonce": []},
        {"notAfter": "soon"},
        {"notAfter": True},
        {"notAfter": 1.5},
        {"notAfter": -1},
        {"notAfter": 2**80},
    ],
)
def test_a_wrong_member_is_malformed(
    idle: RunnerClient, op: str, changes: dict[str, object]
) -> None:
    reply = idle.send(op, body_of(idle, op, **changes))
    assert (reply.status, reply.code) == (400, "Malformed")


@pytest.mark.parametrize(
    "member", ["op", "namespace", "runUid", "podUid", "nonce", "notAfter", "job"]
)
def test_a_missing_member_is_malformed(idle: RunnerClient, member: str) -> None:
    members = idle.members("stage", job=python_job(""))
    del members[member]
    reply = idle.send("stage", json.dumps(members).encode())
    assert (reply.status, reply.code) == (400, "Malformed")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"\xff",
        b'{"op":"stage","op":"stage"}',
        b'{"op": NaN}',
        b"[" * 100_000,
        b'{"op": ' + b"9" * 10_000 + b"}",
    ],
)
def test_a_body_that_is_no_json_object_is_malformed(idle: RunnerClient, body: bytes) -> None:
    reply = idle.send("stage", body)
    assert (reply.status, reply.code) == (400, "Malformed")


def broken(job: dict[str, object], **changes: object) -> dict[str, object]:
    return {**job, **changes}


@pytest.mark.parametrize(
    "job",
    [
        "code",
        {},
        broken(python_job(""), kind="perl"),
        broken(python_job(""), code=1),
        broken(python_job(""), code="\ud800"),
        broken(python_job(""), code="x" * 262_145),
        broken(python_job(""), code="\u00e9" * 131_073),
        broken(python_job(""), extra=1),
        broken(python_job(""), limits={}),
        python_job("", timeoutMs=0),
        python_job("", timeoutMs=10**12),
        python_job("", stopGraceMs=-1),
        python_job("", outputBytes=2**50),
        python_job("", extra=1),
        snapshot_job(),
        snapshot_job(format="xml", text=""),
        snapshot_job(format="csv", text="", path="a"),
        snapshot_job(format="csv", path=""),
        snapshot_job(format="csv", path="/a"),
        snapshot_job(format="csv", path="../a"),
        snapshot_job(format="csv", path="a/../b"),
        snapshot_job(format="csv", path="a//b"),
        snapshot_job(format="csv", path="a\0b"),
        snapshot_job(format="csv", text="x" * 262_145),
    ],
)
def test_a_wrong_job_is_malformed(idle: RunnerClient, job: object) -> None:
    reply = idle.call("stage", job=job)
    assert (reply.status, reply.code) == (400, "Malformed")
    assert idle.hello()["state"] == "Idle"


def test_the_longest_code_fits(client: RunnerClient) -> None:
    assert client.stage(python_job("\n" * 262_144)).status == 200


def test_a_job_of_another_kind_is_refused(idle: RunnerClient) -> None:
    reply = idle.stage(snapshot_job(format="csv", text="a\n1\n"))
    assert (reply.status, reply.code) == (422, "WrongKind")


def test_a_body_over_a_mebibyte_is_too_large(idle: RunnerClient) -> None:
    reply = idle.send("stage", b" " * (2**20 + 1))
    assert (reply.status, reply.code) == (413, "TooLarge")


def test_a_chunked_body_over_a_mebibyte_is_too_large(idle: RunnerClient) -> None:
    connection = idle.connect()
    connection.request(
        "POST", "/v1/stage", iter([b" " * 2**19] * 3), {"Transfer-Encoding": "chunked"}
    )
    assert connection.getresponse().status == 413
    connection.close()


def test_a_header_block_over_eight_kibibytes_is_refused(idle: RunnerClient) -> None:
    reply = idle.request("GET", "/v1/hello", headers={"X": "x" * 9000})
    assert (reply.status, reply.code) == (413, "TooLarge")


def test_what_is_not_http_is_refused_and_does_no_harm(idle: RunnerClient) -> None:
    connection = idle.connect()
    connection.connect()
    connection.sock.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
    assert connection.sock.recv(1024).startswith(b"HTTP/1.1 400")
    connection.close()
    assert idle.hello()["state"] == "Idle"


def test_one_connection_serves_many_requests(idle: RunnerClient) -> None:
    connection = idle.connect()
    for _ in range(3):
        connection.request("GET", "/v1/hello")
        assert connection.getresponse().read().startswith(b"{")
    connection.close()


def test_more_connections_than_allowed_are_closed(client: RunnerClient) -> None:
    held = [client.connect() for _ in range(32)]
    for connection in held:
        say_hello(connection)
    late = client.connect()
    with pytest.raises(OSError):  # noqa: PT011 - closed in one of several ways
        say_hello(late)
    held.pop().close()
    wait_for_room(client)
    for connection in held:
        connection.close()


def say_hello(connection: HTTPConnection) -> None:
    connection.request("GET", "/v1/hello")
    connection.getresponse().read()


def wait_for_room(client: RunnerClient) -> None:
    end = time.monotonic() + 10
    while True:
        try:
            client.hello()
        except OSError:
            assert time.monotonic() < end
        else:
            return


def test_the_same_bytes_staged_again_get_the_same_answer(client: RunnerClient) -> None:
    body = body_of(client, "stage")
    replies = [client.send("stage", body) for _ in range(3)]
    assert [(reply.status, reply.body) for reply in replies] == [(200, {"state": "Staged"})] * 3


def test_other_bytes_for_the_same_run_are_refused(client: RunnerClient) -> None:
    client.stage(python_job(""))
    reply = client.stage(python_job("print(1)"))
    assert (reply.status, reply.code) == (409, "BytesChanged")


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_pod_given_to_one_run_refuses_another(client: RunnerClient, op: str) -> None:
    client.stage(python_job(""))
    reply = client.send(op, body_of(client, op, runUid="run-2"))
    assert (reply.status, reply.code) == (409, "RunMismatch")


@pytest.mark.parametrize("op", ["start", "attach", "cancel", "ack"])
def test_nothing_can_be_done_before_stage(idle: RunnerClient, op: str) -> None:
    reply = idle.send(op, body_of(idle, op))
    assert (reply.status, reply.code) == (409, "NotStaged")


@pytest.mark.parametrize("op", ["attach", "ack"])
def test_there_is_nothing_to_attach_to_or_acknowledge_before_start(
    client: RunnerClient, op: str
) -> None:
    client.stage(python_job(""))
    reply = client.send(op, body_of(client, op))
    assert (reply.status, reply.code) == (409, "NotStarted")


def test_a_staged_job_past_its_age_is_not_started(client: RunnerClient) -> None:
    soon = int(time.time() * 1000) + 300
    assert client.stage(python_job(""), notAfter=soon).status == 200
    while time.time() * 1000 <= soon:
        time.sleep(0.01)
    reply = client.call("start")
    assert (reply.status, reply.code) == (403, "Expired")


def test_a_staged_run_that_is_cancelled_never_starts(client: RunnerClient) -> None:
    client.stage(python_job(""))
    assert client.call("cancel").status == 200
    events = list(client.start())
    assert [event["type"] for event in events] == ["result"]
    assert events[0]["outcome"] == "Cancelled"
    assert client.call("cancel").body == {"state": "Finished"}


def test_a_worker_that_never_comes_is_a_failed_start(client: RunnerClient) -> None:
    finished = client.run("", startTimeoutMs=200)
    assert finished.outcome == "StartFailed"
    assert finished.error["type"] == "StartTimeout"


def test_an_acknowledgement_past_the_last_event_is_malformed(client: RunnerClient) -> None:
    finished = client.run("", startTimeoutMs=1)
    reply = client.call("ack", seq=finished.result["seq"] + 1)
    assert (reply.status, reply.code) == (400, "Malformed")
