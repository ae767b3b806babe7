"""Runs the user's code as the module `__main__`."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import importlib.machinery
import io
import linecache
import sys
import threading
import types
from collections.abc import Mapping
from dataclasses import dataclass

from assay_runner.frames import Message
from assay_runner.worker import streams
from assay_runner.worker.errors import FILENAME, all_code, describe

# Only address space until it is given back, since nothing is ever written to it.
_RESERVE_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class Outcome:
    """How the code ended: its error, if any, and the exit code of the process."""

    error: Message | None
    exit_code: int


def run(source: str, names: Mapping[str, object]) -> Outcome:
    """Compile and run code with some names bound beforehand.

    Returns when the code, its non-daemon threads and its exit handlers are done.
    """
    namespace = _main_module(names)
    source = source.removeprefix("\ufeff")
    # Cut where Python cuts lines, which is not where str.splitlines does. No modification time: the
    # entry is then kept for as long as the process lives.
    lines = io.StringIO(source, newline=None).readlines()
    linecache.cache[FILENAME] = (len(source), None, lines, FILENAME)
    user_code: frozenset[types.CodeType] = frozenset()
    reserve = bytearray(_RESERVE_BYTES)
    try:
        code = _compile(source)
        user_code = all_code(code)
        exec(code, namespace)  # noqa: S102 - this is what the process is for
        outcome = Outcome(None, 0)
    except SystemExit as request:
        del reserve
        outcome = _exit(request, user_code)
    except BaseException as error:  # User code may raise anything.
        # Where memory has run out, telling so needs some.
        del reserve
        outcome = Outcome(describe(error, user_code), 1)
    _end_interpreter()
    return outcome


def _compile(source: str) -> types.CodeType:
    if "\0" in source:
        line = source.count("\n", 0, source.index("\0")) + 1
        raise SyntaxError("code cannot contain null bytes", (FILENAME, line, None, None))
    try:
        return compile(source, FILENAME, "exec", dont_inherit=True)
    except MemoryError:
        # The parser says no more when its stack has overflowed.
        raise MemoryError("the code is nested too deeply, or there is too little memory") from None


def _main_module(names: Mapping[str, object]) -> dict[str, object]:
    """Make a fresh `__main__`, like that of `python -c`, so that pickling finds its classes."""
    module = types.ModuleType("__main__")
    module.__loader__ = importlib.machinery.BuiltinImporter
    namespace = vars(module)
    namespace["__builtins__"] = builtins
    namespace.update(names)
    sys.modules["__main__"] = module
    sys.argv = ["-c"]
    return namespace


def _exit(request: SystemExit, user_code: frozenset[types.CodeType]) -> Outcome:
    """Treat `sys.exit` as Python does: text goes to stderr and makes the exit code 1."""
    if request.code is None or request.code == 0:
        return Outcome(None, 0)
    if isinstance(request.code, int):
        return Outcome(describe(request, user_code), request.code & 0xFF)
    with contextlib.suppress(Exception):
        print(request.code, file=sys.stderr)
    return Outcome(describe(request, user_code), 1)


def _end_interpreter() -> None:
    """What Python does at its end, as far as user code can notice."""
    for step in (threading._shutdown, atexit._run_exitfuncs, streams.flush):  # type: ignore[attr-defined]
        with contextlib.suppress(BaseException):
            step()
