"""Parses and validates signed request bodies."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, NoReturn

from assay_runner.supervisor.job import Job
from assay_runner.supervisor.job_files import MAX_ARTIFACTS, MAX_INPUTS
from assay_runner.supervisor.jobs import take_job
from assay_runner.supervisor.members import MAX_NAME_BYTES, Members, malformed
from assay_runner.supervisor.snapshot_job import MAX_SOURCE_BYTES
from assay_runner.supervisor.tools import MAX_RESULT_BYTES

_MAX_EPOCH_MS = _MAX_CALL = 2**53


class ResultHead(NamedTuple):
    """Which result follows: of which call, its length and its SHA-256 (hexadecimal)."""

    call: int
    size: int
    sha256: str


class Request(NamedTuple):
    """A signed request of valid shape.

    Attributes:
        op: one of `OPERATIONS`.
        not_after_ms: expiry in epoch milliseconds.
        job: the job of `stage`; None in other requests.
        seq: the `afterSeq` of `attach` or the `seq` of `ack`.
        size: the `bytes` of `source`, `input` or `tool-result`.
        body: the exact bytes that were signed.
        call: which call has a `tool-result`.
        sha256: of the input or the result.
        number: of the `input`, the `artifact` that is wanted, or the first of the `artifacts`.
    """

    op: str
    namespace: str
    run_uid: str
    pod_uid: str
    nonce: str
    not_after_ms: int
    job: Job | None
    seq: int
    size: int
    body: bytes
    call: int = 0
    sha256: str = ""
    number: int = 0

    @property
    def result(self) -> ResultHead:
        """What a `tool-result` says of its body."""
        return ResultHead(self.call, self.size, self.sha256)


UPLOAD = "source"
INPUT = "input"
TOOL_RESULT = "tool-result"
ARTIFACT = "artifact"
ARTIFACTS = "artifacts"
# Those whose body is not the JSON that is signed, but the bytes that it describes.
BODY_OPERATIONS = (UPLOAD, INPUT, TOOL_RESULT)
OPERATIONS = (
    *("stage", "start", "attach", "cancel", "refuse", "ack"),
    *(ARTIFACT, ARTIFACTS),
    *BODY_OPERATIONS,
)

_MAX_BYTES = {
    UPLOAD: MAX_SOURCE_BYTES,
    INPUT: MAX_SOURCE_BYTES,
    TOOL_RESULT: MAX_RESULT_BYTES,
}
_MAX_NUMBER = {INPUT: MAX_INPUTS, ARTIFACT: MAX_ARTIFACTS, ARTIFACTS: MAX_ARTIFACTS}


def parse(op: str, body: bytes) -> Request:
    """Parse the body of a request that was sent to the path of `op`.

    Raises:
        Refusal: Malformed; the message names the member.
    """
    members = Members("the body", _json_object(body))
    if members.text("op", MAX_NAME_BYTES) != op:
        malformed("op does not match the path")
    seq_name = {"attach": "afterSeq", "ack": "seq"}.get(op)
    number_name = "from" if op == ARTIFACTS else "number"
    request = Request(
        op=op,
        namespace=members.text("namespace", MAX_NAME_BYTES),
        run_uid=members.text("runUid", MAX_NAME_BYTES),
        pod_uid=members.text("podUid", MAX_NAME_BYTES),
        nonce=members.text("nonce", MAX_NAME_BYTES),
        not_after_ms=members.number("notAfter", 0, _MAX_EPOCH_MS),
        job=take_job(members.object("job")) if op == "stage" else None,
        seq=members.number(seq_name, 0, _MAX_EPOCH_MS) if seq_name else 0,
        size=members.number("bytes", 0, _MAX_BYTES[op]) if op in _MAX_BYTES else 0,
        body=body,
        call=members.number("call", 1, _MAX_CALL) if op == TOOL_RESULT else 0,
        sha256=members.sha256("sha256") if op in (INPUT, TOOL_RESULT) else "",
        number=members.number(number_name, 1, _MAX_NUMBER[op]) if op in _MAX_NUMBER else 0,
    )
    members.end()
    return request


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError):
        malformed("the body is not JSON in UTF-8")
    if not isinstance(value, dict):
        malformed("the body is not a JSON object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is given twice")
    return members


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
