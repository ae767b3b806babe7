"""Which paths below the working directory a job may name, and code may leave files under."""

from __future__ import annotations

import re

MAX_PATH_BYTES = 256
# Control characters, line separators, and those that reverse the direction of text.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_BACKSLASH = "\\"  # It separates folders on other systems.


def fault(path: str) -> str | None:
    """Return what is wrong with a path; None for one that can be used."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "is not UTF-8"
    if not 0 < size <= MAX_PATH_BYTES:
        return f"must be 1 to {MAX_PATH_BYTES} bytes"
    if any(part in ("", ".", "..") for part in path.split("/")):
        return "must be relative, without empty, '.' or '..' parts"
    if _UNFIT.search(path):
        return "must not have control characters"
    if _BACKSLASH in path:
        return "must not have a backslash"
    return None


def shown(path: str) -> str:
    """Return a path of any kind as text that is safe and short."""
    text = path.encode("utf-8", "backslashreplace").decode()
    text = _UNFIT.sub("?", text)
    return text if len(text) <= 64 else f"{text[:63]}…"
