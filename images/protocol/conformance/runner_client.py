"""A small client of the runner protocol: signs requests and reads the event stream.

Whatever a runner answers is checked against the schemas, whichever test it is for.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from messages import Messages

RUN_UID = "run-1"
LIMITS = {"timeoutMs": 60_000, "startTimeoutMs": 60_000, "stopGraceMs": 500, "outputBytes": 2**20}
_TIMEOUT_SECONDS = 70.0
_MAX_LINE_BYTES = 512 * 1024

Json = dict[str, Any]


def python_job(code: str, **limits: int) -> Json:
    """Return a job of kind python."""
    return {"kind": "python", "code": code, "limits": {**LIMITS, **limits}}


def sha256(data: bytes) -> str:
    """Return a SHA-256 as the protocol writes it."""
    return hashlib.sha256(data).hexdigest()


def query_job(kind: str, code: str, **members: object) -> Json:
    """Return a job of code that returns a value."""
    return {
        "kind": kind,
        "code": code,
        "datasets": [],
        "reply": {"rows": 100},
        "limits": LIMITS,
        **members,
    }


def script_job(code: str, **members: object) -> Json:
    """Return a job of kind javascript."""
    language = {"language": "javascript"}
    return {"kind": "javascript", "code": code, **language, "limits": LIMITS, **members}


def builtin_job(**members: object) -> Json:
    """Return a job of kind builtin."""
    return {"kind": "builtin", "name": "profile", "datasets": [], "limits": LIMITS, **members}


def snapshot_job(**source: object) -> Json:
    """Return a job of kind snapshot."""
    return {"kind": "snapshot", "source": source, "limits": LIMITS}


OPERATIONS = ("stage", "start", "attach", "cancel", "refuse", "ack", "artifact", "artifacts")
_FURTHER_MEMBERS: dict[str, Json] = {
    "stage": {"job": python_job("")},
    "attach": {"afterSeq": 0},
    "ack": {"seq": 0},
    "artifact": {"number": 1},
    "artifacts": {"from": 1},
}


def _framed(body: bytes) -> Iterator[tuple[int, bytes | None]]:
    """Split a response with several artifacts; one that is lost has no bytes."""
    at = 0
    while at < len(body):
        number, size = struct.unpack_from(">IQ", body, at)
        at += 12
        if size == 2**64 - 1:
            yield number, None
            continue
        assert at + size <= len(body)
        yield number, body[at : at + size]
        at += size


@dataclass(frozen=True)
class Target:
    """A runner and what its Pod was made with.

    Attributes:
        host: its address.
        port: its TCP port.
        namespace: the Pod's namespace.
        pod_uid: the Pod's UID.
        key_id: the id under which the runner knows the public half of the key.
        key: the private key.
    """

    host: str
    port: int
    namespace: str
    pod_uid: str
    key_id: str
    key: Ed25519PrivateKey


@dataclass(frozen=True)
class Reply:
    """A whole JSON answer."""

    status: int
    body: Json

    @property
    def code(self) -> str:
        """The refusal's code."""
        return str(self.body["error"]["code"])


@dataclass(frozen=True)
class Signed:
    """A body with the headers that sign it."""

    body: bytes
    headers: Mapping[str, str]


class Stream:
    """An open event stream; closing it cuts the connection.

    Args:
        connection: where the request was sent.
        messages: what may come.
    """

    def __init__(self, connection: http.client.HTTPConnection, messages: Messages) -> None:
        self._connection = connection
        self._messages = messages
        self._response = connection.getresponse()
        self._last: Json | None = None
        self.status = self._response.status

    def __iter__(self) -> Iterator[Json]:
        """Yield events, pings left out, until the stream ends."""
        for event in self.lines():
            if event["type"] != "ping":
                self._check_order(event)
                yield event

    def lines(self) -> Iterator[Json]:
        """Yield events and pings."""
        assert self._response.headers["Content-Type"] == "application/x-ndjson"
        while line := self._response.readline():
            assert len(line) <= _MAX_LINE_BYTES + 1
            event = json.loads(line)
            self._messages.check("event", event)
            yield event

    def _check_order(self, event: Json) -> None:
        if self._last is not None:
            assert event["seq"] == self._last["seq"] + 1
            assert self._last["type"] != "result"
            if event["type"] == self._last["type"] == "output":
                length = len(base64.b64decode(self._last["data"]))
                assert event["offset"] == self._last["offset"] + length
        self._last = event

    def until(self, event_type: str) -> Json:
        """Return the next event of a type."""
        for event in self:
            if event["type"] == event_type:
                return event
        raise AssertionError(f"the stream ended without {event_type}")

    def finish(self) -> Finished:
        """Return the rest of the events when the stream has ended."""
        events = list(self)
        self.close()
        return Finished(events)

    def close(self) -> None:
        """Hang up."""
        self._response.close()
        self._connection.close()


