"""Says which files were not collected, and why."""

from __future__ import annotations

from assay_runner.artifact_paths import MAX_PATH_BYTES, shown
from assay_runner.text import MAX_NOTE_BYTES

_MAX_EXAMPLES = 3
_REASONS = {
    "count": "over the {count} files that a run may leave",
    "bytes": "over the {size} that the files of a run may have together",
    "kind": "not a regular file",
    "name": f"with a path that is over {MAX_PATH_BYTES} bytes, is not UTF-8, or has control"
    " characters or a backslash",
    "depth": "too deep",
    "mount": "on another volume",
    "unreadable": "missing or not readable",
}


class LeftOut:
    """Counts what is left out, with a few examples for each reason.

    Args:
        max_count: how many files may be left.
        max_bytes: of all of them together.
    """

    def __init__(self, max_count: int, max_bytes: int) -> None:
        self._limits = {"count": max_count, "size": _size(max_bytes)}
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}
        self._stops: dict[str, None] = {}

    def add(self, reason: str, path: str) -> None:
        """Count a file or folder.

        Args:
            reason: one of `count`, `bytes`, `kind`, `name`, `depth`, `mount` and `unreadable`.
            path: any text.
        """
        self._counts[reason] = self._counts.get(reason, 0) + 1
        examples = self._examples.setdefault(reason, [])
        if len(examples) < _MAX_EXAMPLES:
            examples.append(shown(path))

    def stop(self, reason: str) -> None:
        """Record that not everything was looked at."""
        self._stops[reason] = None

    def message(self) -> str | None:
        """Return one line for people; None if nothing was left out.

        It has fewer examples where they would push out a reason.
        """
        message = ""
        for examples in range(_MAX_EXAMPLES, -1, -1):
            message = self._message(examples)
            if len(message.encode()) <= MAX_NOTE_BYTES:
                break
        return message or None

    def _message(self, examples: int) -> str:
        parts = [
            f"{count} {_REASONS[reason].format(**self._limits)}"
            + self._shown(reason, count, examples)
            for reason, count in self._counts.items()
        ]
        sentences = [f"Left out: {'; '.join(parts)}."] if parts else []
        sentences += [f"Collecting was stopped: {reason}." for reason in self._stops]
        return " ".join(sentences)

    def _shown(self, reason: str, count: int, examples: int) -> str:
        if examples == 0:
            return ""
        shown_here = self._examples[reason][:examples]
        return f" ({', '.join(shown_here)}{', …' if count > len(shown_here) else ''})"


def _size(size: int) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or size % 1024:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} TiB"
