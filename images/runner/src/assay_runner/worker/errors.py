"""Describes an exception of the script as Python would print it, without the runner's frames."""

from __future__ import annotations

import os
import traceback
from types import FrameType

from assay_runner.frames import Message
from assay_runner.text import MAX_MESSAGE_BYTES, MAX_TRACEBACK_BYTES, cut_middle

_RUNNER_DIRECTORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
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
    stack = traceback.StackSummary.extract(traceback.walk_stack(caller))
    stack.reverse()
    lines = [frame.lineno for frame in stack if frame.filename == script]
    message = _text(status)
    shown = "".join(_shown(stack, script).format())
    trace = f"Traceback (most recent call last):\n{shown}SystemExit: {message}"
    return _message("SystemExit", message, lines[-1] if lines else None, trace)


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
    try:
        summary = traceback.TracebackException.from_exception(error, compact=True)
        _clean(summary, script)
        text = "".join(summary.format())
    except Exception:
        return None  # Hostile or nested too deep; type and message remain.
    return text.rstrip("\n")


def _clean(summary: traceback.TracebackException, script: str) -> None:
    """Remove the runner's frames, also from causes, and shorten the script's path to its name."""
    summary.stack = _shown(summary.stack, script)
    if getattr(summary, "filename", None) == script:
        summary.filename = os.path.basename(script)  # Of a SyntaxError.
    for inner in (summary.__cause__, summary.__context__, *(summary.exceptions or ())):
        if inner is not None:
            _clean(inner, script)


def _shown(stack: traceback.StackSummary, script: str) -> traceback.StackSummary:
    shown = [frame for frame in stack if not frame.filename.startswith(_RUNNER_DIRECTORY)]
    for frame in shown:
        if frame.filename == script:
            frame.filename = os.path.basename(script)
    return traceback.StackSummary.from_list(shown)
