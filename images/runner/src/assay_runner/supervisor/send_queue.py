"""Sends frames over a socket in their order."""

from __future__ import annotations

import asyncio
import socket


class SendQueue:
    """Sends what is put into it, in order and no faster than the peer reads.

    Args:
        target: a non-blocking stream socket.
    """

    def __init__(self, target: socket.socket) -> None:
        self._target = target
        self._loop = asyncio.get_running_loop()
        self._unsent = bytearray()
        self._waiting = False

    def put(self, frame: bytes) -> None:
        """Send a frame after those that were put before it."""
        self._unsent += frame
        if not self._waiting:
            self._send()

    def close(self) -> None:
        """Send nothing more. Call this before the socket is closed."""
        self._unsent.clear()
        self._wait(more=False)

    def _send(self) -> None:
        try:
            del self._unsent[: self._target.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
            # Whoever reads from the socket notices.
            self._unsent.clear()
        self._wait(more=bool(self._unsent))

    def _wait(self, *, more: bool) -> None:
        if more and not self._waiting:
            self._loop.add_writer(self._target, self._send)
        elif self._waiting and not more:
            self._loop.remove_writer(self._target)
        self._waiting = more
