"""Opens the snapshots that a job reads, in a Pod that was made before its job was known."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from assay_runner.artifact_paths import shown
from assay_runner.frames import MAX_DESCRIPTORS, Message
from assay_runner.supervisor.jobs import Dataset
from assay_runner.supervisor.refusals import Code, Refusal

MAX_FILES = 256
"""How many files the snapshots of a job may have together."""

_MAX_DEPTH = 16
# Of a snapshot, directories included, in all; a snapshot of one file has four.
_MAX_ENTRIES = 1024
# Directories above a snapshot need not be readable.
_PASSAGE = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Opening a named pipe would wait for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class OpenFile(NamedTuple):
    """An open file of a snapshot.

    Attributes:
        dataset: that it belongs to.
        path: relative to the snapshot.
        descriptor: of the file, open for reading.
    """

    dataset: Dataset
    path: str
    descriptor: int


class Snapshots:
    """The snapshots of this Pod's namespace, of which a job reads some.

    Args:
        directory: where all of them are mounted; None in a Pod that has none of them.
    """

    def __init__(self, directory: str | None) -> None:
        self._directory = directory
        self._files: list[OpenFile] = []

    def open(self, datasets: tuple[Dataset, ...]) -> None:
        """Open all files of the datasets' snapshots.

        Below the directory no symbolic link is followed: a snapshot was written by a process that
        had read a hostile file.

        Args:
            datasets: each with the path of its snapshot.

        Raises:
            Refusal: WrongKind, TooLarge or NotFound.
        """
        if not datasets:
            return
        if self._directory is None:
            raise Refusal(Code.WRONG_KIND, "this Pod has no snapshots")
        files: list[OpenFile] = []
        try:
            for dataset in datasets:
                before = len(files)
                for path, descriptor in _files(self._directory, dataset):
                    files.append(OpenFile(dataset, path, descriptor))
                    if len(files) > MAX_FILES:
                        message = f"the datasets have more than {MAX_FILES} files together"
                        raise Refusal(Code.TOO_LARGE, message)
                # No message would tell the launcher of it, and the run would miss it silently.
                if len(files) == before:
                    message = f"the snapshot of dataset {dataset.name} has no files"
                    raise Refusal(Code.NOT_FOUND, message)
        except BaseException:
            _close(files)
            raise
        self._files = files

    def take(self) -> list[OpenFile]:
        """Take the open files, which are the caller's to close."""
        taken, self._files = self._files, []
        return taken


def handover(files: list[OpenFile]) -> Iterator[tuple[Message, list[int]]]:
    """Return the messages for the launcher, each with the descriptors of its files."""
    batches: list[list[OpenFile]] = []
    for file in files:
        if not batches or len(batches[-1]) == MAX_DESCRIPTORS or batches[-1][0][0] != file.dataset:
            batches.append([])
        batches[-1].append(file)
    for batch in batches:
        dataset = batch[0].dataset
        message: Message = {
            "type": "dataset",
            "name": dataset.name,
            "displayName": dataset.display_name,
            "files": [file.path for file in batch],
            "last": batch is batches[-1],
        }
        yield message, [file.descriptor for file in batch]


def _files(root: str, dataset: Dataset) -> Iterator[tuple[str, int]]:
    try:
        with ExitStack() as stack:
            directory = stack.enter_context(_opened(root, None, _PASSAGE))
            *above, last = (dataset.path or "").split("/")
            for part in above:
                directory = stack.enter_context(_opened(part, directory, _PASSAGE))
            snapshot = stack.enter_context(_opened(last, directory, _DIRECTORY))
            yield from _below(snapshot, "", _MAX_DEPTH, _Entries())
    except OSError as error:
        message = f"the snapshot of dataset {dataset.name} cannot be read: {error.strerror}"
        raise Refusal(Code.NOT_FOUND, message) from None


@contextmanager
def _opened(name: str, parent: int | None, flags: int) -> Iterator[int]:
    descriptor = os.open(name, flags, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class _Entries:
    """Counts the entries of a snapshot: one with many directories has few files."""

    def __init__(self) -> None:
        self._count = 0

    def add(self) -> None:
        """Count one more.

        Raises:
            Refusal: TooLarge.
        """
        self._count += 1
        if self._count > _MAX_ENTRIES:
            raise Refusal(Code.TOO_LARGE, f"a snapshot has more than {_MAX_ENTRIES} entries")


def _below(directory: int, prefix: str, depth: int, entries: _Entries) -> Iterator[tuple[str, int]]:
    """Open each file, and those in directories below."""
    for name in _listed(directory, entries):
        path = prefix + name
        state = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if stat.S_ISDIR(state.st_mode) and depth > 1:
            with _opened(name, directory, _DIRECTORY) as below:
                yield from _below(below, f"{path}/", depth - 1, entries)
            continue
        if not stat.S_ISREG(state.st_mode):
            raise _unusable(path)
        descriptor = os.open(name, _FILE, dir_fd=directory)
        # Something else may have taken its place.
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise _unusable(path)
        yield path, descriptor


def _listed(directory: int, entries: _Entries) -> list[str]:
    names = []
    with os.scandir(directory) as found:
        for entry in found:
            entries.add()
            names.append(entry.name)
    return sorted(names)


def _unusable(path: str) -> Refusal:
    return Refusal(Code.NOT_FOUND, f"{shown(path)} of a snapshot is not a regular file")


def _close(files: list[OpenFile]) -> None:
    for file in files:
        os.close(file.descriptor)
