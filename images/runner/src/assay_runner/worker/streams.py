"""stdout and stderr on the one output pipe."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from typing import NoReturn

_TERMINATED = 128 + signal.SIGTERM


def install() -> None:
    """Replace sys.stdout and sys.stderr.

    Both write through to one buffer, so that what is printed to either keeps its order, and the
    buffer goes to the pipe at each line end: output that was printed survives whatever ends the
    process. Text that has no UTF-8 form is written as escapes instead of failing the print.
    """
    buffer = io.BufferedWriter(io.FileIO(1, "w", closefd=False))
    sys.stdout = sys.__stdout__ = _text(buffer)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _text(buffer)  # type: ignore[misc]


def flush() -> None:
    """Write out what is printed so far, also where user code put streams of its own."""
    for stream in (sys.stdout, sys.stderr, sys.__stdout__):
        with contextlib.suppress(Exception):
            if stream is not None:
                stream.flush()


def exit_on_termination() -> None:
    """On SIGTERM keep what was printed, even without a line end, and go at once."""
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(_number: int, _frame: object) -> NoReturn:
    flush()
    os._exit(_TERMINATED)


def _text(buffer: io.BufferedWriter[io.FileIO]) -> io.TextIOWrapper[io.BufferedWriter[io.FileIO]]:
    stream = io.TextIOWrapper(
        buffer,
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=True,
        write_through=True,
    )
    stream.mode = "w"  # type: ignore[misc]
    return stream
