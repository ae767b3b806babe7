"""Describes an exception of user code as the user's own Python would, without our frames."""

from __future__ import annotations

import os
import traceback
from types import CodeType, TracebackType

from assay_runner.frames import Message
from assay_runner.text import MAX_MESSAGE_BYTES, MAX_TRACEBACK_BYTES, cut_middle

FILENAME = "<string>"
_RUNNER_DIRECTORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def describe(error: BaseException, user_code: frozenset[CodeType]) -> Message:
    """Return the `error` member of a result.

    Args:
        error: what the user's code raised, or what compiling it did.
        user_code: all code objects compiled from the user's text. Other code is called
            "<string>" too, that of dataclasses for one, but its lines are not the user's.
    """
    return {
        "type": type(error).__name__,
        "message": cut_middle(_text(error), MAX_MESSAGE_BYTES),
        "line": _line(error, user_code),
        "traceback": _traceback(error, user_code),
    }


def all_code(code: CodeType) -> frozenset[CodeType]:
    """Return a code object and all those nested in it."""
    found = {code}
    pending = [code]
    while pending:
        for constant in pending.pop().co_consts:
            if isinstance(constant, CodeType) and constant not in found:
                found.add(constant)
                pending.append(constant)
    return frozenset(found)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException as problem:  # __str__ is user code too.
        return f"<{type(error).__name__}.__str__ raised {type(problem).__name__}>"


def _line(error: BaseException, user_code: frozenset[CodeType]) -> int | None:
    line = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code in user_code:
            line = number
    if line is None and isinstance(error, SyntaxError) and error.filename == FILENAME:
        line = error.lineno
    return line


def _traceback(error: BaseException, user_code: frozenset[CodeType]) -> str | None:
    try:
        summary = traceback.TracebackException.from_exception(error, compact=True)
        _clean(summary, error, user_code, set())
        text = "".join(summary.format())
    except Exception:
        return None  # Hostile or very deep; type and message are still told.
    return cut_middle(text.rstrip("\n"), MAX_TRACEBACK_BYTES)


def _clean(
    summary: traceback.TracebackException,
    error: BaseException,
    user_code: frozenset[CodeType],
    seen: set[int],
) -> None:
    """Take our own frames out, and the source lines of code that only shares the file name."""
    if id(error) in seen:
        return
    seen.add(id(error))
    summary.stack = traceback.StackSummary.from_list(
        [
            shown
            for code, frame in _frames(error.__traceback__, summary.stack)
            if (shown := _shown(code, frame, user_code)) is not None
        ]
    )
    for inner_summary, inner in (
        (summary.__cause__, error.__cause__),
        (summary.__context__, error.__context__),
    ):
        if inner_summary is not None and inner is not None:
            _clean(inner_summary, inner, user_code, seen)
    if isinstance(error, BaseExceptionGroup) and summary.exceptions:
        for member_summary, member in zip(summary.exceptions, error.exceptions, strict=False):
            _clean(member_summary, member, user_code, seen)


def _frames(
    trace: TracebackType | None, stack: traceback.StackSummary
) -> list[tuple[CodeType, traceback.FrameSummary]]:
    codes = [frame.f_code for frame, _ in traceback.walk_tb(trace)]
    return list(zip(codes, stack, strict=False))


def _shown(
    code: CodeType, frame: traceback.FrameSummary, user_code: frozenset[CodeType]
) -> traceback.FrameSummary | None:
    if frame.filename.startswith(_RUNNER_DIRECTORY):
        return None
    if frame.filename == FILENAME and code not in user_code:
        return traceback.FrameSummary(
            frame.filename, frame.lineno or 0, frame.name, lookup_line=False, line=""
        )
    return frame
