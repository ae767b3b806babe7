"""Kinds of job for tests, each with a worker of its own: the program `KIND_worker.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple, Self

from assay_runner.supervisor.job import Limits
from assay_runner.supervisor.jobs import KINDS
from assay_runner.supervisor.members import Members
from assay_runner.workers import WORKERS, Worker


class _InputJob(NamedTuple):
    """A job of which the worker is told the input."""

    limits: Limits
    input: str

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        return cls(limits, members.json_text("input"))

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"input": self.input}


class EchoJob(_InputJob):
    """A job that returns its input."""

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "echo"


class AskingJob(_InputJob):
    """A job that asks the operator."""

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "asking"


def register() -> None:
    """Add the kinds and their workers to the tables of this process."""
    KINDS["echo"] = EchoJob
    KINDS["asking"] = AskingJob
    WORKERS["echo"] = _worker("echo")
    WORKERS["asking"] = _worker("asking")._replace(makes_calls=True)


def _worker(kind: str) -> Worker:
    program = Path(__file__).with_name(f"{kind}_worker.py").resolve()
    return Worker(
        kinds=(kind,),
        command=(sys.executable, "-I", str(program)),
        environment={},
        control_fd=0,
        flushes=False,
    )
