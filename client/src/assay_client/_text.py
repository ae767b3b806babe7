"""Text for terminals. What an endpoint or a run sends could contain control characters."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime, timezone

# Controls of ASCII and Latin-1 but line feed and tab, those that change the direction of text, the
# two other line ends of Unicode, and halves of characters.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    r"""The text with control characters as escapes, such as `\x1b`."""
    return _CONTROLS.sub(lambda found: ascii(found.group())[1:-1], text)


def one_line(text: str) -> str:
    """The printable text without line ends and tabs."""
    return printable(text).replace("\n", " ").replace("\t", " ")


def word(text: str, placeholder: str) -> str:
    """The text as one word of a command; the placeholder where a shell would get another text."""
    return shlex.quote(text) if one_line(text) == text else placeholder


def say(sentence: str) -> None:
    """Writes a line for people to standard error, whole, whatever thread it is."""
    line = f"assay-client: {one_line(sentence)}\n".encode("utf-8", "backslashreplace")
    try:
        # Not by way of sys.stderr, whose lock a thread may hold when the process ends.
        os.write(sys.__stderr__.fileno() if sys.__stderr__ is not None else 2, line)
    except (OSError, ValueError):
        pass  # Nobody reads it.


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Lines whose columns are aligned, without trailing blanks."""
    cells = [[one_line(str(cell)) for cell in row] for row in (headings, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    return [
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def age(rfc3339: object, now: datetime | None = None) -> str:
    """How long ago, such as 42s, 12m, 5h or 3d; `-` if the timestamp is malformed."""
    try:
        # Python 3.10 knows neither Z nor fractions of other lengths than 3 and 6.
        then = datetime.strptime(str(rfc3339)[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return "-"
    passed = (now or datetime.now(timezone.utc)) - then.replace(tzinfo=timezone.utc)
    seconds = max(0, int(passed.total_seconds()))
    if seconds < 120:
        return f"{seconds}s"
    minutes = seconds // 60
    if minutes < 120:
        return f"{minutes}m"
    hours = minutes // 60
    return f"{hours}h" if hours < 48 else f"{hours // 24}d"


def duration(millis: object) -> str:
    """Such as 30ms, 1.5s or 42s; `-` where there is none."""
    if not isinstance(millis, (int, float)):
        return "-"
    if millis < 1000:
        return f"{int(millis)}ms"
    return f"{millis / 1000:.1f}s" if millis < 10_000 else f"{int(millis) // 1000}s"


def size(count: int) -> str:
    """A number of bytes, such as 29 bytes, 12 KiB or 1.5 MiB."""
    if count < 10_240:
        return f"{count} bytes"
    if count < 1024 * 1024:
        return f"{count // 1024} KiB"
    return f"{count / 1024 / 1024:.1f} MiB"
