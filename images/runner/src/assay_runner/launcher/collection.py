"""Opens the files that code has left, once no process can change them any more.

What is there was made by user code. Each directory is opened below the one that holds it, never
through a link, and everything is bounded: files, bytes, depth, entries, time.
"""

from __future__ import annotations

import os
import socket
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

from assay_runner.artifact_paths import fault
from assay_runner.folders import FOLDER_FLAGS
from assay_runner.frames import MAX_DESCRIPTORS, Message, encode
from assay_runner.launcher.left_files import REGISTERED, began_at, is_ignored
from assay_runner.launcher.left_out import LeftOut
from assay_runner.workers import WORK

MAX_DEPTH = 16
MAX_ENTRIES = 10_000
MAX_SECONDS = 10.0
_MAX_REGISTERED_BYTES = 64 * 1024
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class OpenFile(NamedTuple):
    """A file that is collected: its path in the working directory, and a descriptor."""

    path: str
    descriptor: int


def collect(workspace: int, wanted: Message, link: socket.socket) -> None:
    """Hand the files over to the supervisor, and report what was left out.

    Args:
        workspace: descriptor of the working directory.
        wanted: the `collect` message.
        link: the connection to the supervisor.

    Raises:
        OSError: if the connection is lost.
    """
    left_out = LeftOut(wanted["maxCount"], wanted["maxBytes"])
    batch: list[OpenFile] = []
    try:
        for file in Collector(workspace, wanted, left_out).files():
            batch.append(file)
            if len(batch) == MAX_DESCRIPTORS:
                _hand_over(link, batch)
        _hand_over(link, batch)
    except OSError as error:
        # The kernel limits the descriptors in flight for each user.
        left_out.stop(f"files could not be handed over: {error.strerror}")
    finally:
        _close(batch)
    link.sendall(encode({"type": "collected", "message": left_out.message()}))


def _hand_over(link: socket.socket, batch: list[OpenFile]) -> None:
    if not batch:
        return
    frame = encode({"type": "files", "paths": [file.path for file in batch]})
    sent = socket.send_fds(link, [frame], [file.descriptor for file in batch])
    link.sendall(frame[sent:])
    _close(batch)


def _close(batch: list[OpenFile]) -> None:
    while batch:
        os.close(batch.pop().descriptor)


