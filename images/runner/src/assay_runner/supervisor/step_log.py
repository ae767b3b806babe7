"""The supervisor's own log: lines of JSON on stderr, each of an event that happens at most once."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping

_STDERR = 2


def write_record(event: str, *, run_uid: str, pod_uid: str) -> None:
    """Write one line.

    Args:
        event: `staged`, `sent` (said before the job goes to the worker, so that no code runs
            without this line) or `started` (the worker has announced its first instruction).
        run_uid: UID of the run.
        pod_uid: UID of this Pod.
    """
    _write({"event": event, "runUid": run_uid, "podUid": pod_uid})


def write_small_pipe(*, pod_uid: str, size: int, reason: str) -> None:
    """Write a line on an output pipe that is smaller than it should be.

    Args:
        pod_uid: UID of this Pod.
        size: bytes that the pipe holds.
        reason: why it holds no more, in the system's words.
    """
    _write({"event": "smallPipe", "podUid": pod_uid, "bytes": size, "reason": reason})


def _write(members: Mapping[str, object]) -> None:
    record = {**members, "atMs": time.time_ns() // 1_000_000}
    # One write, so that no line is torn; a log that nobody takes must not end the run.
    with contextlib.suppress(OSError):
        os.write(_STDERR, json.dumps(record, separators=(",", ":")).encode() + b"\n")
