"""Handles the protocol's requests: checks them, and dispatches them to the run."""

from __future__ import annotations

import base64
import hmac
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

from assay_runner.supervisor.config import Config
from assay_runner.supervisor.driver import Driver
from assay_runner.supervisor.egress import Egress, dial
from assay_runner.supervisor.held_files import Body
from assay_runner.supervisor.phases import State
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import (
    BODY_OPERATIONS,
    INPUT,
    OPERATIONS,
    UPLOAD,
    Request,
    parse,
)
from assay_runner.supervisor.signatures import Verifier

PROTOCOL = 1
PROTOCOLS = (1,)
FEATURES = ("sources", "uploads", "datasets", "tables", "egress", "refuse")
# Every operator knows these kinds; each other one is a feature too.
_FIRST_KINDS = ("python", "snapshot")
_SNAPSHOTS = "snapshots"
_PREFIX = "/v1/"


class Answer(NamedTuple):
    """A JSON answer; `last` means that the connection is closed after it."""

    status: int
    body: bytes
    last: bool = False


class Stream(NamedTuple):
    """An answer that streams the events after a sequence number."""

    after_seq: int


class Later(NamedTuple):
    """A JSON answer that has to be found out first."""

    find: Callable[[], Awaitable[Answer]]


class IncomingBody(Protocol):
    """Receives a body that is not the signed JSON. The caller must call `discard`."""

    @property
    def in_memory(self) -> bool:
        """Whether the bytes are held in memory."""

    async def write(self, data: bytes) -> None:
        """Take bytes; returns when the caller may read more."""

    async def finish(self) -> Mapping[str, object]:
        """Use the complete body; returns the answer.

        Raises:
            Refusal: if it cannot be used.
            EOFError: if it is incomplete.
        """

    def discard(self) -> None:
        """Free what is still held of it."""


class Api:
    """Checks signature, shape, identity, age and state of a request in this order; executes it."""

    def __init__(self, config: Config, driver: Driver) -> None:
        self._config = config
        self._driver = driver
        self._nonce = secrets.token_urlsafe(32)
        self._verifier = Verifier(config.public_keys)

    def handle(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Answer | Later | Stream | Body:
        """Answer one request; a refusal is an answer too.

        Args:
            method: the HTTP method.
            path: the request target.
            headers: headers by lower-case name.
            body: the exact bytes received.
        """
        try:
            operation = _route(method, path)
            if operation == "hello":
                return _json(200, self._hello())
            if operation == "ready":
                return self._ready()
            if operation == "egress":
                return Later(self._egress)
            return self._carry_out(self._checked(operation, headers, body))
        except Refusal as refusal:
            return refused(refusal)

    def begin_body(self, path: str, headers: Mapping[str, str]) -> IncomingBody:
        """Check the headers of a request with a body of its own before that is read.

        Args:
            path: the request target.
            headers: headers by lower-case name.

        Raises:
            Refusal: for any reason of a signed request, of `Uploads.begin`, `Inputs.begin` or
                `ToolResults.begin`.
        """
        try:
            body = base64.b64decode(headers.get("assay-request", ""), validate=True)
        except ValueError:
            raise Refusal(Code.MALFORMED, "Assay-Request is not base64") from None
        request = self._checked(_route("PUT", path), headers, body)
        if headers.get("content-length") != str(request.size):
            raise Refusal(Code.MALFORMED, "Content-Length is not the signed number of bytes")
        if request.op == UPLOAD:
            return self._driver.uploads.begin(request)
        if request.op == INPUT:
            return self._driver.inputs.begin(request)
        return self._driver.tool_results.begin(request)

    def _checked(self, operation: str, headers: Mapping[str, str], body: bytes) -> Request:
        self._verifier.check(headers.get("assay-key-id"), headers.get("assay-signature"), body)
        request = parse(operation, body)
        self._check_identity_and_age(request)
        return request

    def _hello(self) -> dict[str, object]:
        worker = self._config.worker
        return {
            "protocol": PROTOCOL,
            "protocols": PROTOCOLS,
            "podUid": self._config.pod_uid,
            "nonce": self._nonce,
            "state": self._driver.state.value,
            "runUid": self._driver.run_uid,
            "snapshots": self._driver.snapshots,
            "keyIds": list(self._config.public_keys),
            "features": [
                *FEATURES,
                *(kind for kind in worker.kinds if kind not in _FIRST_KINDS),
                *worker.features,
                *((_SNAPSHOTS,) if self._config.snapshots_dir else ()),
            ],
        }

    def _ready(self) -> Answer:
        if not self._driver.ready:
            raise Refusal(Code.NOT_READY, "the worker is not waiting for code")
        return _json(200, {"ready": True})

    async def _egress(self) -> Answer:
        address = self._config.egress_address
        egress = await dial(address, self._may_dial) if address else Egress.UNKNOWN
        return _json(200, {"egress": egress})

    def _may_dial(self) -> bool:
        # Later nobody needs to know, and a Pod that runs code opens no connection for anybody.
        return self._driver.state in (State.IDLE, State.STAGED)

    def _check_identity_and_age(self, request: Request) -> None:
        pod = (request.pod_uid, request.namespace)
        if pod != (self._config.pod_uid, self._config.namespace):
            raise Refusal(Code.WRONG_POD, "the request is for another Pod")
        if not hmac.compare_digest(request.nonce.encode(), self._nonce.encode()):
            raise Refusal(Code.WRONG_NONCE, "the nonce is from another process")
        if request.not_after_ms < time.time() * 1000:
            raise Refusal(Code.EXPIRED, "the request is past its notAfter")

    def _carry_out(self, request: Request) -> Answer | Stream | Body:
        match request.op:
            case "stage":
                self._driver.stage(request)
                return self._state()
            case "start":
                self._driver.start(request)
                return Stream(after_seq=0)
            case "attach":
                self._driver.attach(request)
                return Stream(after_seq=request.seq)
            case "cancel":
                self._driver.cancel(request)
                return self._state()
            case "refuse":
                self._driver.refuse()
                return self._state()
            case "artifact":
                return self._driver.open_artifact(request)
            case "artifacts":
                return self._driver.open_artifacts(request)
            case _:
                self._driver.acknowledge(request)
                return _json(200, {}, last=self._driver.result_acknowledged.is_set())

    def _state(self) -> Answer:
        return _json(200, {"state": self._driver.state.value})


def refused(refusal: Refusal) -> Answer:
    """Return the answer for a refusal."""
    error = {"code": refusal.code.text, "message": refusal.message}
    return _json(refusal.code.status, {"error": error})


def received(members: Mapping[str, object], *, last: bool) -> Answer:
    """Return the answer to a complete body, after which the connection may be closed."""
    return _json(200, members, last=last)


def has_own_body(method: str, path: str) -> bool:
    """Return whether a request's headers must be checked before its body is read."""
    return method == "PUT" and path in [_PREFIX + operation for operation in BODY_OPERATIONS]


def _route(method: str, path: str) -> str:
    operation = path.removeprefix(_PREFIX) if path.startswith(_PREFIX) else ""
    if operation in ("hello", "ready", "egress"):
        allowed = "GET"
    elif operation in BODY_OPERATIONS:
        allowed = "PUT"
    elif operation in OPERATIONS:
        allowed = "POST"
    else:
        raise Refusal(Code.NOT_FOUND, "no such path")
    if method != allowed:
        raise Refusal(Code.METHOD_NOT_ALLOWED, f"use {allowed}")
    return operation


def _json(status: int, value: Mapping[str, object], *, last: bool = False) -> Answer:
    return Answer(status, json.dumps(value, separators=(",", ":")).encode(), last)
