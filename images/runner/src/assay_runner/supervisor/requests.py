"""Parses and validates signed request bodies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from assay_runner.options import FORMATS
from assay_runner.supervisor.refusals import Code, Refusal

MAX_CODE_BYTES = 262_144
_MAX_PATH_BYTES = 4096
_MAX_NAME_BYTES = 256
_MAX_EPOCH_MS = 2**53
_DAY_MS = 24 * 60 * 60 * 1000
_MAX_GRACE_MS = 60_000
_MAX_OUTPUT_BYTES = 2**40
_COMPRESSIONS = ("gzip", "zip")
_MAX_SOURCE_BYTES = 2**40
_SOURCE_LIMITS = ("maxBytes", "maxRows", "maxColumns", "maxNesting")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Limits:
    """Limits of one job; times in milliseconds, sizes in bytes."""

    timeout_ms: int
    start_timeout_ms: int
    stop_grace_ms: int
    output_bytes: int


@dataclass(frozen=True)
class PythonJob:
    """Code to run."""

    code: str
    limits: Limits
    kind: str = "python"

    def message(self) -> dict[str, object]:
        """Return the job as a message to the worker."""
        return {"type": "job", "code": self.code}


@dataclass(frozen=True)
class Upload:
    """Size in bytes and SHA-256 (hexadecimal) of an uploaded source."""

    size: int
    sha256: str


@dataclass(frozen=True)
class SnapshotJob:
    """A dataset to make from either inline text, a file on the volume or an upload.

    Attributes:
        options: options of pandas, which the worker validates.
        compression: `gzip`, `zip` or None.
        source_limits: the limits of the source that were given, by name.
    """

    format: str
    text: str | None
    path: str | None
    upload: Upload | None
    options: Mapping[str, Any]
    compression: str | None
    source_limits: Mapping[str, int]
    limits: Limits
    kind: str = "snapshot"

    def message(self) -> dict[str, object]:
        """Return the job as a message to the worker."""
        upload = self.upload
        return {
            "type": "job",
            "format": self.format,
            "text": self.text,
            "path": self.path,
            "upload": {"bytes": upload.size, "sha256": upload.sha256} if upload else None,
            "options": self.options,
            "compression": self.compression,
            "limits": self.source_limits,
        }


Job = PythonJob | SnapshotJob


@dataclass(frozen=True)
class Request:
    """A signed request of valid shape.

    Attributes:
        op: one of `OPERATIONS`.
        not_after_ms: expiry in epoch milliseconds.
        job: the job of `stage`; None in other requests.
        seq: the `afterSeq` of `attach` or the `seq` of `ack`.
        size: the `bytes` of `source`.
        body: the exact bytes that were signed.
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


UPLOAD_OPERATION = "source"
OPERATIONS = ("stage", "start", "attach", "cancel", "ack", UPLOAD_OPERATION)


def parse(op: str, body: bytes) -> Request:
    """Parse the body of a request that was sent to the path of `op`.

    Raises:
        Refusal: Malformed; the message names the member.
    """
    members = _Members("the body", _json_object(body))
    if members.text("op", _MAX_NAME_BYTES) != op:
        _malformed("op does not match the path")
    seq_name = {"attach": "afterSeq", "ack": "seq"}.get(op)
    request = Request(
        op=op,
        namespace=members.text("namespace", _MAX_NAME_BYTES),
        run_uid=members.text("runUid", _MAX_NAME_BYTES),
        pod_uid=members.text("podUid", _MAX_NAME_BYTES),
        nonce=members.text("nonce", _MAX_NAME_BYTES),
        not_after_ms=members.number("notAfter", 0, _MAX_EPOCH_MS),
        job=_job(members.object("job")) if op == "stage" else None,
        seq=members.number(seq_name, 0, _MAX_EPOCH_MS) if seq_name else 0,
        size=members.number("bytes", 0, _MAX_SOURCE_BYTES) if op == UPLOAD_OPERATION else 0,
        body=body,
    )
    members.end()
    return request


