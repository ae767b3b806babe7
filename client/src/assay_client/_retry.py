"""How often a request that may be repeated is, and when."""

from __future__ import annotations

import time
from collections.abc import Callable

from assay_client._errors import AssayError

_ATTEMPTS = 30
_MAX_DELAY = 5.0
#: An endpoint may ask for a longer delay than what comes of itself, but not for any.
_MAX_RETRY_AFTER = 60.0


class Retries:
    """The attempts at one request: for about two minutes, as long as nothing comes.

    Args:
        sleep: waits for seconds.
    """

    def __init__(self, sleep: Callable[[float], None] | None = None) -> None:
        self._sleep = sleep or time.sleep
        self._attempts = 0

    def await_next(self, failure: AssayError, *, has_progressed: bool = False) -> None:
        """Waits until the next attempt is due; raises the failure where there is none.

        Args:
            failure: of the last attempt.
            has_progressed: whether that attempt received something.
        """
        self._attempts = 1 if has_progressed else self._attempts + 1
        if not failure.is_temporary or self._attempts == _ATTEMPTS:
            raise failure
        delay = min(0.25 * 2.0 ** (self._attempts - 1), _MAX_DELAY)
        self._sleep(min(failure.retry_after or delay, _MAX_RETRY_AFTER))
