"""Counts the bytes of requests that are held in memory."""

from __future__ import annotations

# What all connections may hold of bodies that are not handled yet.
MAX_HELD_BYTES = 16 * 1024 * 1024


class Bodies:
    """Counts the bytes of the bodies that all connections hold.

    Args:
        maximum: how many they may be.
    """

    def __init__(self, maximum: int = MAX_HELD_BYTES) -> None:
        self._room = maximum

    def hold(self, size: int) -> None:
        """Count bytes that were received.

        Raises:
            EOFError: if there are too many; the connection is to be closed.
        """
        if size > self._room:
            raise EOFError
        self._room -= size

    def release(self, size: int) -> None:
        """Count bytes that are not held any more."""
        self._room += size