class Collector:
    """Finds and opens files, until a limit is reached.

    Args:
        workspace: descriptor of the working directory.
        wanted: the `collect` message.
        left_out: is told what is not collected, and why.
    """

    def __init__(self, workspace: int, wanted: Message, left_out: LeftOut) -> None:
        self._workspace = workspace
        self._wanted = wanted
        self._left_out = left_out
        self._seen: set[str] = set()
        self._left_bytes: int = wanted["maxBytes"]
        self._left_entries = MAX_ENTRIES
        self._ends_at = time.monotonic() + MAX_SECONDS
        self._device = os.fstat(workspace).st_dev
        self._began = began_at(workspace)

    def files(self) -> Iterator[OpenFile]:
        """Yield the files, which are the caller's to close.

        First those below folders, by name, then those elsewhere. What code mode keeps about the run
        comes last, so that files of the user are preferred where not all can be collected.
        """
        folders = self._wanted["folders"]
        for folder in folders:
            if folder != WORK:
                yield from self._below(folder)
        for path in (*self._wanted["files"], *self._registered()):
            yield from self._single(path)
        if self._wanted.get("anywhere"):
            yield from self._below("")
        if WORK in folders:
            yield from self._below(WORK)

    def _below(self, folder: str) -> Iterator[OpenFile]:
        try:
            descriptor = self._open_folder(folder)
        except FileNotFoundError:
            return
        except OSError:
            self._left_out.add("unreadable", folder)
            return
        try:
            yield from self._walk(descriptor, folder, 1)
        finally:
            os.close(descriptor)

    def _walk(self, folder: int, path: str, depth: int) -> Iterator[OpenFile]:
        for name in self._names(folder, path):
            if self._is_late():
                return
            inner = f"{path}/{name}" if path else name
            try:
                state = os.lstat(name, dir_fd=folder)
                if self._is_skipped(inner, state):
                    continue
                if not stat.S_ISDIR(state.st_mode):
                    yield from self._open(name, folder, inner, state)
                elif depth == MAX_DEPTH:
                    self._left_out.add("depth", inner)
                elif state.st_dev != self._device:
                    self._left_out.add("mount", inner)
                else:
                    descriptor = os.open(name, FOLDER_FLAGS, dir_fd=folder)
                    try:
                        yield from self._walk(descriptor, inner, depth + 1)
                    finally:
                        os.close(descriptor)
            except OSError:
                self._left_out.add("unreadable", inner)

    def _is_skipped(self, path: str, state: os.stat_result) -> bool:
        """Whether a path is not looked at: below a folder that is named, everything is."""
        folders = self._wanted["folders"]
        if any(path.startswith(folder + "/") for folder in folders):
            return False
        return path in folders or is_ignored(path, state, self._wanted, self._began)

    def _names(self, folder: int, path: str) -> list[str]:
        """Return the names in a folder in their order, as long as entries may be looked at."""
        names = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if self._left_entries == 0:
                        self._left_out.stop(f"there are more than {MAX_ENTRIES} entries")
                        break
                    self._left_entries -= 1
                    names.append(entry.name)
        except OSError:
            self._left_out.add("unreadable", path)
        return sorted(names)

    def _single(self, path: str) -> Iterator[OpenFile]:
        if self._is_late() or path in self._seen:
            return
        if fault(path) is not None:
            self._left_out.add("name", path)
            return
        above, _, name = path.rpartition("/")
        try:
            folder = self._open_folder(above)
            try:
                yield from self._open(name, folder, path, os.lstat(name, dir_fd=folder))
            finally:
                os.close(folder)
        except OSError:
            self._left_out.add("unreadable", path)

    def _open(self, name: str, folder: int, path: str, state: os.stat_result) -> Iterator[OpenFile]:
        reason = self._reason_against(path, state)
        if reason is not None:
            self._left_out.add(reason, path)
            return
        if path in self._seen:
            return
        descriptor = os.open(name, _FILE_FLAGS, dir_fd=folder)
        opened = os.fstat(descriptor)
        if (opened.st_dev, opened.st_ino) != (state.st_dev, state.st_ino):
            os.close(descriptor)
            self._left_out.add("kind", path)
            return
        self._seen.add(path)
        self._left_bytes -= opened.st_size
        yield OpenFile(path, descriptor)

    def _reason_against(self, path: str, state: os.stat_result) -> str | None:
        if not stat.S_ISREG(state.st_mode):
            return "kind"
        if fault(path) is not None:
            return "name"
        if state.st_dev != self._device:
            return "mount"
        if len(self._seen) >= self._wanted["maxCount"]:
            return "count"
        return "bytes" if state.st_size > self._left_bytes else None

    def _open_folder(self, path: str) -> int:
        """Open a folder below the working directory, one step at a time."""
        descriptor = os.open(".", FOLDER_FLAGS, dir_fd=self._workspace)
        for name in path.split("/") if path else ():
            above = descriptor
            try:
                descriptor = os.open(name, FOLDER_FLAGS, dir_fd=above)
            finally:
                os.close(above)
        return descriptor

    def _registered(self) -> list[str]:
        """Return the paths that were registered by the library of code mode."""
        above, _, name = REGISTERED.rpartition("/")
        try:
            folder = self._open_folder(above)
        except OSError:
            return []
        try:
            descriptor = os.open(name, _FILE_FLAGS, dir_fd=folder)
        except OSError:
            return []
        finally:
            os.close(folder)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return []
            text = os.pread(descriptor, _MAX_REGISTERED_BYTES, 0)
        finally:
            os.close(descriptor)
        lines = text.decode("utf-8", "surrogateescape").split("\n")
        return list(dict.fromkeys(line for line in lines if line))

    def _is_late(self) -> bool:
        if time.monotonic() < self._ends_at:
            return False
        self._left_out.stop(f"it took longer than {MAX_SECONDS:.0f} s")
        return True
