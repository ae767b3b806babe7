"""A kind of job for tests: it returns its input. As a worker, it is the program of these jobs.

Its control socket is its standard input, as that of a program which is not in Python would be.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, Self

from assay_runner.control import Control
from assay_runner.supervisor.jobs import KINDS, Limits
from assay_runner.supervisor.members import Members
from assay_runner.workers import WORKERS, Worker


class EchoJob(NamedTuple):
    """A job that returns its input."""

    limits: Limits
    input: str

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "echo"

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        return cls(limits, members.json_text("input"))

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"input": self.input}


def register() -> None:
    """Add the kind and its worker to the tables of this process."""
    KINDS["echo"] = EchoJob
    WORKERS["echo"] = Worker(
        kinds=("echo",),
        command=(sys.executable, "-I", os.path.abspath(__file__)),
        environment={},
        control_fd=0,
        flushes=False,
    )


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
