"""What whoever has started this says, on a pipe that ends when it does."""

from __future__ import annotations

import os

_READ_BYTES = 64 * 1024
_TERMINATE = b"T"


class Control:
    """The read end of that pipe."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._read = b""

    def read_line(self) -> bytes | None:
        """Return the first line, or None if the pipe ends before it does."""
        while b"\n" not in self._read:
            data = os.read(self.descriptor, _READ_BYTES)
            if not data:
                return None
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return line

    def asks_to_terminate(self) -> bool:
        """Read what has come, waiting for it if need be.

        Raises:
            EOFError: at the end of the pipe.
        """
        data = self._read or os.read(self.descriptor, _READ_BYTES)
        self._read = b""
        if not data:
            raise EOFError
        return _TERMINATE in data

    def has_more(self) -> bool:
        """Whether something was read already that nobody has looked at."""
        return bool(self._read)
