"""Files of this machine as the body of an upload."""

from __future__ import annotations

import gzip
import hashlib
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, cast

from assay_client._errors import AssayError

_CHUNK = 256 * 1024


@dataclass(frozen=True)
class FileState:
    """What distinguishes one content of a file from the next: length, and time of the last change.

    Attributes:
        size: in bytes.
        modified: in nanoseconds.
    """

    size: int
    modified: int

    @staticmethod
    def of(found: os.stat_result) -> FileState:
        """From what the system reports of a file."""
        return FileState(found.st_size, found.st_mtime_ns)


class FileUpload:
    """An open file. It is sent as a whole, as it was when it was opened, or not at all.

    Args:
        file: a regular file.
        follows_links: whether it may be a link to one.

    Raises:
        AssayError: `BadFile`.
    """

    def __init__(self, file: Path, *, follows_links: bool = True) -> None:
        self._path = file
        self._follows_links = follows_links
        try:
            self._file = self._opened()
        except FileNotFoundError:
            raise AssayError("BadFile", f"{file} does not exist") from None
        except OSError:
            raise AssayError("BadFile", f"{file} cannot be read: change its permissions") from None
        self.state = FileState.of(os.fstat(self._file.fileno()))

    def _opened(self) -> IO[bytes]:
        """What is found out is of the open file: another may be in its place at any time."""
        before = self._stat()
        if not stat.S_ISREG(before.st_mode):
            raise self._not_regular()
        # A FIFO would be waited for.
        names = ["O_BINARY", "O_CLOEXEC", "O_NOINHERIT", "O_NONBLOCK"]
        if not self._follows_links:
            names.append("O_NOFOLLOW")
        flags = os.O_RDONLY
        for name in names:
            flags |= getattr(os, name, 0)  # Not all systems have all of them.
        file = os.fdopen(os.open(self._path, flags), "rb")
        found = os.fstat(file.fileno())
        is_other = not self._follows_links and not os.path.samestat(before, found)
        if is_other or not stat.S_ISREG(found.st_mode):
            file.close()
            raise FileChanged(self._path) if is_other else self._not_regular()
        return file

    def _stat(self) -> os.stat_result:
        return self._path.stat() if self._follows_links else self._path.lstat()

    def _not_regular(self) -> AssayError:
        return AssayError("BadFile", f"{self._path} is not a regular file")

    def __enter__(self) -> FileUpload:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def digest(self, compression: str | None) -> str | None:
        """The SHA-256 of what it contains, in hexadecimal, as that of a snapshot of it.

        Args:
            compression: `gzip` or `zip`, of which the content counts.

        Returns:
            None where the file cannot be read, or an archive has other than one file.
        """
        found = hashlib.sha256()
        try:
            self._file.seek(0)
            with ExitStack() as stack:
                content = _content(self._file, compression, stack)
                while chunk := content.read(_CHUNK):
                    found.update(chunk)
        except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error):
            return None
        return found.hexdigest()

    def chunks(self, report: Callable[[int], None] = lambda count: None) -> Iterator[bytes]:
        """All bytes. The last ones come only if the file is still what it was.

        Args:
            report: gets the number of bytes sent so far, and may raise to stop.

        Raises:
            FileChanged: before the last bytes, so that the endpoint discards those sent.
            AssayError: `BadFile`.
        """
        sent = 0
        self._file.seek(0)
        while sent < self.state.size:
            try:
                chunk = self._file.read(min(_CHUNK, self.state.size - sent))
            except OSError:
                raise AssayError("BadFile", f"{self._path} cannot be read to its end") from None
            if not chunk or (sent + len(chunk) == self.state.size and self._has_changed()):
                raise FileChanged(self._path)
            yield chunk
            sent += len(chunk)
            report(sent)

    def _has_changed(self) -> bool:
        now = FileState.of(os.fstat(self._file.fileno()))
        # Another file of this name is a change, too.
        with suppress(OSError):
            return now != self.state or FileState.of(self._stat()) != self.state
        return True


class FileChanged(AssayError):
    """A file was changed while it was sent."""

    def __init__(self, file: Path) -> None:
        super().__init__(
            "BadFile",
            f"{file.name} was changed while it was uploaded: write it under another name, and"
            " rename it when it is complete",
        )


def _content(file: IO[bytes], compression: str | None, stack: ExitStack) -> IO[bytes]:
    if compression == "gzip":
        return cast("IO[bytes]", stack.enter_context(gzip.open(file, "rb")))
    if compression is None:
        return file
    archive = stack.enter_context(zipfile.ZipFile(file))
    # What macOS adds does not count.
    (only,) = [
        name for name in archive.namelist() if name[-1:] != "/" and not name.startswith("__MACOSX/")
    ]
    return stack.enter_context(archive.open(only))
