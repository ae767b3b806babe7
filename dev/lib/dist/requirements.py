"""The libraries that code uses, as requirements of the wheel."""

from __future__ import annotations

import re
from pathlib import Path

_PINNED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*==\S+?)\s*(?:\\|$)", re.MULTILINE)


def pinned(file: Path) -> tuple[str, ...]:
    """The pinned requirements of a file with digests, without these: metadata cannot have them."""
    return tuple(_PINNED.findall(file.read_text()))
