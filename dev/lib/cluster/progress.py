"""One plain line per finished step, with the time since the command began."""

from __future__ import annotations

import time

_BEGAN = time.monotonic()


def step(text: str) -> None:
    """Prints the elapsed seconds and what has just been reached."""
    print(f"{time.monotonic() - _BEGAN:6.1f}s  {text}", flush=True)
