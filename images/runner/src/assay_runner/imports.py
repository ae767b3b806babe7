"""Speeds up importing large libraries."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the garbage collector during imports, then exempt the new objects from it.

    Imports create many objects and hardly any garbage, and collections take a tenth of their time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
