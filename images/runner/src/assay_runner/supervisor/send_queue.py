"""Sends frames over a socket in their order."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator


class SendQueue:
    """Sends what is put into it, in order and no faster than the peer reads.

    Args:
        target: a non-blocking stream socket.
    """

    def __init__(self, target: socket.socket) -> None:
        self._target = target
        self._loop = asyncio.get_running_loop()
        self._queue: deque[tuple[Iterator[bytes], Callable[[], None] | None]] = deque()
        self._unsent = memoryview(b"")
        self._waiting = False

    def put(self, frames: Iterable[bytes], sent: Callable[[], None] | None = None) -> None:
        """Send frames after those that were put before them.

        Args:
            frames: each is taken when the one before it was sent.
            sent: called when all of them were sent.
        """
        self._queue.append((iter(frames), sent))
        if not self._waiting:
            self._send()

    def close(self) -> None:
        """Send nothing more. Call this before the socket is closed."""
        self._queue.clear()
        self._unsent = memoryview(b"")
        self._wait(more=False)

    def _send(self) -> None:
        try:
            while self._unsent or self._take():
                self._unsent = self._unsent[self._target.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            # Whoever reads from the socket notices.
            self._queue.clear()
            self._unsent = memoryview(b"")
        self._wait(more=bool(self._unsent))

    def _take(self) -> bool:
        """Take the next frame; returns False if there is none."""
        while self._queue:
            frames, sent = self._queue[0]
            frame = next(frames, None)
            if frame is not None:
                self._unsent = memoryview(frame)
                return True
            self._queue.popleft()
            if sent is not None:
                sent()
        return False

    def _wait(self, *, more: bool) -> None:
        if more and not self._waiting:
            self._loop.add_writer(self._target, self._send)
        elif self._waiting and not more:
            self._loop.remove_writer(self._target)
        self._waiting = more
