"""Checks text that is said to be JSON, and is passed on as it is."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import NoReturn

MAX_JSON_BYTES = 256 * 1024
MAX_JSON_DEPTH = 64

# Possessive: else the repeat keeps a hundred bytes for each character.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_MARK = re.compile(r"[\[\]{}]")
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


class JsonTextError(ValueError):
    """Text is not the JSON that it must be; the message completes "the value …"."""


def check(text: str) -> None:
    """Check that text is one JSON value.

    Raises:
        JsonTextError: if it is not, has over `MAX_JSON_BYTES` bytes, or is nested deeper than
            `MAX_JSON_DEPTH`.
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise JsonTextError("cannot be encoded as UTF-8") from None
    if size > MAX_JSON_BYTES:
        raise JsonTextError(f"is over {MAX_JSON_BYTES} bytes")
    try:
        # Numbers are not converted, so they may have any length.
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    except RecursionError:
        raise JsonTextError(f"is nested deeper than {MAX_JSON_DEPTH}") from None
    except ValueError:
        raise JsonTextError("is not JSON") from None
    if _depth(text) > MAX_JSON_DEPTH:
        raise JsonTextError(f"is nested deeper than {MAX_JSON_DEPTH}")


def _depth(text: str) -> int:
    """Return how deep arrays and objects are nested.

    The text must be JSON: for others, such as a string without an end, this takes quadratic time.
    """
    marks = _MARK.findall(_STRING.sub("", text))
    return max(accumulate(_STEPS[mark] for mark in marks), default=0)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
