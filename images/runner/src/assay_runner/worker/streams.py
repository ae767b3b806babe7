"""stdout and stderr on the one output pipe, with nothing ever held back, and no stdin."""

from __future__ import annotations

import builtins
import contextlib
import functools
import io
import os
import select
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# In characters, an escape being six bytes: a pipe takes what is no longer whole or not at all.
_SHORT = select.PIPE_BUF // 6


def install() -> None:
    """Replace sys.stdout and sys.stderr, let `print` write once and `input` say what to do.

    What was written is in the pipe when the call returns, in the order of all that writes there,
    and survives whatever ends the process. Python's own unbuffered streams do that too, but write
    each argument of `print` by itself. Text that has no UTF-8 form is written as escapes instead
    of failing the print.
    """
    sys.stdout = sys.__stdout__ = _text(1, "<stdout>")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _text(2, "<stderr>")  # type: ignore[misc]
    builtins.print = _print_at_once(sys.stdout, sys.stderr)
    builtins.input = _input_with_advice()


def flush() -> None:
    """Write out what user code has printed to buffered streams of its own."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            if stream is not None:
                stream.flush()


def exit_on_termination() -> None:
    """On SIGTERM write out what was printed, then end by that signal."""
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, _frame: object) -> None:
    flush()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


_write = io.FileIO.write  # Found sooner than through super(), which counts a million times.


class _Pipe(io.FileIO):
    """A descriptor that takes all it is given; the system call may take only a part."""

    def write(self, data: ReadableBuffer, /) -> int:
        written = _write(self, data)
        if type(data) is bytes and written == len(data):
            return written
        rest = memoryview(data).cast("B")
        length = rest.nbytes
        rest = rest[written or 0 :]
        while rest:
            # Some child process may have made the pipe non-blocking.
            select.select([], [self], [])
            rest = rest[_write(self, rest) or 0 :]
        return length


def _text(descriptor: int, name: str) -> io.TextIOWrapper[_Pipe]:
    pipe = _Pipe(descriptor, "w", closefd=False)
    pipe.name = name
    stream = io.TextIOWrapper(pipe, encoding="utf-8", errors="backslashreplace", write_through=True)
    stream.mode = "w"  # type: ignore[misc]
    return stream


def _print_at_once(stdout: TextIO, stderr: TextIO) -> Callable[..., None]:
    plain_print, write = builtins.print, os.write

    @functools.wraps(plain_print)
    def print(  # noqa: A001 - the name that tracebacks show
        *values: object,
        sep: str | None = " ",
        end: str | None = "\n",
        file: TextIO | None = None,
        flush: bool = False,
    ) -> None:
        stream = sys.stdout if file is None else file
        ours = stream is stdout or stream is stderr
        if not ours or type(sep) is not str or type(end) is not str:
            plain_print(*values, sep=sep, end=end, file=file, flush=flush)
            return
        text = str(values[0]) + end if len(values) == 1 else sep.join(map(str, values)) + end
        if stream is stderr or len(text) > _SHORT or stdout.closed:
            stream.write(text)
            return
        try:
            # The stream would do the same with a tenth more processor time.
            write(1, text.encode())
        except (UnicodeEncodeError, BlockingIOError):
            stream.write(text)

    return print


def _input_with_advice() -> Callable[..., str]:
    plain_input = builtins.input

    @functools.wraps(plain_input)
    def input(prompt: object = "", /) -> str:  # noqa: A001 - the name that tracebacks show
        try:
            return plain_input(prompt)
        except EOFError:
            if sys.stdin is not sys.__stdin__:
                raise
            raise EOFError("nobody can answer input() here: put the value into the code") from None

    return input
