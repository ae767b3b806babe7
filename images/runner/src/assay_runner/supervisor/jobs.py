"""The jobs that a Pod may be given: one class for each kind."""

from __future__ import annotations

import abc
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from assay_runner.options import FORMATS
from assay_runner.supervisor.members import MAX_NAME_BYTES, Members, malformed

MAX_CODE_BYTES = 262_144
MAX_DATASETS = 256
_MAX_PATH_BYTES = 4096
_DAY_MS = 24 * 60 * 60 * 1000
_MAX_GRACE_MS = 60_000
_MAX_OUTPUT_BYTES = 2**40
_COMPRESSIONS = ("gzip", "zip")
MAX_SOURCE_BYTES = 2**40
_SOURCE_LIMITS = ("maxBytes", "maxRows", "maxColumns", "maxNesting")
_DATASET_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")


@dataclass(frozen=True)
class Limits:
    """Limits of one job; times in milliseconds, sizes in bytes."""

    timeout_ms: int
    start_timeout_ms: int
    stop_grace_ms: int
    output_bytes: int

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take the limits apart."""
        limits = cls(
            timeout_ms=members.number("timeoutMs", 1, _DAY_MS),
            start_timeout_ms=members.number("startTimeoutMs", 1, _DAY_MS),
            stop_grace_ms=members.number("stopGraceMs", 0, _MAX_GRACE_MS),
            output_bytes=members.number("outputBytes", 0, _MAX_OUTPUT_BYTES),
        )
        members.end()
        return limits


@dataclass(frozen=True)
class Job(abc.ABC):
    """What a worker is to do."""

    kind: ClassVar[str]
    limits: Limits

    @classmethod
    @abc.abstractmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job, all but `kind` and `limits`.

        Raises:
            Refusal: Malformed.
        """

    @abc.abstractmethod
    def message(self) -> dict[str, object]:
        """Return what the worker is told, besides the kind."""


@dataclass(frozen=True)
class PythonJob(Job):
    """Code to run.

    Attributes:
        datasets: names of the datasets that the code sees, the first of which is `df`; None for
            those of the worker's command.
    """

    kind: ClassVar[str] = "python"
    code: str
    datasets: tuple[str, ...] | None

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        code = members.text("code", MAX_CODE_BYTES, may_be_empty=True)
        datasets = None
        if members.has("datasets"):
            datasets = members.objects("datasets", MAX_DATASETS, _dataset_name)
            if len(set(datasets)) != len(datasets):
                malformed("datasets names one twice")
        return cls(limits, code, datasets)

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"code": self.code, "datasets": self.datasets}


@dataclass(frozen=True)
class Upload:
    """Size in bytes and SHA-256 (hexadecimal) of an uploaded source."""

    size: int
    sha256: str


@dataclass(frozen=True)
class SnapshotJob(Job):
    """A dataset to make from either inline text, a file on the volume or an upload.

    Attributes:
        options: options of pandas, which the worker validates.
        compression: `gzip`, `zip` or None.
        source_limits: the limits of the source that were given, by name.
    """

    kind: ClassVar[str] = "snapshot"
    format: str
    text: str | None
    path: str | None
    upload: Upload | None
    options: Mapping[str, Any]
    compression: str | None
    source_limits: Mapping[str, int]

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        source = members.object("source")
        source_format = source.one_of("format", FORMATS)
        text = path = upload = compression = None
        if source.has("text"):
            text = source.text("text", MAX_CODE_BYTES, may_be_empty=True)
        elif source.has("upload"):
            upload = _upload(source.object("upload"))
        else:
            path = source.text("path", _MAX_PATH_BYTES)
            if "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
                malformed("source.path must be relative, without empty, '.' or '..' parts")
        if text is None and source.has("compression"):
            compression = source.one_of("compression", _COMPRESSIONS)
        options = source.any_object("options") if source.has("options") else {}
        bounds = _source_limits(source.object("limits")) if source.has("limits") else {}
        source.end()
        return cls(limits, source_format, text, path, upload, options, compression, bounds)

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        upload = self.upload
        return {
            "format": self.format,
            "text": self.text,
            "path": self.path,
            "upload": {"bytes": upload.size, "sha256": upload.sha256} if upload else None,
            "options": self.options,
            "compression": self.compression,
            "limits": self.source_limits,
        }


KINDS: dict[str, type[Job]] = {job.kind: job for job in (PythonJob, SnapshotJob)}
"""The jobs by kind."""


def take_job(members: Members) -> Job:
    """Take a job apart.

    Raises:
        Refusal: Malformed.
    """
    kind = members.text("kind", MAX_NAME_BYTES)
    if kind not in KINDS:
        malformed("job.kind is unknown")
    job = KINDS[kind].take(members, Limits.take(members.object("limits")))
    members.end()
    return job


def _dataset_name(members: Members) -> str:
    name = members.text("name", MAX_NAME_BYTES)
    if not _DATASET_NAME.fullmatch(name):
        malformed("name is not the name of a dataset")
    return name


def _upload(members: Members) -> Upload:
    upload = Upload(members.number("bytes", 0, MAX_SOURCE_BYTES), members.sha256("sha256"))
    members.end()
    return upload


def _source_limits(members: Members) -> dict[str, int]:
    given = {
        name: members.number(name, 1, MAX_SOURCE_BYTES)
        for name in _SOURCE_LIMITS
        if members.has(name)
    }
    members.end()
    return given
