"""The supervisor's own log: one line of JSON on stderr for each step that a run takes once."""

from __future__ import annotations

import contextlib
import json
import os
import time

_STDERR = 2


def write_record(event: str, *, run_uid: str, pod_uid: str) -> None:
    """Write one line.

    Args:
        event: `staged`, `sent` (said before the job goes to the worker, so that no code runs
            without this line) or `started` (the worker has announced its first instruction).
        run_uid: UID of the run.
        pod_uid: UID of this Pod.
    """
    record = {
        "event": event,
        "runUid": run_uid,
        "podUid": pod_uid,
        "atMs": time.time_ns() // 1_000_000,
    }
    # One write, so that no line is torn; a log that nobody takes must not end the run.
    with contextlib.suppress(OSError):
        os.write(_STDERR, json.dumps(record, separators=(",", ":")).encode() + b"\n")
