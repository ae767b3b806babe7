"""Refuses the text of a script that Python would parse for long, or with gigabytes."""

from __future__ import annotations

import contextlib
import io
import re
from typing import NamedTuple

MAX_SOURCE_BYTES = 262_144
MAX_TOKENS = 100_000
"""Of a script: parsing and judging that many takes about 200 ms."""

# Python joins the parts of a module's name anew at each dot: a long one takes gigabytes.
_MAX_DOTS = 200
_IMPORT = re.compile(r"""\b(?:import|from)\b(?:[^\n;(#'"\\]|\\\n)*+""")
_SPACE = re.compile(r"[\s\\]+")
_DOT = re.compile(r"[^.]\.")
# Without an end they reach as far as Python reads them, so that no text is looked at twice.
_STRING = "|".join(
    (
        r'"{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3})?',
        r"'{3}(?:[^'\\]|\\.|'(?!''))*+(?:'{3})?",
        r'"(?:[^"\\\n]|\\.)*+"?',
        r"'(?:[^'\\\n]|\\.)*+'?",
    )
)
_TOKEN = re.compile(
    rf"(?:[fF][rR]?|[rR][fF])({_STRING})|[bBrRuU]{{0,2}}(?:{_STRING})|#[^\n]*+|\w++|[^\w\s]|\n",
    re.DOTALL,
)
# Python starts another parser for each field of an f-string.
_TOKENS_OF_FIELD = 8


class Fault(NamedTuple):
    """Why a text is not parsed, and the line that it is about."""

    line: int
    reason: str


def fault(source: str, data: bytes) -> Fault | None:
    """Return why a script is not to be parsed; None if it can be, whatever Python says then.

    Args:
        source: the text of the script.
        data: its bytes in UTF-8.
    """
    if len(data) > MAX_SOURCE_BYTES:
        return Fault(
            1, f"The code has {len(data):,} bytes; at most {MAX_SOURCE_BYTES:,} are allowed"
        )
    if "\0" in source:
        return Fault(source.count("\n", 0, source.index("\0")) + 1, "The code has null bytes")
    text = _decoded(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    long_name = _long_name(text)
    if long_name is not None:
        return Fault(long_name, f"The name of a module has over {_MAX_DOTS} dots")
    if _tokens(text) > MAX_TOKENS:
        return Fault(
            1,
            f"The code has more than {MAX_TOKENS:,} tokens: pass data as a dataset or in 'files'",
        )
    return None


def _long_name(text: str) -> int | None:
    """Return the line of an import with too many dots; None if there is none."""
    for statement in _IMPORT.finditer(text):
        if len(_DOT.findall(_SPACE.sub("", statement.group()))) > _MAX_DOTS:
            return text.count("\n", 0, statement.start()) + 1
    return None


def _tokens(text: str) -> int:
    """Return about how many tokens there are; a string or a comment is one."""
    # Of an f-string, its text; of another token, nothing.
    found = _TOKEN.findall(text)
    return len(found) + _TOKENS_OF_FIELD * "".join(found).count("{")


def _decoded(data: bytes) -> str:
    """Return the text as Python reads it: a declared encoding may hide dots."""
    if any(b"coding" in line for line in data.split(b"\n", 2)[:2]):
        from tokenize import detect_encoding

        # Python says what is wrong with an encoding.
        with contextlib.suppress(SyntaxError, LookupError, ValueError):
            encoding, _ = detect_encoding(io.BytesIO(data).readline)
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")
