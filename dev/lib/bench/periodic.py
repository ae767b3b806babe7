"""Reads something again and again, in a thread of its own."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self


class Periodic:
    """A context manager that calls `read` with a pause between two calls.

    A subclass implements `read`. The first call is one pause after the start.

    Args:
        pause_seconds: the pause.
    """

    def __init__(self, pause_seconds: float) -> None:
        self._pause_seconds = pause_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def read(self) -> bool:
        """Read once; False if there is nothing more to read."""
        raise NotImplementedError

    def _run(self) -> None:
        while not self._stop.wait(self._pause_seconds) and self.read():
            pass
