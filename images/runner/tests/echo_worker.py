"""A worker for tests, which returns the input of its job.

Its control socket is its standard input, as that of a program which is not in Python would be.
"""

from __future__ import annotations

import sys

from assay_runner.control import Control


def run_worker() -> None:
    """Return the input of one job, or an error that has it as its code."""
    control = Control(0)
    control.ready(imports_ms=0, dataset_ms=0)
    job = control.receive()
    assert job is not None
    control.started()
    if job["input"] == '"fail"':
        error = {"type": "EchoError", "message": "failed", "code": "ECHO_FAILED"}
        control.result(error)
        sys.exit(1)
    control.result(None, json_text=job["input"])


if __name__ == "__main__":
    run_worker()
