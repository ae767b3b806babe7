"""Reports how the script ended, and shortens the interpreter's shutdown."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import threading
import types
import weakref
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from assay_runner.control import Control
from assay_runner.frames import Message
from assay_runner.worker.builtin_function import BuiltinFunction
from assay_runner.worker.errors import describe, describe_exit
from assay_runner.worker.library_threads import thread_ids, wait_for_threads
from assay_runner.worker.quick_end import EndMarker, count_loaded_libraries, skip_exit_handlers

# Address space only: nothing is ever written to it.
_RESERVE_BYTES = 8 * 1024 * 1024
# Keeps modules alive that are no longer in sys.modules: frozen objects are never collected.
_loaded: dict[str, types.ModuleType] = {}


class _Exit(NamedTuple):
    code: int
    error: Message


class ScriptEnd:
    """Sends the result when the script, its threads and its exit handlers are done.

    For a query, `explain` completes the description of an error and returns what is the value then;
    `value` returns that of a query that has succeeded. `keep` keeps frames, after the result, and
    returns what was not kept. `save_figures` saves those that the script leaves, after the
    result. `main` returns the
    module that the script runs in, which nothing else may keep alive at the end.

    Python calls the excepthook for every exception that ends the script except SystemExit, which
    leaves only an exit code. So `sys.exit` and `exit` record where they were called.

    Args:
        control: the connection to the supervisor.
        script: path of the script.
    """

    def __init__(self, control: Control, script: str) -> None:
        self._control = control
        self._script = script
        self._pid = os.getpid()
        self._reserve: bytearray | None = None
        self._listener = 0
        self._error: Message | None = None
        self._exit: _Exit | None = None
        self._is_ended_by_error = False
        self._failure: str | None = None
        self.explain: Callable[[BaseException, Message], str] | None = None
        self.value: Callable[[], str | None] = lambda: None
        self.keep: Callable[[], str | None] | None = None
        self.save_figures: Callable[[], None] = lambda: None
        self.query_succeeded: Callable[[], bool] = lambda: False
        self.main: Callable[[], types.ModuleType | None] = lambda: None
        # Not a reference, which would keep it from being destroyed.
        self._marker = weakref.ref(EndMarker())
        self._streams = (sys.stdout, sys.stderr)
        self._libraries: int | None = None
        self._idle_threads: frozenset[str] | None = None
        atexit.register(self._finish)

    def note_idle_threads(self) -> None:
        """Note the threads that exist, which libraries start on import and which run no Python."""
        with contextlib.suppress(OSError):
            self._idle_threads = thread_ids()

    def prepare(self) -> None:
        """Do before the job what takes a while, so that the code does not wait for it.

        Allocates what is released when memory runs out, which takes some milliseconds.
        """
        self._reserve = bytearray(_RESERVE_BYTES)
        _loaded.update(sys.modules)
        # The first callback from C is the slow one.
        count_loaded_libraries()

    def expect(self, listener: int) -> None:
        """Prepare for the end of a script that is about to start.

        Freezes all existing objects, so that the garbage collector skips them at the end, and has
        the exit handlers of the libraries skipped.

        Args:
            listener: identity of the only thread that does not belong to the script.
        """
        self._listener = listener
        sys.excepthook = self._record
        self._watch_exits()
        skip_exit_handlers()
        self._libraries = count_loaded_libraries()
        # Modules were only added since `prepare`.
        if len(_loaded) != len(sys.modules):
            _loaded.update(sys.modules)
        gc.freeze()

    def refuse_null_byte(self, code: str) -> NoReturn:
        """End the process with the error that newer Python versions raise for a null byte."""
        line = code.count("\n", 0, code.index("\0")) + 1
        message = "source code cannot contain null bytes"
        self._control.result(
            describe(SyntaxError(message, (self._script, line, None, None)), self._script)
        )
        os._exit(1)

    def _record(
        self,
        error_type: type[BaseException],
        error: BaseException,
        trace: types.TracebackType | None,
    ) -> None:
        """Describe the error instead of printing it, so that it appears once.

        Prints it where the description could not be sent.
        """
        # Describing the error needs memory, which may have run out.
        self._reserve = None
        # Only the interpreter calls it without a frame of Python, when an exception has ended it.
        self._is_ended_by_error = sys._getframe().f_back is None
        if os.getpid() == self._pid and self._control.is_open():
            self._describe(error)
        else:
            sys.__excepthook__(error_type, error, trace)

    def _describe(self, error: BaseException) -> None:
        self._error = message = describe(error, self._script)
        if self.explain is not None:
            # Advice must not prevent the description.
            with contextlib.suppress(Exception):
                self._failure = self.explain(error, message)

    def _watch_exits(self) -> None:
        plain_exit = sys.exit

        def note_and_exit(status: object = None, /) -> NoReturn:
            # From here through BuiltinFunction to the caller.
            self._note_exit(status, sys._getframe(2))
            plain_exit(status)  # type: ignore[arg-type]

        sys.exit = BuiltinFunction(plain_exit, note_and_exit)
        with contextlib.suppress(ImportError):
            import _sitebuiltins

            plain_call = _sitebuiltins.Quitter.__call__

            def call(quitter: _sitebuiltins.Quitter, code: object = None) -> NoReturn:
                self._note_exit(code, sys._getframe(1))
                plain_call(quitter, code)  # type: ignore[arg-type]

            _sitebuiltins.Quitter.__call__ = call  # type: ignore[method-assign,assignment]

    def _note_exit(self, status: object, caller: types.FrameType) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._exit = None
        # Without stack or memory left, the exit continues unrecorded.
        with contextlib.suppress(Exception):
            if code := exit_code(status):
                self._exit = _Exit(code, describe_exit(status, caller, self._script))

    def _finish(self) -> None:
        if os.getpid() == self._pid:
            self._send_result()
            # A figure may be of a class of the user, and raise anything.
            with contextlib.suppress(BaseException):
                self.save_figures()
            if self.keep is not None:
                # The message of an error may be the code of a user, and raise another.
                with contextlib.suppress(BaseException):
                    self._control.kept(self.keep())
            # An error, such as one that a signal handler of the code raises, must not add to the
            # output.
            with contextlib.suppress(BaseException):
                self._wait_for_library_threads()
        # Daemon threads run on for a moment, and may import modules.
        if set(sys._current_frames()) <= {threading.get_ident(), self._listener}:
            _keep_libraries_loaded()
            # What prevents it must not add to the output: then the exit is waited for.
            with contextlib.suppress(Exception):
                self._announce_end()

    def _wait_for_library_threads(self) -> None:
        # One of them is the listener.
        if self._idle_threads is not None and len(thread_ids() - self._idle_threads) > 1:
            wait_for_threads()

    def _announce_end(self) -> None:
        """Have it reported that only the end of the process is left, if that is so.

        Libraries that the code has loaded may have exit handlers that write.
        """
        marker = self._marker()
        if marker is None or os.getpid() != self._pid or self._libraries is None:
            return
        has_loaded = count_loaded_libraries() != self._libraries
        code = self._known_exit_code()
        if not has_loaded and code is not None and self._flushes():
            marker.arm(self._control.report_of_end(code))

    def _known_exit_code(self) -> int | None:
        """Return the exit code if the script returned or printed its exception.

        Python removes these names then. Where SystemExit ends the script, Python exits before it
        does, and nothing else tells the exit code, except for a query that succeeded. A signal
        follows KeyboardInterrupt. An exception that code prints by itself ends no script.
        """
        if self.query_succeeded():
            return 0
        main, last = self.main(), getattr(sys, "last_value", None)
        if main is None or "__file__" in vars(main) or "__cached__" in vars(main):
            return None
        if last is None:
            return 0
        is_error = self._is_ended_by_error and not isinstance(last, KeyboardInterrupt)
        return 1 if is_error else None

    def _flushes(self) -> bool:
        """Whether Python will be able to flush its streams; if not, it exits with 120."""
        try:
            for stream in self._streams:
                stream.flush()
        except Exception:
            return False
        return (sys.stdout, sys.stderr) == self._streams

    def _send_result(self) -> None:
        # Python sets it for every exception that ends the script, even if the hook was replaced.
        last = getattr(sys, "last_value", None)
        if self._error is None and last is not None:
            self._describe(last)
        if self._error is not None or self._exit is None:
            json_text = self.value() if self._error is None else self._failure
            self._control.result(self._error, json_text=json_text)
        else:
            self._control.result(self._exit.error, only_with_exit_code=self._exit.code)


def exit_code(status: object) -> int:
    """Return the exit code that the operating system reports for `sys.exit(status)`."""
    if status is None:
        return 0
    if not isinstance(status, int):
        return 1
    # Python passes a C long to the system, and -1 for a number that does not fit.
    return int(status) & 0xFF if -(2**63) <= status < 2**63 else 0xFF


def _keep_libraries_loaded() -> None:
    """Unload the modules of the script as Python would, but keep those loaded before it.

    Tearing the libraries down takes longer than most scripts run.
    """
    for name, module in _loaded.items():
        if name not in ("builtins", "sys") and sys.modules.get(name) is module:
            sys.modules[name] = None  # type: ignore[assignment]
