"""Describes an exception of the script as Python would print it, without the runner's frames."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from types import FrameType, TracebackType
from typing import Any

from assay_runner.frames import Message
from assay_runner.text import MAX_MESSAGE_BYTES, MAX_TRACEBACK_BYTES, cut_middle

_RUNNER_DIRECTORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_display = sys.__excepthook__
_OUT_OF_DEPTH = "the code is nested too deeply, or there is too little memory"


def describe(error: BaseException, script: str) -> Message:
    """Return the `error` member of a result.

    Args:
        error: what ended the script or prevented its compilation.
        script: path of the script; only its base name appears in the description.
    """
    message = _text(error)
    if isinstance(error, MemoryError) and error.__traceback__ is None:
        # The parser gives no message when its stack has overflowed.
        message = message or _OUT_OF_DEPTH
    line = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == script:
            line = number
    if line is None and isinstance(error, SyntaxError) and error.filename == script:
        line = error.lineno
    return _message(type(error).__name__, message, line, _traceback(error, script))


def describe_exit(status: object, caller: FrameType, script: str) -> Message:
    """Return the `error` member of a result for `sys.exit(status)`.

    Args:
        status: the argument of the call.
        caller: the frame that called it.
        script: path of the script.
    """
    return describe_stack("SystemExit", _text(status), caller, script)


def describe_stack(error_type: str, message: str, caller: FrameType, script: str) -> Message:
    """Return the `error` member of a result for what is no exception.

    Args:
        error_type: its name.
        message: what happened.
        caller: the frame in which it happened.
        script: path of the script.
    """
    stack = traceback.StackSummary.extract(traceback.walk_stack(caller))
    stack.reverse()
    lines = [frame.lineno for frame in stack if frame.filename == script]
    shown = "".join(_shown(stack, script).format())
    trace = f"Traceback (most recent call last):\n{shown}{error_type}: {message}"
    return _message(error_type, message, lines[-1] if lines else None, trace)


def _message(error_type: str, message: str, line: int | None, trace: str | None) -> Message:
    return {
        "type": error_type,
        "message": cut_middle(message, MAX_MESSAGE_BYTES),
        "line": line,
        "traceback": None if trace is None else cut_middle(trace, MAX_TRACEBACK_BYTES),
    }


def _text(error: object) -> str:
    try:
        return str(error)
    except BaseException as problem:  # __str__ is user code too.
        return f"<{type(error).__name__}.__str__ raised {type(problem).__name__}>"


def _traceback(error: BaseException, script: str) -> str | None:
    """Return what Python prints for the error.

    Only its own display has all of it, such as suggestions for misspelled names before Python 3.13.
    """
    printed = _Capture(getattr(sys, "stderr", None))
    try:
        _hide_runner(error)
        sys.stderr = printed
        _display(type(error), error, error.__traceback__)
    except Exception:
        return None  # Hostile or nested too deep; type and message remain.
    finally:
        sys.stderr = printed.replaced
    text = "".join(printed.pieces).replace(f'File "{script}"', f'File "{os.path.basename(script)}"')
    return text.rstrip("\n") or None


class _Capture:
    """Takes the place of a stream for the calling thread only."""

    def __init__(self, replaced: Any) -> None:  # noqa: ANN401 - code may have put anything there
        self.replaced = replaced
        self.pieces: list[str] = []
        self._thread = threading.get_ident()

    def write(self, text: str) -> int:
        """Keep text of the thread, and pass on that of others."""
        if threading.get_ident() == self._thread:
            self.pieces.append(text)
        elif self.replaced is not None:
            self.replaced.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush what was passed on."""
        if threading.get_ident() != self._thread and self.replaced is not None:
            self.replaced.flush()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of any type
        return getattr(self.replaced, name)


def _hide_runner(error: BaseException) -> None:
    """Remove the runner's frames from the tracebacks of an error, its causes and its group."""
    pending: list[BaseException | None] = [error]
    seen: set[int] = set()
    while pending:
        found = pending.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        frames = list(traceback.walk_tb(found.__traceback__))
        if any(_is_ours(frame) for frame, _ in frames):
            found.__traceback__ = _without_runner(found.__traceback__)
        pending += [found.__cause__, found.__context__]
        if isinstance(found, BaseExceptionGroup):
            pending += found.exceptions


def _without_runner(trace: TracebackType | None) -> TracebackType | None:
    kept = []
    while trace is not None:
        if not _is_ours(trace.tb_frame):
            kept.append(trace)
        trace = trace.tb_next
    result = None
    for entry in reversed(kept):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_RUNNER_DIRECTORY)


def _shown(stack: traceback.StackSummary, script: str) -> traceback.StackSummary:
    shown = [frame for frame in stack if not frame.filename.startswith(_RUNNER_DIRECTORY)]
    for frame in shown:
        if frame.filename == script:
            frame.filename = os.path.basename(script)
    return traceback.StackSummary.from_list(shown)
