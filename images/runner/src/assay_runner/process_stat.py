"""Reads `/proc/PID/stat`, for processes and for threads."""

from __future__ import annotations

# Where fields of proc(5) are in what `fields` returns.
STATE = 0  # the 3rd, `state`
PARENT = 1  # the 4th, `ppid`
CHILDREN_TIMES = slice(13, 15)  # the 16th and 17th, `cutime` and `cstime`


def fields(directory: str) -> list[bytes]:
    """Return the fields from the state on, the third of proc(5).

    Args:
        directory: of the process or thread below `/proc`.

    Raises:
        OSError: if the process is gone, or the file cannot be read.
    """
    with open(f"{directory}/stat", "rb") as file:
        # The name in parentheses may itself contain parentheses and spaces.
        return file.read().rpartition(b")")[2].split()
