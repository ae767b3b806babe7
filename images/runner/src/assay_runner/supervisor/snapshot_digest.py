"""Computes the digest of a snapshot's source after its worker has ended."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass

_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True)
class SourceDigest:
    """SHA-256 (hexadecimal) and size in bytes of a snapshot's source."""

    sha256: str
    size: int


def digest_source(directory: str, source_format: str) -> SourceDigest:
    """Return the digest of `source.<format>` in a directory whose content is not trusted.

    Raises:
        OSError: if it cannot be read, is a symbolic link, or is not a regular file.
    """
    path = os.path.join(directory, f"source.{source_format}")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("the snapshot's source is not a regular file")
        digest = hashlib.sha256()
        size = 0
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
    return SourceDigest(digest.hexdigest(), size)
