"""Reads the text of JSON: its encoding, and blocks of lines."""

from __future__ import annotations

import codecs
import gc
from collections.abc import Iterator
from contextlib import contextmanager

MAX_ROW_CHARACTERS = 256 * 1024 * 1024
"""Rows of files that are read in blocks may not be longer."""

_BLOCK_BYTES = 4 * 1024 * 1024


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep Python from looking for cycles, of which JSON has none; it takes as long as parsing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def blocks(path: str, encoding: str) -> Iterator[tuple[str, bool]]:
    """Return the text of a file in blocks that end with a line, and which is the last."""
    decoder = codecs.getincrementaldecoder(encoding)()
    rest: list[str] = []
    length = 0
    is_first = True
    with open(path, "rb") as file:
        while data := file.read(_BLOCK_BYTES):
            text = decoder.decode(data)
            if is_first:
                text, is_first = text.removeprefix("\ufeff"), False
            cut = text.rfind("\n") + 1
            length += len(text)
            if not cut and length <= MAX_ROW_CHARACTERS:
                rest.append(text)
                continue
            yield "".join((*rest, text[:cut])), False
            rest = [text[cut:]]
            length = len(rest[0])
        yield "".join((*rest, decoder.decode(b"", final=True))), True
