"""Opens and walks directories that others may have written, without following links."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Generator, Iterator
from typing import NamedTuple

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Flags that open a directory, but not a symbolic link to one."""


class Entry(NamedTuple):
    """An entry of a folder.

    Attributes:
        path: its path relative to where the walk began.
        name: its name in `folder`.
        folder: a descriptor of the folder that it is in, which is open until the next entry.
        state: what it is, as by `lstat`.
    """

    path: str
    name: str
    folder: int
    state: os.stat_result

    @property
    def is_folder(self) -> bool:
        """Whether it is a directory, and not a link to one."""
        return stat.S_ISDIR(self.state.st_mode)


def walk(folder: int, enters: Callable[[str], bool] | None = None) -> Generator[Entry, None, None]:
    """Yield all entries of a folder and of those below it, each before what it contains.

    Only the folders on the way to the current entry are open, whatever the number of others.

    Args:
        folder: descriptor of the folder, which stays open.
        enters: returns whether to enter the folder with a path; all are entered by default.

    Raises:
        OSError: if a folder cannot be read; `filename` is its path.
    """
    return _walk(folder, "", enters)


@contextlib.contextmanager
def opened(name: str, parent: int) -> Iterator[int]:
    """Open a directory, but not a symbolic link to one."""
    descriptor = os.open(name, FOLDER_FLAGS, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _walk(
    folder: int, path: str, enters: Callable[[str], bool] | None
) -> Generator[Entry, None, None]:
    with os.scandir(folder) as listed:
        for found in listed:
            relative = path + found.name
            with _naming(relative):
                entry = Entry(relative, found.name, folder, found.stat(follow_symlinks=False))
            yield entry
            if entry.is_folder and (enters is None or enters(relative)):
                with contextlib.ExitStack() as closed:
                    with _naming(relative):
                        inner = closed.enter_context(opened(found.name, folder))
                    yield from _walk(inner, f"{relative}/", enters)


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """Give errors the whole path, since the system knows only the name."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


def files_of(directory: str) -> list[str]:
    """Return the paths of a folder's files, relative to it, sorted."""
    return sorted(
        os.path.relpath(os.path.join(parent, name), directory)
        for parent, _, names in os.walk(directory)
        for name in names
    )
