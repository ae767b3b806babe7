"""The end of the process once Python has finalized what the code has left.

The rest takes most of the end's time and changes nothing that can be seen: Python frees its own
tables, and C calls the exit handlers of all libraries, whose pages the kernel may have to read from
disk.
"""

from __future__ import annotations

import codecs
import contextlib
import ctypes
from collections.abc import Callable

_libc = ctypes.CDLL(None)
# The launcher has to read what this process has used, which it cannot once the kernel takes its
# memory back. Usually it needs less, and ends the process then.
_PAUSE_MICROSECONDS = 10_000


def skip_exit_handlers() -> None:
    """Have `exit` flush the streams of C and end the process.

    Skips the handlers that are registered by now, those of the preloaded libraries, and destructors
    of shared libraries. Handlers that are registered later run as ever, and before. Without the
    GNU C library, nothing is changed.
    """
    if hasattr(_libc, "on_exit"):
        # Called in reverse order. `on_exit` passes the exit status, `__cxa_atexit` its argument.
        _libc.on_exit(_libc._exit, None)
        _libc.__cxa_atexit(_libc.fflush, None, None)


class _LoadedObject(ctypes.Structure):
    _fields_ = (
        ("address", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("headers", ctypes.c_void_p),
        ("header_count", ctypes.c_uint16),
        ("loads", ctypes.c_ulonglong),
    )


_Visitor = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(_LoadedObject), ctypes.c_size_t, ctypes.c_void_p
)


def count_loaded_libraries() -> int | None:
    """Return how many shared libraries this process has loaded so far; None if nothing tells it."""
    counts: list[int] = []

    def visit(loaded: ctypes._Pointer[_LoadedObject], _size: int, _data: int | None) -> int:
        counts.append(int(loaded.contents.loads))
        return 1

    # The system may lack the function, or refuse the memory for a callback from C.
    with contextlib.suppress(AttributeError, OSError, MemoryError):
        _libc.dl_iterate_phdr(_Visitor(visit), None)
    return counts[0] if counts else None


class EndMarker:
    """Reports that Python has finalized the objects of the code and flushed its streams.

    Python has no hook for that. But it destroys its list of codecs then, and with it this object,
    which is registered as the last of them. Neither globals nor builtins are left at that time.

    Args:
        pause: microseconds between the report and the exit.
    """

    def __init__(self, pause: int = _PAUSE_MICROSECONDS) -> None:
        self._report: Callable[[], object] | None = None
        self._flush = _libc.fflush
        self._sleep = _libc.usleep
        self._pause = pause
        codecs.register(self)

    def __call__(self, _name: str) -> None:
        """Know no codec."""

    def arm(self, report: Callable[[], object] | None) -> None:
        """Have this called, which must need no module; without it, nothing is reported."""
        self._report = report

    def __del__(self) -> None:
        if self._report is not None:
            try:
                self._flush(None)
                self._report()
                self._sleep(self._pause)
            except:  # noqa: E722, S110 - no name is left; the exit of the process follows anyway
                pass
