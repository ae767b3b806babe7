"""The supervisor's log: JSON lines on stderr, at most one for each kind of event."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping

_STDERR = 2


def write_step(event: str, *, run_uid: str, pod_uid: str, at_ms: int) -> None:
    """Log a step of the run.

    Args:
        event: `staged`, `sent` (written before the job goes to the worker, so that no code runs
            without this line) or `started` (the worker has announced its first instruction).
        run_uid: UID of the run.
        pod_uid: UID of this Pod.
        at_ms: when it happened, in milliseconds since the epoch.
    """
    _write({"event": event, "runUid": run_uid, "podUid": pod_uid}, at_ms)


def write_small_pipe(*, pod_uid: str, size: int, reason: str) -> None:
    """Log that the output pipe is smaller than requested.

    Args:
        pod_uid: UID of this Pod.
        size: capacity of the pipe in bytes.
        reason: the system's error message.
    """
    record = {"event": "smallPipe", "podUid": pod_uid, "bytes": size, "reason": reason}
    _write(record, time.time_ns() // 1_000_000)


def _write(members: Mapping[str, object], at_ms: int) -> None:
    record = {**members, "atMs": at_ms}
    # One write, so that lines are not mixed. A broken log must not fail the run.
    with contextlib.suppress(OSError):
        os.write(_STDERR, json.dumps(record, separators=(",", ":")).encode() + b"\n")
