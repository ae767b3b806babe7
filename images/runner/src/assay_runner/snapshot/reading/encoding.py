"""A source of text as UTF-8, whatever its encoding."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import BinaryIO

# The marks of UTF-32 begin with those of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHUNK_BYTES = 1024 * 1024
# The likeliest first.
_PROPOSED = ("cp1252", "latin-1", "shift_jis", "gb18030")


def encoding_of(path: str, given: str | None) -> str:
    """Return the encoding of a text file: the one given, or that of its mark, or `utf-8`.

    A mark decides between encodings of Unicode, whichever of them is given.
    """
    with open(path, "rb") as file:
        begin = file.read(4)
    marked = next((name for mark, name in _MARKS if begin.startswith(mark)), None)
    if given is None or (marked and codecs.lookup(given).name in ("utf-8", "utf-16", "utf-32")):
        return marked or given or "utf-8"
    return given


def not_decodable(encoding: str = "utf-8") -> UnicodeDecodeError:
    """Return the error on bytes that are not text in an encoding; it has none of them."""
    return UnicodeDecodeError(encoding, b" ", 0, 1, "not decodable")


def proposals(path: str) -> list[str]:
    """Return encodings that read all of a file that is not UTF-8, the likeliest first."""
    with open(path, "rb") as file:
        begin = file.read(_CHUNK_BYTES)
    # Text has none, but in many languages half of the bytes of UTF-16 are.
    if begin.count(0) * 4 > len(begin):
        return ["utf-16-le" if begin[1::2].count(0) > begin[::2].count(0) else "utf-16-be"]
    return [name for name in _PROPOSED if _reads(path, name)]


def _reads(path: str, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with open(path, "rb") as file:
        try:
            while chunk := file.read(_CHUNK_BYTES):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


class Utf8(io.RawIOBase):
    """A text file as the bytes of UTF-8, without its mark, read from the start to the end.

    Attributes:
        quotes: how many quotation marks have been read.
    """

    def __init__(self, path: str, encoding: str, errors: str = "strict", quote: str = '"') -> None:
        super().__init__()
        self._file: BinaryIO = open(path, "rb", buffering=0)  # noqa: SIM115 - closed by close
        self._quote = quote.encode()
        self._pending = b""
        self.quotes = 0
        self._decoder: codecs.IncrementalDecoder | None = None
        if not _is_utf8(encoding) or errors != "strict":
            self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._is_first = True

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return `size` bytes at least while there are any, which may be more."""
        limit = _CHUNK_BYTES if size < 0 else max(size, 1)
        while len(self._pending) < limit and self._fill(limit):
            pass
        # Arrow reads what it is given, and asks for no more than it has room for.
        found, self._pending = self._pending[:limit], self._pending[limit:]
        return found

    def lines(self) -> Iterator[str]:
        """Yield the lines that are left, with their ends."""
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        parts: list[str] = []
        while chunk := self.read():
            parts.append(decoder.decode(chunk))
            if "\n" not in parts[-1] and "\r" not in parts[-1]:
                continue
            # The last line may go on, and a line feed may follow a carriage return.
            *whole, rest = io.StringIO("".join(parts), newline="")
            yield from whole
            parts = [rest]
        if rest := "".join(parts):
            yield rest

    def unread(self, data: bytes) -> None:
        """Return bytes that were read, to be read again."""
        self._pending = data + self._pending

    def _fill(self, size: int) -> bool:
        chunk = self._file.read(size)
        if self._decoder is None:
            text = chunk
        else:
            text = self._decoder.decode(chunk, final=not chunk).encode("utf-8", "surrogatepass")
        if self._is_first:
            text, self._is_first = text.removeprefix(codecs.BOM_UTF8), False
        self.quotes += text.count(self._quote)
        self._pending += text
        return bool(chunk)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
