"""Computes the digest of a snapshot's source after its worker has ended."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from typing import NamedTuple

from assay_runner.folders import FOLDER_FLAGS, walk
from assay_runner.source_digest import MAX_FILES, folder_digest

_CHUNK_BYTES = 1024 * 1024
_FOLDER = "source"
_MAX_ENTRIES = 100_000
_MAX_DEPTH = 64


class SourceDigest(NamedTuple):
    """SHA-256 (hexadecimal) and size in bytes of a snapshot's source."""

    sha256: str
    size: int


def digest_source(directory: str, source_format: str) -> SourceDigest:
    """Return the digest of the source in a directory whose content is not trusted.

    The source is `source.<format>`, or the files below `source`, of which the digest covers the
    paths, too.

    Raises:
        OSError: if it cannot be read, has too many files, or one is not a regular file.
    """
    opened = os.open(directory, FOLDER_FLAGS)
    try:
        try:
            folder = os.open(_FOLDER, FOLDER_FLAGS, dir_fd=opened)
        except FileNotFoundError:
            return _digest_file(f"source.{source_format}", opened)
    finally:
        os.close(opened)
    try:
        return _digest_folder(folder)
    finally:
        os.close(folder)


def _digest_folder(folder: int) -> SourceDigest:
    digests = []
    size = entries = 0
    with contextlib.closing(walk(folder)) as found:
        for entry in found:
            entries += 1
            if entries > _MAX_ENTRIES or entry.path.count("/") > _MAX_DEPTH:
                raise OSError("the snapshot's source has too many folders")
            if entry.is_folder:
                continue
            file = _digest_file(entry.name, entry.folder)
            digests.append((entry.path, file.sha256))
            size += file.size
            if len(digests) > MAX_FILES:
                raise OSError("the snapshot's source has too many files")
    return SourceDigest(folder_digest(digests), size)


def _digest_file(name: str, folder: int) -> SourceDigest:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(name, flags, dir_fd=folder)
    with open(descriptor, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("the snapshot's source is not a regular file")
        digest = hashlib.sha256()
        size = 0
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
    return SourceDigest(digest.hexdigest(), size)
