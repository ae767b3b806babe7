"""Whether code has left files that are to be collected."""

from __future__ import annotations

import os
import stat

from assay_runner.folders import FOLDER_FLAGS
from assay_runner.frames import Message
from assay_runner.workers import SCRIPT, WORK

REGISTERED = f"{WORK}/registered"
"""Where the library of code mode writes the paths of further files, one a line."""


def are_left(workspace: int, wanted: Message) -> bool:
    """Return whether one of the folders or files exists.

    Args:
        workspace: descriptor of the working directory.
        wanted: the `collect` message.
    """
    return (
        any(_exists(path, workspace) for path in (*wanted["files"], REGISTERED))
        or any(_has_entries(folder, workspace) for folder in wanted["folders"])
        or (wanted.get("anywhere", False) and _are_elsewhere(workspace, wanted))
    )


def began_at(workspace: int) -> int:
    """Return when the code began: its script is written after all that the job brings.

    Args:
        workspace: descriptor of the working directory.

    Returns:
        Nanoseconds, as of the last change of a file; 0 if there is no script.
    """
    try:
        return os.lstat(SCRIPT, dir_fd=workspace).st_ctime_ns
    except OSError:
        return 0


def is_ignored(path: str, state: os.stat_result, wanted: Message, began: int) -> bool:
    """Return whether something in the working directory is none of the files of the user.

    Caches and settings of libraries are hidden or compiled, datasets and inputs are links.

    Args:
        path: relative to the working directory.
        state: of the file itself, if it is a link.
        wanted: the `collect` message.
        began: when the code began. A file of the job that has changed since then is the user's.
    """
    name = path.rpartition("/")[2]
    return (
        stat.S_ISLNK(state.st_mode)
        or name.startswith(".")
        or name == "__pycache__"
        or path == SCRIPT
        or (path in wanted.get("given", ()) and state.st_ctime_ns <= began)
    )


def _are_elsewhere(workspace: int, wanted: Message) -> bool:
    began = began_at(workspace)
    folders = {folder.split("/")[0] for folder in wanted["folders"]}
    try:
        return any(
            name not in folders
            and not is_ignored(name, os.lstat(name, dir_fd=workspace), wanted, began)
            for name in _names(workspace)
        )
    except OSError:
        return True  # Collecting it says why it cannot be read.


def _has_entries(folder: str, workspace: int) -> bool:
    try:
        descriptor = os.open(folder, FOLDER_FLAGS, dir_fd=workspace)
    except OSError:
        return _exists(folder, workspace)
    try:
        return bool(_names(descriptor))
    except OSError:
        return True  # Collecting it says why it cannot be read.
    finally:
        os.close(descriptor)


def _names(folder: int) -> list[str]:
    """Return the names in a folder, which may be open for its path only."""
    descriptor = os.open(".", FOLDER_FLAGS, dir_fd=folder)
    try:
        return os.listdir(descriptor)
    finally:
        os.close(descriptor)


def _exists(path: str, workspace: int) -> bool:
    try:
        os.lstat(path, dir_fd=workspace)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        # Collecting it says why it cannot be read.
        return True
    return True
