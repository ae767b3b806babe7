"""Computes the digest of a snapshot's source after its worker has ended."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from assay_runner.source_digest import MAX_FILES, folder_digest

_CHUNK_BYTES = 1024 * 1024
_FOLDER = "source"
_MAX_ENTRIES = 100_000
_MAX_DEPTH = 64
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class SourceDigest:
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
    name = f"source.{source_format}"
    opened = os.open(directory, _DIRECTORY)
    try:
        try:
            folder = os.open(_FOLDER, _DIRECTORY, dir_fd=opened)
        except FileNotFoundError:
            return _digest_file(name, opened)
    finally:
        os.close(opened)
    digests = []
    size = 0
    for path, found in _digest_folder(folder):
        digests.append((path, found.sha256))
        size += found.size
        if len(digests) > MAX_FILES:
            raise OSError("the snapshot's source has too many files")
    return SourceDigest(folder_digest(digests), size)


def _digest_folder(top: int) -> Iterator[tuple[str, SourceDigest]]:
    pending = [(top, "", 0)]
    entries = 0
    try:
        while pending:
            folder, path, depth = pending.pop()
            try:
                for name in os.listdir(folder):
                    entries += 1
                    if entries > _MAX_ENTRIES or depth > _MAX_DEPTH:
                        raise OSError("the snapshot's source has too many folders")
                    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
                    if stat.S_ISDIR(mode):
                        inner = os.open(name, _DIRECTORY, dir_fd=folder)
                        pending.append((inner, f"{path}{name}/", depth + 1))
                    else:
                        yield path + name, _digest_file(name, folder)
            finally:
                os.close(folder)
    finally:
        for folder, _, _ in pending:
            os.close(folder)


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
