"""Copies a folder of Parquet files, or those that a pattern names, into a snapshot."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from assay_runner.folders import FOLDER_FLAGS, walk
from assay_runner.partitions import key_types, keys_of
from assay_runner.snapshot.ingest import Stored, copy
from assay_runner.snapshot.limits import LimitExceededError, Limits
from assay_runner.snapshot.source import SourceRefusedError, open_in_volume, unchanged
from assay_runner.source_digest import MAX_FILES, folder_digest

_ENDING = ".parquet"
_MAX_ENTRIES = 100_000
_MAX_DEPTH = 32


class SchemaError(SourceRefusedError):
    """Files of one dataset have different columns; the message names the file."""


def is_folder(volume: str, path: str) -> bool:
    """Return whether a path of a Parquet source names several files: a pattern or a folder."""
    if "*" in path:
        return True
    try:
        os.close(_open_folder(volume, path.split("/")))
    except OSError:
        return False
    return True


def store_folder(volume: str, path: str, limits: Limits, target: str) -> Stored:
    """Copy files to a new directory, under their paths below the folder or the pattern's root.

    Hidden files and those whose names begin with `_`, which others write beside tables, are left
    out. Links are not followed.

    Raises:
        SourceRefusedError: if there are no files, too many, one that is not a regular file, or a
            folder that cannot be read.
    """
    parts = path.split("/")
    fixed = next((i for i, part in enumerate(parts) if "*" in part), len(parts))
    root, pattern = parts[:fixed], parts[fixed:] or ["**", f"*{_ENDING}"]
    found = sorted(_matching(volume, root, pattern))
    if not found:
        raise SourceRefusedError(f"No Parquet files in the volume: {path}")
    size = 0
    digests = []
    for relative in found:
        if not relative.endswith(_ENDING):
            raise SourceRefusedError(f"The name of {relative} does not end in {_ENDING}.")
        copied = os.path.join(target, relative)
        os.makedirs(os.path.dirname(copied), exist_ok=True)
        with open_in_volume(volume, "/".join([*root, relative])) as source, unchanged(source):
            stored = copy(source, None, copied, limits, already=size)
        size += stored.size
        digests.append((relative, stored.sha256))
    return Stored(os.path.basename(target), size, folder_digest(digests))


def hive_keys(files: list[str]) -> dict[str, str]:
    """Return the keys of the folders `KEY=VALUE` that all files are in, with their types in SQL.

    Args:
        files: paths relative to the root.

    Raises:
        SchemaError: if they are not the same for all.
    """
    first = keys_of(files[0])
    for file in files:
        if keys_of(file) != first:
            raise SchemaError(f"The folders of {file} are not those of {files[0]}.")
    return key_types(files)


def check_schemas(directory: str, files: list[str]) -> None:
    """Check that all files have the same columns as the first.

    Raises:
        SchemaError: if one differs, or is not a Parquet file.
    """
    first: pa.Schema | None = None
    for file in files:
        try:
            schema = pq.read_schema(os.path.join(directory, file))
        except (pa.ArrowException, OSError):
            raise SchemaError(f"{file} is not a Parquet file, or is damaged.") from None
        if first is None:
            first = schema
        elif schema.names != first.names:
            raise SchemaError(f"The columns of {file} are not those of {files[0]}.")
        else:
            for field, other in zip(schema, first, strict=True):
                if field.type != other.type:
                    raise SchemaError(
                        f"The column {field.name!r} is {field.type} in {file}, and {other.type} in"
                        f" {files[0]}."
                    )


def _matching(volume: str, root: list[str], pattern: list[str]) -> Iterator[str]:
    try:
        top = _open_folder(volume, root)
    except OSError:
        raise SourceRefusedError(f"No such folder in the volume: {'/'.join(root)}") from None
    wanted = _expression(pattern)
    entries = files = 0
    try:
        with contextlib.closing(walk(top, lambda path: _may_enter(path, pattern))) as found:
            for entry in found:
                if _is_hidden(entry.name):
                    continue
                entries += 1
                if entries > _MAX_ENTRIES:
                    raise LimitExceededError(f"The folders have more than {_MAX_ENTRIES} entries.")
                if entry.is_folder or not wanted.fullmatch(entry.path):
                    continue
                if not stat.S_ISREG(entry.state.st_mode):
                    raise SourceRefusedError(f"Not a regular file: {entry.path}")
                files += 1
                if files > MAX_FILES:
                    raise LimitExceededError(f"The source has more than {MAX_FILES} files.")
                yield entry.path
    except OSError as error:
        unread = "/".join([*root, str(error.filename)])
        raise SourceRefusedError(
            f"Cannot read {unread} in the volume: {error.strerror}. Make it readable, or name the"
            " files by a pattern or a folder without it."
        ) from None
    finally:
        os.close(top)


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_"))


def _may_enter(path: str, pattern: list[str]) -> bool:
    """Return whether a pattern can name files below a folder; others may be unreadable."""
    parts = path.split("/")
    if _is_hidden(parts[-1]) or len(parts) > _MAX_DEPTH:
        return False
    for i, part in enumerate(parts):
        if i < len(pattern) and pattern[i] == "**":
            return True
        # The last part names files.
        if i >= len(pattern) - 1 or not re.fullmatch(_part(pattern[i]), part, re.DOTALL):
            return False
    return True


def _expression(pattern: list[str]) -> re.Pattern[str]:
    """Return what matches the paths that a pattern names: `**` is any number of folders."""
    text = ""
    for part in pattern[:-1]:
        text += "(?:[^/]+/)*" if part == "**" else _part(part) + "/"
    return re.compile(text + (".*" if pattern[-1] == "**" else _part(pattern[-1])), re.DOTALL)


def _part(part: str) -> str:
    return "[^/]*".join(map(re.escape, re.split(r"\*+", part)))


def _open_folder(volume: str, parts: list[str]) -> int:
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise OSError(errno.EINVAL, "not a relative path")
    folder = os.open(volume, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for part in parts:
        try:
            inner = os.open(part, FOLDER_FLAGS, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder
