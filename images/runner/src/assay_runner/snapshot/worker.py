"""The snapshot worker: imports its libraries, takes one job, makes the snapshot, exits."""

from __future__ import annotations

import errno
import os
import time
import warnings
from typing import NoReturn

from assay_runner.control import Control
from assay_runner.frames import Message
from assay_runner.imports import gc_paused
from assay_runner.text import MAX_MESSAGE_BYTES, cut_middle
from assay_runner.worker import streams


def run_worker(control: Control, began_at: float) -> NoReturn:
    """Make one snapshot and end the process.

    Args:
        control: the connection to the supervisor.
        began_at: start of the process, on the monotonic clock.
    """
    streams.install()
    with gc_paused():
        from assay_runner.snapshot import build

    _silence_warnings_quoting_cells()
    control.ready(imports_ms=round((time.monotonic() - began_at) * 1000), dataset_ms=0)
    job = control.receive()
    if job is None:
        os._exit(0)
    control.started()
    error: Message | None = None
    value: object = None
    try:
        value = build.build_snapshot(
            job,
            snapshot_dir=os.environ.get("ASSAY_SNAPSHOT_DIR", "/snapshot"),
            source_dir=os.environ.get("ASSAY_SOURCE_DIR", "/source"),
        )
    except Exception as problem:
        error = describe_error(problem)
    streams.flush()
    control.result(error, value)
    os._exit(1 if error else 0)


def _silence_warnings_quoting_cells() -> None:
    """Silence all warnings except ParserWarning: others can quote cells."""
    from pandas.errors import ParserWarning

    warnings.simplefilter("ignore")
    warnings.simplefilter("always", ParserWarning)


def describe_error(problem: Exception) -> Message:
    """Describe an error without quoting the source's content or details of the Pod."""
    from assay_runner.options import OptionRefusedError
    from assay_runner.snapshot.reader_error import ReaderError
    from assay_runner.snapshot.source import SourceRefusedError
    from assay_runner.snapshot_files import SnapshotError

    name = type(problem).__name__
    if isinstance(problem, ReaderError):
        name, message = problem.type, str(problem)
    elif isinstance(problem, (OptionRefusedError, SourceRefusedError, SnapshotError)):
        message = str(problem)
    elif isinstance(problem, OSError) and problem.errno in (errno.ENOSPC, errno.EDQUOT):
        name, message = "VolumeFullError", "the volume of the snapshots is full"
    elif isinstance(problem, OSError):
        # An error of Arrow has no number, and its text may contain paths.
        number = problem.errno
        message = os.strerror(number) if number else "an error of the file system"
    else:
        message = (
            "The snapshot could not be created: load the dataset again, and ask the platform team"
            " for the Pod's log if it fails again."
        )
    return {
        "type": name,
        "message": cut_middle(message, MAX_MESSAGE_BYTES),
        "line": None,
        "traceback": None,
    }
