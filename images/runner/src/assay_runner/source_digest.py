"""The digest of a source that is several files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

MAX_FILES = 10_000
"""Maximum number of files of a source."""


def folder_digest(files: Iterable[tuple[str, str]]) -> str:
    """Return the SHA-256, in hexadecimal, over the files' sorted paths and digests.

    Args:
        files: each file's path relative to the folder, and its SHA-256 in hexadecimal.
    """
    digest = hashlib.sha256()
    for path, sha256 in sorted(files):
        digest.update(f"{sha256}  {path}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
