"""Removes snapshots that are no longer in use.

The list of snapshots in use may be old by the time this runs, and lacks those made since. So only
snapshots from well before the list was made are removed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from contextlib import closing
from dataclasses import asdict, dataclass

from assay_runner.folders import FOLDER_FLAGS, opened, walk

_UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_VERSION = re.compile(r"[0-9]{1,19}-[0-9]{1,9}")
_FOLDER = "snapshots"


@dataclass
class Swept:
    """Counts of a volume's snapshots; `bytes` is the total size of the removed files."""

    removed: int = 0
    bytes: int = 0
    kept: int = 0
    failed: int = 0


def sweep(volume: str, in_use: frozenset[str], made_before: float) -> Swept:
    """Remove all directories `snapshots/UID/VERSION` of a volume that are not in use.

    Args:
        volume: directory of the volume.
        in_use: paths to keep, relative to the volume.
        made_before: seconds since the epoch; directories modified then or later are kept too.

    Raises:
        OSError: if the volume cannot be read.
    """
    swept = Swept()
    datasets_in_use = frozenset(path.rpartition("/")[0] for path in in_use)
    try:
        opened = os.open(os.path.join(volume, _FOLDER), FOLDER_FLAGS)
    except FileNotFoundError:
        return swept
    try:
        for uid in _directories(opened, _UID):
            path = f"{_FOLDER}/{uid}"
            try:
                removed = _sweep_dataset(opened, uid, in_use, made_before, swept)
                old = os.stat(uid, dir_fd=opened, follow_symlinks=False).st_mtime < made_before
                if path not in datasets_in_use and (removed or old):
                    _remove_if_empty(opened, uid)
            except OSError as error:
                _failed(swept, path, error)
    finally:
        os.close(opened)
    return swept


def _sweep_dataset(
    parent: int, uid: str, in_use: frozenset[str], made_before: float, swept: Swept
) -> bool:
    """Return whether a version of the dataset was removed."""
    removed = False
    with opened(uid, parent) as dataset:
        for version in _directories(dataset, _VERSION):
            path = f"{_FOLDER}/{uid}/{version}"
            try:
                size, changed = _measure(version, dataset)
                if path in in_use or changed >= made_before:
                    swept.kept += 1
                    continue
                shutil.rmtree(version, dir_fd=dataset)
            # Its content may be nested deeper than Python can recurse.
            except (OSError, RecursionError) as error:
                _failed(swept, path, error)
            else:
                removed = True
                swept.removed += 1
                swept.bytes += size
    return removed


def _directories(parent: int, name: re.Pattern[str]) -> list[str]:
    with os.scandir(parent) as entries:
        return [
            entry.name
            for entry in entries
            if name.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
        ]


def _measure(name: str, parent: int) -> tuple[int, float]:
    """Return the total size of the files below a directory and its latest modification time."""
    with opened(name, parent) as directory:
        size = 0
        changed = os.fstat(directory).st_mtime
        with closing(walk(directory)) as entries:
            for entry in entries:
                if not entry.is_folder:
                    size += entry.state.st_size
                changed = max(changed, entry.state.st_mtime)
        return size, changed


def _remove_if_empty(parent: int, name: str) -> None:
    with opened(name, parent) as directory, os.scandir(directory) as entries:
        empty = next(entries, None) is None
    if empty:
        os.rmdir(name, dir_fd=parent)


def _failed(swept: Swept, path: str, error: Exception) -> None:
    swept.failed += 1
    print(f"{path}: {error}", file=sys.stderr)


def _snapshot_path(text: str) -> str:
    folder, _, rest = text.partition("/")
    uid, _, version = rest.partition("/")
    if folder != _FOLDER or not _UID.fullmatch(uid) or not _VERSION.fullmatch(version):
        raise argparse.ArgumentTypeError(f"not snapshots/UID/GENERATION-ATTEMPT: {text!r}")
    return text


def main(arguments: list[str], volume: str) -> int:
    """Sweep and print the counts; returns 0, or 1 if something could not be removed.

    Raises:
        SystemExit: with 2, before anything is removed, if the arguments are invalid.
    """
    parser = argparse.ArgumentParser("assay_runner.cleanup", allow_abbrev=False)
    parser.add_argument("--made-before", type=float, required=True, metavar="EPOCH_SECONDS")
    parser.add_argument("--keep", type=_snapshot_path, nargs="*", required=True, metavar="PATH")
    parsed = parser.parse_args(arguments)
    swept = sweep(volume, frozenset(parsed.keep), parsed.made_before)
    print(json.dumps(asdict(swept)))
    return 1 if swept.failed else 0
