"""Flushes buffered output and writes the stack when the time limit is reached, before SIGTERM."""

from __future__ import annotations

import _thread
import contextlib
import faulthandler
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay_runner.control import Control, move_away
from assay_runner.stack import SIGNAL, STACK_FD
from assay_runner.worker import streams

if TYPE_CHECKING:
    from assay_runner.worker.tool_calls import ToolCalls


def listen(
    control: Control, partial: Callable[[], str | None], tools: ToolCalls | None = None
) -> int:
    """Prepare for `stop`: flush, write the stack and return what there is of a value.

    Returns the identity of the thread that does this.

    A thread can do this while the main thread is blocked in a system call or computes in a library;
    a signal handler cannot. SIGTERM keeps Python's default behaviour, in forked processes too. The
    thread is not a `threading` one, so user code does not see it in `threading.enumerate()`.

    It cannot while a library does not let other Python code run: then the launcher sends a signal,
    whose handler in C writes the stack.

    Args:
        control: the connection to the supervisor.
        partial: returns a value before the code has ended, if there is one.
        tools: receives the results of the tools that code calls.
    """
    stack = move_away(STACK_FD)
    faulthandler.register(SIGNAL, file=stack, all_threads=True, chain=False)
    return _thread.start_new_thread(_flush_on_stop, (control, stack, partial, tools))


def _flush_on_stop(
    control: Control, stack: int, partial: Callable[[], str | None], tools: ToolCalls | None
) -> None:
    # User code may have closed the socket or written to it.
    with contextlib.suppress(Exception):
        message = control.receive()
        while tools is not None and message is not None and message.get("type") == "tool_result":
            tools.deliver(message)
            message = control.receive()
        if message is not None and message.get("type") == "stop":
            streams.flush()
            faulthandler.dump_traceback(stack, all_threads=True)
            with contextlib.suppress(Exception):
                value = partial()
                if value is not None:
                    control.result(None, json_text=value)
            control.stopped()
    if tools is not None:
        tools.disconnect()
