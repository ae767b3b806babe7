"""The code of runs whose Pods are stand-ins: what it is known by is how long it lasts."""

from __future__ import annotations

import re

_SLEEP = re.compile(r"^time\.sleep\(([0-9.]+)\)$", re.MULTILINE)


def sleep_code(seconds: float) -> str:
    """A line of code that lasts so long, in a stand-in and in Python."""
    return f"time.sleep({seconds:.3f})"


def seconds_of(code: str) -> float:
    """How long code with such a line lasts; 0 without one."""
    found = _SLEEP.search(code)
    return float(found[1]) if found else 0.0
