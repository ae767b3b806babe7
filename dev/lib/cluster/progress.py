"""One plain line per finished step, with the time since the command began."""

from __future__ import annotations

import contextlib
import time

_BEGAN = time.monotonic()


def step(text: str) -> None:
    """Prints the elapsed seconds and the finished step."""
    # A reader such as head that goes away must not stop the work half way.
    with contextlib.suppress(BrokenPipeError):
        print(f"{time.monotonic() - _BEGAN:6.1f}s  {text}", flush=True)
