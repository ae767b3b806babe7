"""stdout and stderr on one output pipe, unbuffered; stdin is empty."""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import select
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from assay_runner.worker.builtin_function import BuiltinFunction

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# Characters, of which an escape takes six bytes. Writes up to PIPE_BUF bytes are atomic.
_SHORT = select.PIPE_BUF // 6


def install() -> None:
    """Replace sys.stdout, sys.stderr, `print` (one write per call) and `input` (a helpful error).

    Output is in the pipe when the call returns, in the order of all writers, and survives any end
    of the process. Python's own unbuffered streams do that too, but write each argument of `print`
    separately. Text that cannot be encoded as UTF-8 is escaped instead of raising an error.
    """
    sys.stdout = sys.__stdout__ = _Text(1, "<stdout>")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _Text(2, "<stderr>")  # type: ignore[misc]
    builtins.print = _Print(sys.stdout, sys.stderr)  # type: ignore[assignment]
    builtins.input = _input_with_advice()


def flush() -> None:
    """Flush what code has buffered, including in streams it has redirected to."""
    for stream in (sys.__stdout__, sys.__stderr__, sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            if stream is not None:
                stream.flush()


def copy_errors(path: str, limit: int) -> None:
    """Write what Python writes to sys.stderr to a file, too.

    Args:
        path: of the file, which is created when there is something to write.
        limit: how many bytes are written at most.
    """
    stream = sys.__stderr__
    assert isinstance(stream, _Text)
    pipe: Any = stream.buffer
    plain_write: Callable[[ReadableBuffer], int] = pipe.write
    left = limit

    def write(data: ReadableBuffer, /) -> int:
        nonlocal left
        length = plain_write(data)
        if left > 0:
            kept = bytes(data)[:left]
            left -= len(kept)
            # The code may have removed the directory, or filled the disk.
            with contextlib.suppress(OSError), open(path, "ab", buffering=0) as file:
                file.write(kept)
        return length

    pipe.write = write
    stream.write_as_python_does()


class _Pipe(io.FileIO):
    """A descriptor whose `write` writes everything, although one system call may write less."""

    def write(self, data: ReadableBuffer, /) -> int:
        written = super().write(data)
        if type(data) is bytes and written == len(data):
            return written
        rest = memoryview(data).cast("B")
        length = rest.nbytes
        rest = rest[written or 0 :]
        while rest:
            # A child process may have made the pipe non-blocking.
            select.select([], [self], [])
            rest = rest[super().write(rest) or 0 :]
        return length


class _Text(io.TextIOWrapper):
    """A text stream that writes through to a descriptor."""

    def __init__(self, descriptor: int, name: str) -> None:
        pipe = _Pipe(descriptor, "w", closefd=False)
        pipe.name = name
        super().__init__(pipe, encoding="utf-8", errors="backslashreplace", write_through=True)
        self.mode = "w"  # type: ignore[misc]
        # On the instance, not the class: calling a plain function has less overhead.
        self.write = _write_at_once(pipe, super().write)  # type: ignore[method-assign]

    def reconfigure(self, **settings: Any) -> None:  # noqa: ANN401 - as typeshed has it
        super().reconfigure(**settings)
        self.write_as_python_does()

    def detach(self) -> Any:  # noqa: ANN401 - as typeshed has it
        self.write_as_python_does()
        return super().detach()

    def close(self) -> None:
        self.write_as_python_does()
        super().close()

    def write_as_python_does(self) -> None:
        """Write through the stream alone."""
        vars(self).pop("write", None)


def _write_at_once(pipe: _Pipe, plain_write: Callable[[str], int]) -> Callable[[str], int]:
    os_write = os.write
    descriptor = pipe.fileno()

    def write(text: str, /) -> int:
        """Write short text directly, which is faster than through the stream."""
        if type(text) is str and len(text) < _SHORT and not pipe.closed:
            try:
                os_write(descriptor, text.encode())
                return len(text)
            except (UnicodeEncodeError, BlockingIOError):
                pass
        return plain_write(text)

    return write


class _Print(BuiltinFunction):
    """`print` with one write per call."""

    def __init__(self, stdout: TextIO, stderr: TextIO) -> None:
        super().__init__(builtins.print, builtins.print)
        self._stdout = stdout
        self._stderr = stderr

    def __call__(  # type: ignore[override]
        self,
        /,
        *values: object,
        sep: str | None = " ",
        end: str | None = "\n",
        file: TextIO | None = None,
        flush: bool = False,
    ) -> None:
        """Print."""
        stream = sys.stdout if file is None else file
        ours = stream is self._stdout or stream is self._stderr
        if not ours or type(sep) is not str or type(end) is not str:
            self._function(*values, sep=sep, end=end, file=file, flush=flush)
            return
        if len(values) == 1:
            stream.write(str(values[0]) + end)
        else:
            texts: list[str] = []
            try:
                texts.extend(map(str, values))
            except BaseException:
                # Python has written what comes before a value that cannot be printed.
                stream.write("".join(text + sep for text in texts))
                raise
            stream.write(sep.join(texts) + end)
        if flush:
            stream.flush()

    # As its TypeErrors name it.
    __call__.__qualname__ = "print"


def _input_with_advice() -> BuiltinFunction:
    plain_input = builtins.input

    def ask(prompt: object = "", /) -> str:
        try:
            return plain_input(prompt)
        except EOFError:
            if sys.stdin is not sys.__stdin__:
                raise
            raise EOFError(
                "input() is not available in a run: put the value into the code"
            ) from None

    return BuiltinFunction(plain_input, ask)
