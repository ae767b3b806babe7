"""Descriptors that came with messages of the launcher."""

from __future__ import annotations

import os

from assay_runner.frames import MAX_DESCRIPTORS, FrameError


class Descriptors:
    """What has come and was not taken, in order."""

    def __init__(self) -> None:
        self._waiting: list[int] = []

    def add(self, descriptors: list[int]) -> None:
        """Add descriptors that have come, with the first byte of their message.

        Raises:
            FrameError: if more wait than two messages have.
        """
        self._waiting += descriptors
        if len(self._waiting) > 2 * MAX_DESCRIPTORS:
            raise FrameError("too many descriptors")

    def take(self, count: int) -> list[int]:
        """Take the descriptors of a message; they are the caller's to close.

        Raises:
            FrameError: if there are fewer, such as at the limit of this process.
        """
        if count > len(self._waiting):
            raise FrameError("descriptors are missing")
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken

    def close(self) -> None:
        """Close what was not taken."""
        while self._waiting:
            os.close(self._waiting.pop())
