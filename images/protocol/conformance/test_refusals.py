"""Requests that a runner refuses while nothing is staged in it; all of these leave it so."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from messages import Messages
from refusals import refusal
from runner_client import (
    LIMITS,
    OPERATIONS,
    Json,
    Reply,
    RunnerClient,
    builtin_job,
    python_job,
    query_job,
    script_job,
    snapshot_job,
)

MESSAGES = Messages()


@pytest.fixture(autouse=True)
def stays_idle(idle: RunnerClient) -> Iterator[None]:
    yield
    hello = idle.hello()
    assert (hello["state"], hello["runUid"]) == ("Idle", None)


def test_hello_tells_protocol_pod_nonce_state_run_and_keys(idle: RunnerClient) -> None:
    hello = idle.hello()
    assert 1 in hello.get("protocols", [hello["protocol"]])
    assert hello["podUid"] == idle.target.pod_uid
    assert (hello["protocol"], hello["state"], hello["runUid"]) == (1, "Idle", None)
    assert idle.target.key_id in hello["keyIds"]


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/", "/v2/hello", "/v1/stage/x", "/v1/hello?x=1"])
def test_an_unknown_path_is_not_found(idle: RunnerClient, path: str) -> None:
    assert refusal(idle.request("GET", path)) == (404, "NotFound")


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/hello"), ("GET", "/v1/stage"), ("PUT", "/v1/start")]
)
def test_a_wrong_method_is_not_allowed(idle: RunnerClient, method: str, path: str) -> None:
    assert refusal(idle.request(method, path)) == (405, "MethodNotAllowed")


@pytest.mark.parametrize("op", OPERATIONS)
def test_an_unsigned_request_is_refused(idle: RunnerClient, op: str) -> None:
    assert refusal(idle.request("POST", f"/v1/{op}", idle.body(op))) == (401, "BadSignature")


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_body_changed_after_signing_is_refused(idle: RunnerClient, op: str) -> None:
    signed = idle.sign(idle.body(op))
    reply = idle.request("POST", f"/v1/{op}", signed.body + b" ", signed.headers)
    assert refusal(reply) == (401, "BadSignature")


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_signature_of_another_key_is_refused(idle: RunnerClient, op: str) -> None:
    reply = idle.with_key(Ed25519PrivateKey.generate()).call(op)
    assert refusal(reply) == (401, "BadSignature")


@pytest.mark.parametrize("signature", ["", "AAAA", "not base64!", "A" * 90])
def test_a_broken_signature_is_refused(idle: RunnerClient, signature: str) -> None:
    headers = {"Assay-Key-Id": idle.target.key_id, "Assay-Signature": signature}
    reply = idle.request("POST", "/v1/stage", idle.body("stage"), headers)
    assert refusal(reply) == (401, "BadSignature")


@pytest.mark.parametrize("op", OPERATIONS)
def test_an_unknown_key_is_refused(idle: RunnerClient, op: str) -> None:
    signed = idle.sign(idle.body(op))
    headers = {**signed.headers, "Assay-Key-Id": f"not-{idle.target.key_id}"}
    reply = idle.request("POST", f"/v1/{op}", signed.body, headers)
    assert refusal(reply) == (401, "UnknownKey")


def test_a_stranger_learns_nothing_of_the_body(idle: RunnerClient) -> None:
    assert idle.request("POST", "/v1/stage", b"{").code == "BadSignature"


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"podUid": "another"}, "WrongPod"),
        ({"namespace": "another"}, "WrongPod"),
        ({"nonce": "x" * 43}, "WrongNonce"),
        ({"notAfter": 1}, "Expired"),
        ({"podUid": "another", "nonce": "x", "notAfter": 1}, "WrongPod"),
        ({"nonce": "x", "notAfter": 1}, "WrongNonce"),
    ],
)
def test_identity_is_checked_before_age_and_both_before_state(
    idle: RunnerClient, op: str, changes: Json, code: str
) -> None:
    assert refusal(idle.call(op, **changes)) == (403, code)


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize(
    "changes",
    [
        {"extra": 1},
        {"op": "other"},
        {"namespace": ""},
        {"runUid": None},
        {"runUid": "x" * 257},
        {"podUid": 7},
        {"nonce": []},
        {"notAfter": "soon"},
        {"notAfter": True},
        {"notAfter": 1.5},
        {"notAfter": -1},
        {"notAfter": 2**80},
    ],
)
def test_a_wrong_member_is_malformed(idle: RunnerClient, op: str, changes: Json) -> None:
    body = idle.body(op, **changes)
    assert not MESSAGES.fits(f"request-{op}", json.loads(body))
    assert refusal(idle.send(op, body)) == (400, "Malformed")


@pytest.mark.parametrize(
    ("op", "changes"),
    [
        ("attach", {"afterSeq": -1}),
        ("attach", {"afterSeq": "1"}),
        ("attach", {"seq": 1}),
        ("ack", {"seq": None}),
        ("ack", {"seq": 0.5}),
        ("ack", {"afterSeq": 1}),
        ("start", {"job": python_job("")}),
        ("cancel", {"seq": 1}),
    ],
)
def test_a_wrong_further_member_is_malformed(idle: RunnerClient, op: str, changes: Json) -> None:
    body = idle.body(op, **changes)
    assert not MESSAGES.fits(f"request-{op}", json.loads(body))
    assert refusal(idle.send(op, body)) == (400, "Malformed")


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_missing_member_is_malformed(idle: RunnerClient, op: str) -> None:
    members = json.loads(idle.body(op))
    for missing in members:
        rest = {name: value for name, value in members.items() if name != missing}
        assert not MESSAGES.fits(f"request-{op}", rest)
        assert refusal(idle.send(op, json.dumps(rest).encode())) == (400, "Malformed")


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_repeated_member_is_malformed(idle: RunnerClient, op: str) -> None:
    body = idle.body(op)
    for name, value in json.loads(body).items():
        again = json.dumps({name: value}).encode()
        repeated = again[:-1] + b"," + body[1:]
        assert json.loads(repeated) == json.loads(body)
        assert refusal(idle.send(op, repeated)) == (400, "Malformed")


@pytest.mark.parametrize("member", [b'"kind": "python"', b'"code": ""', b'"outputBytes": 1048576'])
def test_a_member_repeated_within_the_job_is_malformed(idle: RunnerClient, member: bytes) -> None:
    body = idle.body("stage")
    assert body.count(member) == 1
    reply = idle.send("stage", body.replace(member, member + b", " + member))
    assert refusal(reply) == (400, "Malformed")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"{}{}",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'{"op": NaN}',
        b"[" * 100_000,
        b'{"op": ' + b"9" * 10_000 + b"}",
    ],
)
def test_a_body_that_is_no_json_object_is_malformed(idle: RunnerClient, body: bytes) -> None:
    assert refusal(idle.send("stage", body)) == (400, "Malformed")


def job(**changes: object) -> Json:
    return {**python_job(""), **changes}


@pytest.mark.parametrize(
    "wrong",
    [
        "code",
        {},
        job(kind="perl"),
        job(code=1),
        job(code="x" * 262_145),
        job(extra=1),
        job(datasets={}),
        job(datasets=None),
        job(datasets=["sales"]),
        job(datasets=[{}]),
        job(datasets=[{"name": ""}]),
        job(datasets=[{"name": "../sales"}]),
        job(datasets=[{"name": "-sales"}]),
        job(datasets=[{"name": "sales\n"}]),
        job(datasets=[{"name": "x" * 254}]),
        job(datasets=[{"name": "sales", "extra": 1}]),
        job(datasets=[{"name": f"d{n}"} for n in range(257)]),
        job(datasets=[{"name": "sales", "displayName": ""}]),
        job(datasets=[{"name": "sales", "displayName": "../sales"}]),
        job(datasets=[{"name": "sales", "displayName": "a/b"}]),
        job(datasets=[{"name": "sales", "displayName": "sales\n"}]),
        job(datasets=[{"name": "sales", "displayName": "x" * 254}]),
        job(input="[]"),
        job(reply=100),
        job(reply={}),
        job(reply={"rows": 0}),
        job(reply={"rows": 1001}),
        job(reply={"rows": "1"}),
        job(reply={"rows": 1, "format": "csv"}),
        job(reply={"rows": 1}, input=""),
        job(reply={"rows": 1}, input={}),
        job(limits={}),
        *(
            wrong
            for tools in (
                None,
                7,
                {},
                {"maxParallel": 8},
                {"maxParallel": 0, "resultBytes": 2**20},
                {"maxParallel": 33, "resultBytes": 2**20},
                {"maxParallel": 8, "resultBytes": 65535},
                {"maxParallel": 8, "resultBytes": 2**23 + 1},
                {"maxParallel": 8, "resultBytes": 2**20, "extra": 1},
            )
            for wrong in (job(tools=tools), script_job("", tools=tools))
        ),
        {**query_job("polars", ""), "tools": {"maxParallel": 8, "resultBytes": 2**20}},
        {**query_job("sql", ""), "tools": {"maxParallel": 8, "resultBytes": 2**20}},
        job(source={"format": "csv", "text": ""}),
        python_job("", timeoutMs=0),
        python_job("", timeoutMs=10**12),
        python_job("", startTimeoutMs=0),
        python_job("", stopGraceMs=-1),
        python_job("", stopGraceMs=60_001),
        python_job("", outputBytes=-1),
        python_job("", outputBytes=2**50),
        python_job("", extra=1),
        *(
            {**query_job(kind, ""), **wrong}
            for kind in ("polars", "sql")
            for wrong in (
                {"code": 1},
                {"reply": None},
                {"datasets": None},
                {"input": None},
                {"input": 7},
                {"name": "profile"},
            )
        ),
        {"kind": "sql", "code": "", "datasets": [], "limits": LIMITS},
        {"kind": "sql", "code": "", "reply": {"rows": 1}, "limits": LIMITS},
        builtin_job(name="import"),
        builtin_job(name=None),
        builtin_job(datasets=None),
        builtin_job(reply={"rows": 1}),
        builtin_job(code=""),
        builtin_job(input=[]),
        script_job("") | {"code": 1},
        script_job("", language="python"),
        script_job("", language=None),
        script_job("", input={}),
        script_job("", input=""),
        script_job("", datasets=[]),
        script_job("", reply={"rows": 1}),
        script_job("", files=[]),
        script_job("", collect=None),
        snapshot_job(),
        snapshot_job(format="csv"),
        snapshot_job(format="xml", text=""),
        snapshot_job(format="csv", text="", path="a"),
        snapshot_job(format="csv", text="", extra=1),
        snapshot_job(format="csv", path=""),
        snapshot_job(format="csv", path="/a"),
        snapshot_job(format="csv", path="../a"),
        snapshot_job(format="csv", path="a/../b"),
        snapshot_job(format="csv", path="a\n/../b"),
        snapshot_job(format="csv", path="a/./b"),
        snapshot_job(format="csv", path="a//b"),
        snapshot_job(format="csv", path="a/"),
        snapshot_job(format="csv", path="a\0b"),
        snapshot_job(format="csv", path="a/" * 2048 + "b"),
        snapshot_job(format="csv", text="x" * 262_145),
        snapshot_job(format="csv", text="", compression="gzip"),
        snapshot_job(format="csv", path="a", compression="xz"),
        snapshot_job(format="csv", path="a", compression=None),
        snapshot_job(format="csv", path="a", options=[]),
        snapshot_job(format="csv", path="a", limits={"maxBytes": 0}),
        snapshot_job(format="csv", path="a", limits={"maxCells": 1}),
        snapshot_job(format="csv", path="a", limits={"maxRows": True}),
        snapshot_job(format="csv", upload={"bytes": 1}),
        snapshot_job(format="csv", upload={"bytes": 1, "sha256": "0" * 63}),
        snapshot_job(format="csv", upload={"bytes": 1, "sha256": "A" * 64}),
        snapshot_job(format="csv", upload={"bytes": -1, "sha256": "0" * 64}),
        snapshot_job(format="csv", upload={"bytes": 1, "sha256": "0" * 64, "extra": 1}),
        snapshot_job(format="csv", upload={"bytes": 1, "sha256": "0" * 64}, path="a"),
        snapshot_job(format="csv", upload={"bytes": 1, "sha256": "0" * 64}, text=""),
    ],
)
def test_a_wrong_job_is_malformed(idle: RunnerClient, wrong: object) -> None:
    assert not MESSAGES.fits("job", wrong)
    assert refusal(idle.call("stage", job=wrong)) == (400, "Malformed")


@pytest.mark.parametrize(
    "wrong",
    [
        job(code="\ud800"),
        job(datasets=[{"name": "sales"}, {"name": "sales"}]),
        job(code="\u00e9" * 131_073),
        job(limits={**LIMITS, "timeoutMs": 1.0}),
        query_job("sql", "", input="{"),
        query_job("polars", "", input="[" * 65 + "]" * 65),
        builtin_job(input="NaN"),
        script_job("", input="NaN"),
        script_job("", input="[" * 65 + "]" * 65),
        snapshot_job(format="csv", text="\u00e9" * 131_073),
        snapshot_job(format="csv", path="\u00e9" * 2049),
    ],
)
def test_what_a_schema_cannot_say_is_malformed_too(idle: RunnerClient, wrong: Json) -> None:
    assert refusal(idle.call("stage", job=wrong)) == (400, "Malformed")


@pytest.mark.parametrize("op", ["start", "attach", "cancel", "ack"])
def test_nothing_can_be_done_before_stage(idle: RunnerClient, op: str) -> None:
    assert refusal(idle.call(op)) == (409, "NotStaged")


@pytest.mark.parametrize(
    "other",
    [
        snapshot_job(format="csv", text="a\n1\n"),
        query_job("sql", "SELECT 1"),
        builtin_job(),
        script_job("1"),
    ],
    ids=["snapshot", "sql", "builtin", "javascript"],
)
def test_a_job_of_another_kind_is_refused(idle: RunnerClient, other: Json) -> None:
    assert refusal(idle.stage(other)) == (422, "WrongKind")


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_body_over_its_limit_is_too_large(idle: RunnerClient, op: str) -> None:
    limit = 2**22 if op == "stage" else 2**20
    assert refusal(idle.send(op, b" " * (limit + 1))) == (413, "TooLarge")
    assert refusal(idle.send(op, b" " * limit)) == (400, "Malformed")


@pytest.mark.parametrize("encode_chunked", [True, False], ids=["body", "size of a chunk"])
def test_what_is_chunked_and_over_its_limit_is_too_large(
    idle: RunnerClient, encode_chunked: bool
) -> None:
    connection = idle.connect()
    headers = {"Transfer-Encoding": "chunked"}
    # A size that does not end is refused at once, and only so much is read after a refusal.
    pieces = iter([b" " * 2**20] * (5 if encode_chunked else 1))
    connection.request("POST", "/v1/stage", pieces, headers, encode_chunked=encode_chunked)
    response = connection.getresponse()
    body = json.loads(response.read())
    MESSAGES.check_answer("stage", response.status, body)
    assert refusal(Reply(response.status, body)) == (413, "TooLarge")
    connection.close()


def test_a_header_block_over_eight_kibibytes_is_refused(idle: RunnerClient) -> None:
    reply = idle.request("GET", "/v1/hello", headers={"X": "x" * 9000})
    assert refusal(reply) == (413, "TooLarge")


def test_a_path_over_eight_kibibytes_is_refused(idle: RunnerClient) -> None:
    assert refusal(idle.request("GET", "/" + "x" * 9000)) == (413, "TooLarge")
