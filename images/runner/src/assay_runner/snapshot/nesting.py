"""Measures the nesting depth of JSON without parsing it."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

import numpy as np

_CHUNK_BYTES = 4 * 1024 * 1024
_KEPT = b'"[]{}'
_OTHERS = bytes(set(range(256)) - set(_KEPT))
# The last string may continue in the next chunk.
_STRING = re.compile(rb'"[^"]*(?:"|$)')


def depth(file: BinaryIO, encoding: str = "utf-8") -> int:
    """Return the maximum nesting of arrays and objects; any number if the source is not JSON.

    Args:
        file: the source; it is read to the end.
        encoding: encoding of the source.
    """
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    deepest = level = 0
    in_string = False
    rest = b""
    while chunk := file.read(_CHUNK_BYTES):
        text = rest + decoder.decode(chunk).encode("utf-8", "replace")
        # An escape may continue in the next chunk.
        cut = len(text) - (len(text) - len(text.rstrip(b"\\"))) % 2
        text, rest = text[:cut], text[cut:]
        marks = text.replace(b"\\\\", b" ").replace(b'\\"', b" ").translate(None, _OTHERS)
        if in_string:
            marks = b'"' + marks
        in_string = marks.count(b'"') % 2 == 1
        marks = _STRING.sub(b"", marks)
        steps = np.frombuffer(marks, dtype=np.uint8)
        changes = np.where((steps == ord("[")) | (steps == ord("{")), 1, -1)
        levels = level + np.cumsum(changes)
        if len(levels):
            deepest = max(deepest, int(levels.max()))
            level = int(levels[-1])
    return deepest
