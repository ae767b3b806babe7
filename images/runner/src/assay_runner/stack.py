"""Where user code is when its time runs out.

The worker's faulthandler writes the stack to a file in memory that the launcher has created. Its
signal handler does so even while a library does not let other Python code run.
"""

from __future__ import annotations

import os
import re
import signal
from typing import NamedTuple

# Nothing else uses this signal, and code does not need it.
SIGNAL = signal.SIGRTMAX - 2
# Where the worker finds the file.
STACK_FD = 4
_MAX_READ_BYTES = 64 * 1024
_MAX_FRAMES = 20
_MAX_NAME_CHARACTERS = 64
_THREAD = re.compile(r"^(?:Current thread|Thread) 0x.*$", re.MULTILINE)
# faulthandler escapes all other characters. In JSON, one of these takes two bytes at most, so that
# the frames fit into the launcher's report, whatever code has written.
_FRAME = re.compile(r'^  File "(.*)", line (\d{1,9}) in ([ -~]*)$', re.MULTILINE)


class Frame(NamedTuple):
    """A line of the script that was being executed, and the function that it is in."""

    line: int
    function: str


class StackFile:
    """The file that faulthandler writes to, as the launcher has it. Code may write to it too."""

    def __init__(self) -> None:
        self.descriptor = os.memfd_create("stack")

    def is_empty(self) -> bool:
        """Return whether nothing was written yet."""
        return os.fstat(self.descriptor).st_size == 0

    def frames(self, script: str) -> list[Frame]:
        """Return the script's own frames, the outermost first, limited in number and length.

        They are those of the main thread, or of another one if the main thread waits for it.

        Args:
            script: path of the script.
        """
        size = os.fstat(self.descriptor).st_size
        # The main thread is the last.
        data = os.pread(self.descriptor, _MAX_READ_BYTES, max(size - _MAX_READ_BYTES, 0))
        for thread in reversed(_THREAD.split(data.decode("ascii", "replace"))):
            frames = [
                Frame(int(line), name[:_MAX_NAME_CHARACTERS])
                for path, line, name in _FRAME.findall(thread)
                if path == script
            ]
            if frames:
                return frames[_MAX_FRAMES - 1 :: -1]
        return []


def is_caught(pid: int) -> bool:
    """Return whether a process has a handler for SIGNAL, which would end it otherwise."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            caught = [line.split()[1] for line in file if line.startswith("SigCgt:")]
    except (OSError, IndexError):
        return False
    return bool(caught) and bool(int(caught[0], 16) >> (SIGNAL - 1) & 1)
