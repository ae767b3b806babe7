"""The job that makes the snapshot of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from assay_runner.options import FORMATS
from assay_runner.supervisor.job import MAX_CODE_BYTES, Limits
from assay_runner.supervisor.members import Members, malformed

MAX_SOURCE_BYTES = 2**40
_MAX_PATH_BYTES = 4096
_COMPRESSIONS = ("gzip", "zip")
_SOURCE_LIMITS = ("maxBytes", "maxRows", "maxColumns", "maxNesting", "frameBytes")


class Upload(NamedTuple):
    """Size in bytes and SHA-256 (hexadecimal) of an uploaded source."""

    size: int
    sha256: str


class SnapshotJob(NamedTuple):
    """A dataset to make from either inline text, a file on the volume or an upload.

    Attributes:
        options: options of pandas, which the worker validates.
        frame: whether there is to be a frame; None if the source's size decides.
        compression: `gzip`, `zip` or None.
        source_limits: the limits of the source that were given, by name.
    """

    limits: Limits
    format: str
    text: str | None
    path: str | None
    upload: Upload | None
    options: Mapping[str, Any]
    frame: bool | None
    compression: str | None
    source_limits: Mapping[str, int]

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "snapshot"

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
        frame = source.flag("frame") if source.has("frame") else None
        bounds = _source_limits(source.object("limits")) if source.has("limits") else {}
        source.end()
        return cls(limits, source_format, text, path, upload, options, frame, compression, bounds)

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        upload = self.upload
        return {
            "format": self.format,
            "text": self.text,
            "path": self.path,
            "upload": {"bytes": upload.size, "sha256": upload.sha256} if upload else None,
            "options": self.options,
            "frame": self.frame,
            "compression": self.compression,
            "limits": self.source_limits,
        }


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
