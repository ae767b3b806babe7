"""The files that code has left: which of them become artifacts, and what is said of the others."""

from __future__ import annotations

from assay_runner.artifact_paths import fault
from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.events import EventLog
from assay_runner.supervisor.job_files import Collect
from assay_runner.text import MAX_NOTE_BYTES, cut_middle

MAX_MESSAGE_BYTES = 1024
MAX_DATA_BYTES = 16 * 1024
"""How many bytes of files the events of a run may have, so that they need not be fetched."""


class Collection:
    """The artifacts of a run, numbered 1, 2, 3 ….

    The launcher has kept the limits already. They are checked again, since it was in the container
    of user code.

    Args:
        wanted: what is collected.
        log: receives an event for each artifact.
    """

    def __init__(self, wanted: Collect, log: EventLog) -> None:
        self._wanted = wanted
        self._log = log
        self._paths: set[str] = set()
        self._left_bytes = wanted.max_bytes
        self._left_data_bytes = MAX_DATA_BYTES
        self._all_have_data = True
        self._events: list[int] = []
        self._refused = 0
        self._notes: list[str] = []

    def may_have_data(self, size: int) -> bool:
        """Return whether the event of the next file, if it has this size, may have its bytes.

        Once an event has none, no later one does: an operator fetches all files from the first one
        without data on.
        """
        room = min(self._left_data_bytes, self._log.room)
        return self._all_have_data and size <= room and self._is_within_limits(size)

    def add(self, path: str, size: int | None, data: bytes | None, now: Now) -> int | None:
        """Take a file; returns its number, or None if it is left out.

        Args:
            path: where it was, relative to the working directory.
            size: in bytes; None for what is not a regular file.
            data: its bytes, for its event; None if they are to be fetched.
            now: the time.
        """
        is_new = path not in self._paths and fault(path) is None
        if size is None or not is_new or not self._is_within_limits(size):
            self._refused += 1
            return None
        self._paths.add(path)
        self._left_bytes -= size
        if data is None:
            self._all_have_data = False
        else:
            self._left_data_bytes -= size
        number = len(self._paths)
        members = {"number": number, "path": path, "bytes": size}
        self._log.append("artifact", now.epoch_ms, members, data)
        self._events.append(self._log.last_seq)
        return number

    def _is_within_limits(self, size: int) -> bool:
        return size <= self._left_bytes and len(self._paths) < self._wanted.max_count

    def note(self, text: str | None) -> None:
        """Add a sentence about what was left out."""
        if text:
            line = " ".join(text.split())
            shown = "".join(letter for letter in line if letter.isprintable())
            self._notes.append(cut_middle(shown, MAX_NOTE_BYTES).replace("\n", " "))

    def acknowledged(self, seq: int) -> int:
        """Return the number of the last artifact whose event is up to this one."""
        return sum(1 for event in self._events if event <= seq)

    @property
    def message(self) -> str | None:
        """What there is to say about files that are missing."""
        notes = list(self._notes)
        if self._refused:
            notes.append(f"{self._refused} files were refused.")
        return cut_middle(" ".join(notes), MAX_MESSAGE_BYTES) if notes else None
