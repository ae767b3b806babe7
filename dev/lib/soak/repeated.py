"""Something that is done again and again, on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Repeated:
    """Calls an action from `start` to `stop`.

    Args:
        action: is not called after `stop` has returned.
        pause: returns the seconds until the next call.
    """

    def __init__(self, action: Callable[[], object], pause: Callable[[], float]) -> None:
        self._action = action
        self._pause = pause
        self._stopped = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin, with a pause."""
        self._thread.start()

    def stop(self) -> None:
        """Return when the last call has; raises, once, what ended the calls before."""
        self._stopped.set()
        self._thread.join()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _work(self) -> None:
        try:
            while not self._stopped.wait(self._pause()):
                self._action()
        except Exception as failure:
            self._failure = failure
