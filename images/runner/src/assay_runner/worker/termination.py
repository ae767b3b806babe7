"""A worker that is asked to end writes out what user code has printed, and ends."""

from __future__ import annotations

import os
import signal
import threading

from assay_runner.worker import streams


def install() -> None:
    """On SIGTERM write out what was printed, then end by that signal.

    That holds for this process. Those that it forks end at once, as Python's do: a handler in
    Python is not run while its process waits in a system call that it began a moment before, so a
    `multiprocessing.Pool` could wait for its processes for ever.
    """
    signal.signal(signal.SIGTERM, _terminate)
    mask = threading.local()

    def hold_back() -> None:
        # A signal that comes before the child has its own handling would be lost.
        mask.before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def let_through() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask.before)

    def end_at_once() -> None:
        if signal.getsignal(signal.SIGTERM) is _terminate:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        let_through()

    os.register_at_fork(before=hold_back, after_in_parent=let_through, after_in_child=end_at_once)


def _terminate(number: int, _frame: object) -> None:
    streams.flush()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
