"""Decompresses a source, with protection against decompression bombs."""

from __future__ import annotations

import contextlib
import gzip
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from assay_runner.snapshot.source import SourceRefusedError

# Repetitive tables reach a ratio of a hundred; the maximum of DEFLATE is just over a thousand.
_MAX_RATIO = 250
_RATIO_FREE_BYTES = 16 * 1024 * 1024
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 1
# The end of central directory record, for the directory's size; a comment follows it.
_END = struct.Struct("<4x2x2x2x2xL4x2x")
_END_MARK = b"PK\5\6"
_MAX_END_BYTES = _END.size + 65_535 + 20
_ZIP64_LOCATOR_BYTES = 20
_ZIP64_LOCATOR_MARK = b"PK\6\7"
_MAX_DIRECTORY_BYTES = 4 * 1024 * 1024


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True)
class Decompressed:
    """A decompressed source.

    Attributes:
        stream: its bytes.
        compressed_bytes: returns how many compressed bytes were consumed so far.
    """

    stream: _Readable
    compressed_bytes: Callable[[], int]

    def read(self, size: int, already: int) -> bytes:
        """Return the next bytes; empty at the end.

        Args:
            size: maximum number of bytes to return.
            already: number of bytes returned before.

        Raises:
            SourceRefusedError: if the data is damaged or exceeds the maximum compression ratio.
        """
        try:
            data = self.stream.read(size)
        except (EOFError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error):
            raise SourceRefusedError("The compressed source is damaged or truncated.") from None
        total = already + len(data)
        if total > _RATIO_FREE_BYTES and total > _MAX_RATIO * max(self.compressed_bytes(), 1):
            raise SourceRefusedError(
                f"The compressed source expands to more than {_MAX_RATIO} times its size, as only"
                " compression bombs do; give it uncompressed if it is none."
            )
        return data


@contextlib.contextmanager
def decompressed(source: BinaryIO, compression: str | None) -> Iterator[Decompressed]:
    """Open a source that is compressed with `gzip` or `zip`, or not at all (None).

    Raises:
        SourceRefusedError: if it is not compressed so, or the archive does not have one file.
    """
    if compression == "gzip":
        with gzip.GzipFile(fileobj=source) as stream:
            yield Decompressed(stream, source.tell)
    elif compression == "zip":
        with _open_zip(source) as archive:
            entry = _only_file(archive)
            with archive.open(entry) as stream:
                yield Decompressed(stream, lambda: entry.compress_size)
    else:
        yield Decompressed(source, source.tell)


def check_directory(archive: BinaryIO) -> None:
    """Check the size of a zip archive's central directory, all of which `zipfile` reads at once.

    Accepts a file without a directory, which `zipfile` refuses.

    Raises:
        SourceRefusedError: if it is too large, or zip64, which small directories do not need.
    """
    archive.seek(0, os.SEEK_END)
    archive.seek(-min(archive.tell(), _MAX_END_BYTES), os.SEEK_CUR)
    tail = archive.read()
    archive.seek(0)
    plain = len(tail) - _END.size
    end = plain if tail[plain:].startswith(_END_MARK) else tail.rfind(_END_MARK)
    if end < 0 or len(tail) - end < _END.size:
        return
    (directory_bytes,) = _END.unpack_from(tail, end)
    zip64 = tail[max(end - _ZIP64_LOCATOR_BYTES, 0) : end].startswith(_ZIP64_LOCATOR_MARK)
    if directory_bytes > _MAX_DIRECTORY_BYTES or zip64:
        raise SourceRefusedError(
            f"The directory of the zip archive is larger than {_MAX_DIRECTORY_BYTES} bytes."
        )


def _open_zip(source: BinaryIO) -> zipfile.ZipFile:
    check_directory(source)
    try:
        return zipfile.ZipFile(source)
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise SourceRefusedError("The source is not a zip archive, or is damaged.") from None


def _only_file(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    entries = [entry for entry in archive.infolist() if not _is_of_a_mac(entry.filename)]
    files = [entry for entry in entries if _is_regular(entry)]
    if len(entries) != 1 or len(files) != 1:
        raise SourceRefusedError(
            "The zip archive must hold exactly one regular file and nothing else; it holds"
            f" {len(entries)} entries, {len(files)} of them regular files."
        )
    entry = files[0]
    if entry.flag_bits & _ENCRYPTED:
        raise SourceRefusedError("The file in the zip archive is encrypted.")
    if entry.compress_type not in _PLAIN_METHODS:
        raise SourceRefusedError("The zip archive must be made with the method deflate or store.")
    return entry


def _is_of_a_mac(name: str) -> bool:
    """Return whether macOS has added an entry beside those that it was asked to compress."""
    return name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"


def _is_regular(entry: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    return not entry.is_dir() and kind in (0, stat.S_IFREG)
