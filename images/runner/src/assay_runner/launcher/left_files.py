"""Whether code has left files that are to be collected."""

from __future__ import annotations

import os

from assay_runner.frames import Message
from assay_runner.workers import WORK

REGISTERED = f"{WORK}/registered"
"""Where the library of code mode writes the paths of further files, one a line."""


def are_left(workspace: int, wanted: Message) -> bool:
    """Return whether one of the folders or files exists.

    Args:
        workspace: descriptor of the working directory.
        wanted: the `collect` message.
    """
    return any(
        _exists(path, workspace) for path in (*wanted["folders"], *wanted["files"], REGISTERED)
    )


def _exists(path: str, workspace: int) -> bool:
    try:
        os.lstat(path, dir_fd=workspace)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        # Collecting it says why it cannot be read.
        return True
    return True
