"""Kinds of job for tests, each with a worker of its own: the program `KIND_worker.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple, Self

from assay_runner.supervisor.job import Limits
from assay_runner.supervisor.jobs import KINDS
from assay_runner.supervisor.members import Members
from assay_runner.supervisor.tools import Tools, take_tools
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


class CallingJob(NamedTuple):
    """A job that calls tools."""

    limits: Limits
    input: str
    tools: Tools | None

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "calling"

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        return cls(limits, members.json_text("input"), take_tools(members))

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"input": self.input}


def register() -> None:
    """Add the kinds and their workers to the tables of this process."""
    KINDS["echo"] = EchoJob
    KINDS["calling"] = CallingJob
    WORKERS["echo"] = _worker("echo")
    WORKERS["calling"] = _worker("calling")


def _worker(kind: str) -> Worker:
    program = Path(__file__).with_name(f"{kind}_worker.py").resolve()
    return Worker(
        kinds=(kind,),
        command=(sys.executable, "-I", str(program)),
        environment={},
        control_fd=0,
        flushes=False,
    )
