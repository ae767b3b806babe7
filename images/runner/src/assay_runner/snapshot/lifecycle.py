"""The snapshot worker's life: get ready, take one job, make the snapshot, end."""

from __future__ import annotations

import os
import time
from typing import NoReturn

from assay_runner.control import Control
from assay_runner.frames import Message
from assay_runner.text import MAX_MESSAGE_BYTES, cut_middle
from assay_runner.worker import streams


def run_worker(control: Control, began_at: float) -> NoReturn:
    """Make one snapshot and end the process.

    Args:
        control: the way to the supervisor.
        began_at: when the process began, on the monotonic clock.
    """
    streams.install()
    streams.exit_on_termination()
    from assay_runner.snapshot import making

    control.ready(imports_ms=round((time.monotonic() - began_at) * 1000), dataset_ms=0)
    job = control.wait_for_job()
    if job is None:
        os._exit(0)
    control.started()
    error: Message | None = None
    value: object = None
    try:
        value = making.make(
            job,
            snapshot_dir=os.environ.get("ASSAY_SNAPSHOT_DIR", "/snapshot"),
            source_dir=os.environ.get("ASSAY_SOURCE_DIR", "/source"),
        )
    except Exception as problem:
        error = _described(problem)
    streams.flush()
    control.result(error, value)
    os._exit(1 if error else 0)


def _described(problem: Exception) -> Message:
    """Tell the parser's own words, and nothing of the Pod that they were said in."""
    return {
        "type": type(problem).__name__,
        "message": cut_middle(str(problem), MAX_MESSAGE_BYTES),
        "line": None,
        "traceback": None,
    }