@dataclass(frozen=True)
class Finished:
    """The events of a run to its end."""

    events: list[Json]

    @property
    def result(self) -> Json:
        """The last event."""
        assert self.events[-1]["type"] == "result", self.events
        return self.events[-1]

    @property
    def outcome(self) -> str:
        """The result's outcome."""
        return str(self.result["outcome"])

    @property
    def error(self) -> Json:
        """The result's error."""
        error: Json = self.result["error"]
        return error

    @property
    def output(self) -> bytes:
        """All output that was kept."""
        return b"".join(
            base64.b64decode(event["data"]) for event in self.events if event["type"] == "output"
        )

    @property
    def artifacts(self) -> dict[str, Json]:
        """The artifacts by path."""
        found = [event for event in self.events if event["type"] == "artifact"]
        assert [event["number"] for event in found] == [*range(1, len(found) + 1)]
        return {event["path"]: event for event in found}

    @property
    def text(self) -> str:
        """The kept output as text."""
        return self.output.decode()


class RunnerClient:
    """Talks to one runner.

    Args:
        target: the runner.
        messages: what it may answer.
    """

    def __init__(self, target: Target, messages: Messages) -> None:
        self.target = target
        self._messages = messages
        self._nonce: str | None = None

    def with_key(self, key: Ed25519PrivateKey) -> RunnerClient:
        """Return a client of the same runner that signs with another key of the same id."""
        return RunnerClient(replace(self.target, key=key), self._messages)

    def connect(self) -> http.client.HTTPConnection:
        """Return a new connection."""
        return http.client.HTTPConnection(
            self.target.host, self.target.port, timeout=_TIMEOUT_SECONDS
        )

    def request(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send one request and return its whole answer."""
        connection = self.connect()
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            assert response.headers["Content-Type"] == "application/json"
            reply = Reply(response.status, json.loads(response.read()))
        finally:
            connection.close()
        operation = path.removeprefix("/v1/")
        self._messages.check_answer(operation, reply.status, reply.body)
        if reply.status == 200 and method == "POST":
            self._messages.check(f"request-{operation}", json.loads(body))
        return reply

    def hello(self) -> Json:
        """Return the runner's hello."""
        return self.request("GET", "/v1/hello").body

    def members(self, op: str, /, **changes: object) -> Json:
        """Return the members that a signed body of an operation has."""
        if self._nonce is None:
            self._nonce = self.hello()["nonce"]
        members: Json = {
            "op": op,
            "namespace": self.target.namespace,
            "runUid": RUN_UID,
            "podUid": self.target.pod_uid,
            "nonce": self._nonce,
            "notAfter": int(time.time() * 1000) + 60_000,
        }
        members.update(changes)
        return members

    def body(self, op: str, /, **changes: object) -> bytes:
        """Return a body that is right for an operation but for the changes."""
        return json.dumps(self.members(op, **{**_FURTHER_MEMBERS.get(op, {}), **changes})).encode()

    def sign(self, body: bytes) -> Signed:
        """Sign a body."""
        signature = base64.b64encode(self.target.key.sign(b"assay-runner/v1\n" + body)).decode()
        headers = {"Assay-Key-Id": self.target.key_id, "Assay-Signature": signature}
        return Signed(body, headers)

    def upload(
        self,
        data: bytes,
        headers: Mapping[str, str] | None = None,
        **changes: object,
    ) -> Reply:
        """Upload a source.

        Args:
            data: the body.
            headers: instead of, or in addition to, those that are right.
            changes: of the signed members.
        """
        return self._put("source", data, headers or {}, {"bytes": len(data), **changes})

    def tool_result(
        self,
        call: int,
        data: bytes,
        headers: Mapping[str, str] | None = None,
        /,
        **changes: object,
    ) -> Reply:
        """Send the result of a call.

        Args:
            call: its number.
            data: the body.
            headers: instead of, or in addition to, those that are right.
            changes: of the signed members.
        """
        members: Json = {"call": call, "bytes": len(data), "sha256": sha256(data)}
        return self._put("tool-result", data, headers or {}, {**members, **changes})

    def input(
        self,
        number: int,
        data: bytes,
        headers: Mapping[str, str] | None = None,
        /,
        **changes: object,
    ) -> Reply:
        """Send an input.

        Args:
            number: its number.
            data: the body.
            headers: instead of, or in addition to, those that are right.
            changes: of the signed members.
        """
        members: Json = {"number": number, "bytes": len(data), "sha256": sha256(data)}
        return self._put("input", data, headers or {}, {**members, **changes})

    def artifact(
        self, number: int, connection: http.client.HTTPConnection | None = None
    ) -> bytes | Reply:
        """Return the bytes of an artifact, or the refusal.

        Args:
            number: its number.
            connection: where to ask for it; a new one by default.
        """
        return self._fetch("artifact", connection, number=number)

    def artifacts(
        self, first: int, connection: http.client.HTTPConnection | None = None
    ) -> list[tuple[int, bytes | None]] | Reply:
        """Return the numbers and bytes of the artifacts from one on, or the refusal.

        Args:
            first: the first number.
            connection: where to ask for them; a new one by default.
        """
        body = self._fetch("artifacts", connection, **{"from": first})
        return body if isinstance(body, Reply) else list(_framed(body))

    def _fetch(
        self, op: str, connection: http.client.HTTPConnection | None, **members: object
    ) -> bytes | Reply:
        signed = self.sign(self.body(op, **members))
        used = connection or self.connect()
        try:
            used.request("POST", f"/v1/{op}", signed.body, dict(signed.headers))
            response = used.getresponse()
            body = response.read()
        finally:
            if connection is None:
                used.close()
        if response.status != 200:
            refused = json.loads(body)
            self._messages.check_answer(op, response.status, refused)
            return Reply(response.status, refused)
        self._messages.check(f"request-{op}", json.loads(signed.body))
        assert response.headers["Content-Type"] == "application/octet-stream"
        assert response.headers["Content-Length"] == str(len(body))
        return body

    def _put(self, op: str, data: bytes, headers: Mapping[str, str], members: Json) -> Reply:
        head = self.body(op, **members)
        reply = self.request("PUT", f"/v1/{op}", data, {**self.sign_head(head), **headers})
        if reply.status == 200:
            self._messages.check(f"request-{op}", json.loads(head))
        return reply

    def sign_head(self, head: bytes) -> dict[str, str]:
        """Return the headers that carry and sign what a body of its own does not."""
        return {"Assay-Request": base64.b64encode(head).decode(), **self.sign(head).headers}

    def call(self, op: str, /, **members: object) -> Reply:
        """Send a signed request whose answer is JSON."""
        return self.send(op, self.body(op, **members))

    def send(self, path: str, body: bytes) -> Reply:
        """Sign and send exact bytes."""
        signed = self.sign(body)
        return self.request("POST", f"/v1/{path}", signed.body, signed.headers)

    def stage(self, job: Mapping[str, object], **members: object) -> Reply:
        """Stage a job."""
        return self.call("stage", job=job, **members)

    def stage_unchecked(self, body: bytes) -> Reply:
        """Stage a job of a kind that the schemas do not know."""
        signed = self.sign(body)
        connection = self.connect()
        try:
            connection.request("POST", "/v1/stage", body, dict(signed.headers))
            response = connection.getresponse()
            return Reply(response.status, json.loads(response.read()))
        finally:
            connection.close()

    def open(
        self, op: str, connection: http.client.HTTPConnection | None = None, **members: object
    ) -> Stream:
        """Send a request whose answer is the event stream, on a connection of its own."""
        signed = self.sign(self.body(op, **members))
        connection = connection or self.connect()
        connection.request("POST", f"/v1/{op}", signed.body, dict(signed.headers))
        return Stream(connection, self._messages)

    def start(self, connection: http.client.HTTPConnection | None = None) -> Stream:
        """Start the staged job."""
        stream = self.open("start", connection)
        assert stream.status == 200
        return stream

    def run(self, code: str, **limits: int) -> Finished:
        """Stage and start Python code and wait for its result."""
        return self.finish(python_job(code, **limits))

    def finish(self, job: Mapping[str, object]) -> Finished:
        """Stage and start a job and wait for its result."""
        reply = self.stage(job)
        assert reply.status == 200, reply
        return self.start().finish()

    def attach(self, after_seq: int) -> Finished:
        """Return the events after a number, when the run has ended."""
        stream = self.open("attach", afterSeq=after_seq)
        assert stream.status == 200
        return stream.finish()
