"""The protocol's requests, from a signed body to an answer."""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass

from assay_runner.supervisor.config import Config
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import OPERATIONS, Request, parse
from assay_runner.supervisor.run import Run
from assay_runner.supervisor.signatures import Verifier

PROTOCOL = 1
PROTOCOLS = (1,)
_PREFIX = "/v1/"


@dataclass(frozen=True)
class Answer:
    """A JSON answer; `last` asks to close the connection after it."""

    status: int
    body: bytes
    last: bool = False


@dataclass(frozen=True)
class Stream:
    """The event stream after a number."""

    after_seq: int


class Api:
    """Checks a request in the order signature, shape, identity, age, state; then carries it out."""

    def __init__(self, config: Config, run: Run) -> None:
        self._config = config
        self._run = run
        self._nonce = secrets.token_urlsafe(32)
        self._verifier = Verifier(config.public_keys)

    def handle(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Answer | Stream:
        """Answer one request; a refusal is an answer too.

        Args:
            method: the HTTP method.
            path: the request target.
            headers: by lower-case name.
            body: the exact bytes received.
        """
        try:
            operation = _route(method, path)
            if operation == "hello":
                return _json(200, self._hello())
            if operation == "ready":
                return self._ready()
            self._verifier.check(headers.get("assay-key-id"), headers.get("assay-signature"), body)
            request = parse(operation, body)
            self._check_identity_and_age(request)
            return self._carry_out(request)
        except Refusal as refusal:
            return refused(refusal)

    def _hello(self) -> dict[str, object]:
        return {
            "protocol": PROTOCOL,
            "protocols": PROTOCOLS,
            "podUid": self._config.pod_uid,
            "nonce": self._nonce,
            "state": self._run.state.value,
            "runUid": self._run.run_uid,
            "keyIds": list(self._config.public_keys),
        }

    def _ready(self) -> Answer:
        if not self._run.ready:
            raise Refusal(Code.NOT_READY, "the worker does not wait for code")
        return _json(200, {"ready": True})

    def _check_identity_and_age(self, request: Request) -> None:
        pod = (request.pod_uid, request.namespace)
        if pod != (self._config.pod_uid, self._config.namespace):
            raise Refusal(Code.WRONG_POD, "this is another Pod")
        if not hmac.compare_digest(request.nonce.encode(), self._nonce.encode()):
            raise Refusal(Code.WRONG_NONCE, "the nonce is of another process")
        if request.not_after_ms < time.time() * 1000:
            raise Refusal(Code.EXPIRED, "the request is past its notAfter")

    def _carry_out(self, request: Request) -> Answer | Stream:
        match request.op:
            case "stage":
                self._run.stage(request)
                return self._state()
            case "start":
                self._run.start(request)
                return Stream(after_seq=0)
            case "attach":
                self._run.attach(request)
                return Stream(after_seq=request.seq)
            case "cancel":
                self._run.cancel(request)
                return self._state()
            case _:
                self._run.acknowledge(request)
                return _json(200, {}, last=self._run.result_acknowledged.is_set())

    def _state(self) -> Answer:
        return _json(200, {"state": self._run.state.value})


def refused(refusal: Refusal) -> Answer:
    """The answer that tells of a refusal."""
    error = {"code": refusal.code.text, "message": refusal.message}
    return _json(refusal.code.status, {"error": error})


def _route(method: str, path: str) -> str:
    operation = path.removeprefix(_PREFIX) if path.startswith(_PREFIX) else ""
    if operation in ("hello", "ready"):
        allowed = "GET"
    elif operation in OPERATIONS:
        allowed = "POST"
    else:
        raise Refusal(Code.NOT_FOUND, "no such path")
    if method != allowed:
        raise Refusal(Code.METHOD_NOT_ALLOWED, f"use {allowed}")
    return operation


def _json(status: int, value: Mapping[str, object], *, last: bool = False) -> Answer:
    return Answer(status, json.dumps(value, separators=(",", ":")).encode(), last)
