"""Digests a snapshot's source after its worker is gone."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass

_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True)
class SourceDigest:
    """SHA-256 (hexadecimal) and length of a snapshot's source."""

    sha256: str
    size: int


def digest_source(directory: str, source_format: str) -> SourceDigest:
    """Digest `source.<format>` in a directory that user-controlled data was written to.

    Raises:
        OSError: if it cannot be read, is a symbolic link, or is no regular file.
    """
    path = os.path.join(directory, f"source.{source_format}")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("the snapshot's source is no regular file")
        digest = hashlib.sha256()
        size = 0
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
    return SourceDigest(digest.hexdigest(), size)
