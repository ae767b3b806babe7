"""Waiting for a condition outside this process, with a limit."""

from __future__ import annotations

import time
from collections.abc import Callable

from cluster.errors import ClusterError


def wait_for(
    what: str,
    condition: Callable[[], bool],
    *,
    seconds: float,
    still_possible: Callable[[], bool] = lambda: True,
    hint: str = "",
) -> None:
    """Returns once `condition` holds.

    Raises ClusterError after `seconds`, or as soon as `still_possible` is false.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if not still_possible():
            raise ClusterError(f"{what}: its process ended{hint and '; see ' + hint}")
        if time.monotonic() > deadline:
            raise ClusterError(
                f"timed out waiting for {what} after {seconds:.0f} s{hint and '; see ' + hint}"
            )
        time.sleep(0.1)
