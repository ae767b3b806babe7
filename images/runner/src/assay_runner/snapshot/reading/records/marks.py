"""What the characters of JSON tell before it is parsed, or of members that the parser drops."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from assay_runner.snapshot.reading.exactness import MAX_DIGITS
from assay_runner.snapshot.reading.records.json_text import Value, parser
from assay_runner.snapshot.reading.typed.numbers import is_long

_SPACED = re.compile(rb'"\s{2,}:')
# A number that may be too small for a double.
_SMALL = re.compile(r"[0-9][eE]-[0-9]{3}")
_MINUS_ZERO = re.compile(r"-0(?![.0-9eE])")
_WINDOW = 4 * 1024 * 1024
# Of a longer number, the part within a window is long by itself.
_MAX_NUMBER = 8192
# A number of more digits has a run of at least this many of these characters.
_RUN = b"0" * (MAX_DIGITS + 2)
_OF_NUMBERS = bytes(ord("0") if chr(c) in "0123456789.eE" else ord(" ") for c in range(256))


def has_long_numbers(text: str) -> bool:
    """Return whether there may be a number of more digits than a double tells apart, or `-0`."""
    if "-0" in text and _MINUS_ZERO.search(text):
        return True
    if ("e-" in text or "E-" in text) and _SMALL.search(text):
        return True
    for start in range(0, len(text), _WINDOW):
        window = text[start : start + _WINDOW + _MAX_NUMBER].encode("utf-8", "replace")
        marked = window.translate(_OF_NUMBERS)
        place = marked.find(_RUN)
        while place >= 0:
            end = marked.find(b" ", place)
            token = window[marked.rfind(b" ", 0, place) + 1 : end if end >= 0 else None]
            if is_long(token.decode()):
                return True
            place = marked.find(_RUN, place + len(token))
    return False


def may_repeat(text: str, keys: int) -> bool:
    """Return whether an object may have a member twice.

    Args:
        text: JSON without anything but objects of which the members were counted.
        keys: how many members they have.
    """
    data = text.encode("utf-8", "replace")
    # Most texts have no space in front of a colon, and a search for bytes is fast.
    if any(space in data for space in (b" :", b"\t:", b"\n:", b"\r:")) and _SPACED.search(data):
        return True
    marks = data.count(b'":')
    if marks == keys and b'\\":' not in data and b'" :' not in data:
        return False
    # A quote within a text has a backslash in front.
    marks += sum(data.count(b'"%c:' % space) for space in b" \t\n\r")
    return marks - data.count(b'\\":') - data.count(b'\\" :') != keys


def repeats(text: str, values: Callable[[Any], Iterator[Value]]) -> Iterator[bool]:
    """Return for each value whether it has an object that has a member twice."""
    found = False

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        unique = dict(members)
        found |= len(unique) != len(members)
        return unique

    for _ in values(parser(exact=False, careful=True, pairs=pairs)):
        yield found
        found = False