def _job(members: _Members) -> Job:
    kind = members.text("kind", _MAX_NAME_BYTES)
    job: Job
    if kind == "python":
        code = members.text("code", MAX_CODE_BYTES, may_be_empty=True)
        job = PythonJob(code=code, limits=_limits(members.object("limits")))
    elif kind == "snapshot":
        job = _snapshot_job(members.object("source"), _limits(members.object("limits")))
    else:
        _malformed("job.kind is unknown")
    members.end()
    return job


def _snapshot_job(source: _Members, limits: Limits) -> SnapshotJob:
    source_format = source.one_of("format", FORMATS)
    text = path = upload = compression = None
    if source.has("text"):
        text = source.text("text", MAX_CODE_BYTES, may_be_empty=True)
    elif source.has("upload"):
        upload = _upload(source.object("upload"))
    else:
        path = source.text("path", _MAX_PATH_BYTES)
        if "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
            _malformed("source.path must be relative, without empty, '.' or '..' parts")
    if text is None and source.has("compression"):
        compression = source.one_of("compression", _COMPRESSIONS)
    options = source.any_object("options") if source.has("options") else {}
    bounds = _source_limits(source.object("limits")) if source.has("limits") else {}
    source.end()
    return SnapshotJob(source_format, text, path, upload, options, compression, bounds, limits)


def _upload(members: _Members) -> Upload:
    upload = Upload(members.number("bytes", 0, _MAX_SOURCE_BYTES), members.text("sha256", 64))
    if not _SHA256.fullmatch(upload.sha256):
        _malformed("upload.sha256 must be 64 hexadecimal digits in lower case")
    members.end()
    return upload


def _source_limits(members: _Members) -> dict[str, int]:
    given = {
        name: members.number(name, 1, _MAX_SOURCE_BYTES)
        for name in _SOURCE_LIMITS
        if members.has(name)
    }
    members.end()
    return given


def _limits(members: _Members) -> Limits:
    limits = Limits(
        timeout_ms=members.number("timeoutMs", 1, _DAY_MS),
        start_timeout_ms=members.number("startTimeoutMs", 1, _DAY_MS),
        stop_grace_ms=members.number("stopGraceMs", 0, _MAX_GRACE_MS),
        output_bytes=members.number("outputBytes", 0, _MAX_OUTPUT_BYTES),
    )
    members.end()
    return limits


class _Members:
    """Takes the members of one JSON object, and refuses unknown ones."""

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self._name = name
        self._members = dict(members)

    def has(self, name: str) -> bool:
        return name in self._members

    def text(self, name: str, max_bytes: int, *, may_be_empty: bool = False) -> str:
        value = self._take(name)
        if not isinstance(value, str) or not (value or may_be_empty):
            _malformed(f"{name} must be text")
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            _malformed(f"{name} cannot be encoded as UTF-8")
        if size > max_bytes:
            _malformed(f"{name} is over {max_bytes} bytes")
        return value

    def number(self, name: str, minimum: int, maximum: int) -> int:
        value = self._take(name)
        if type(value) is not int or not minimum <= value <= maximum:
            _malformed(f"{name} must be a whole number from {minimum} to {maximum}")
        return value

    def one_of(self, name: str, words: tuple[str, ...]) -> str:
        value = self.text(name, _MAX_NAME_BYTES)
        if value not in words:
            _malformed(f"{name} must be one of {', '.join(words)}")
        return value

    def object(self, name: str) -> _Members:
        return _Members(name, self.any_object(name))

    def any_object(self, name: str) -> dict[str, Any]:
        value = self._take(name)
        if not isinstance(value, dict):
            _malformed(f"{name} must be an object")
        return value

    def end(self) -> None:
        for name in self._members:
            _malformed(f"{self._name} has an unknown member {name[:64]!r}")

    def _take(self, name: str) -> Any:  # noqa: ANN401 - any JSON value
        if name not in self._members:
            _malformed(f"{self._name} has no {name}")
        return self._members.pop(name)


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError):
        _malformed("the body is not JSON in UTF-8")
    if not isinstance(value, dict):
        _malformed("the body is not a JSON object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is given twice")
    return members


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _malformed(message: str) -> NoReturn:
    raise Refusal(Code.MALFORMED, message)
