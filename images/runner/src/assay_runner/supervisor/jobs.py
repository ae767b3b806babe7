"""The jobs that a Pod may be given: one class for each kind, here those that read datasets."""

from __future__ import annotations

import re
from typing import NamedTuple, Self

from assay_runner.supervisor.job import MAX_CODE_BYTES, Job, Limits
from assay_runner.supervisor.members import MAX_NAME_BYTES, Members, malformed
from assay_runner.supervisor.snapshot_job import SnapshotJob

MAX_DATASETS = 256
MAX_REPLY_ROWS = 1000
BUILTINS = ("profile", "sample")
_MAX_DISPLAY_NAME_BYTES = 253
_DATASET_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
_DISPLAY_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9 ._-]*[A-Za-z0-9])?")


class Dataset(NamedTuple):
    """A dataset that a job reads.

    Attributes:
        name: of its directory below `/datasets`.
        display_name: the name that its owner wrote.
    """

    name: str
    display_name: str

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take a dataset apart."""
        name = members.text("name", MAX_NAME_BYTES)
        if not _DATASET_NAME.fullmatch(name):
            malformed("name is not the name of a dataset")
        if not members.has("displayName"):
            return cls(name, name)
        display_name = members.text("displayName", _MAX_DISPLAY_NAME_BYTES)
        if not _DISPLAY_NAME.fullmatch(display_name):
            malformed("displayName is not the name of a dataset")
        return cls(name, display_name)


class Query(NamedTuple):
    """What jobs have in common that read datasets.

    Attributes:
        datasets: those that the job reads, in order; None for those of the worker's command.
        input: the parameters of the query, as JSON; None if it has none.
        reply_rows: how many rows the caller will be shown; None if no value is wanted.
    """

    datasets: tuple[Dataset, ...] | None = None
    input: str | None = None
    reply_rows: int | None = None

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take the members apart, each of which may be missing."""
        datasets = None
        if members.has("datasets"):
            datasets = members.objects("datasets", MAX_DATASETS, Dataset.take)
            if len({dataset.name for dataset in datasets}) != len(datasets):
                malformed("datasets names one twice")
        text = members.json_text("input") if members.has("input") else None
        rows = None
        if members.has("reply"):
            reply = members.object("reply")
            rows = reply.number("rows", 1, MAX_REPLY_ROWS)
            reply.end()
        return cls(datasets, text, rows)

    def message(self) -> dict[str, object]:
        """Return what the worker is told; what is missing is None."""
        datasets = None
        if self.datasets is not None:
            datasets = [
                {"name": dataset.name, "displayName": dataset.display_name}
                for dataset in self.datasets
            ]
        reply = None if self.reply_rows is None else {"rows": self.reply_rows}
        return {"input": self.input, "datasets": datasets, "reply": reply}


class CodeJob(NamedTuple):
    """Code to run."""

    limits: Limits
    code: str
    query: Query

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        code = members.text("code", MAX_CODE_BYTES, may_be_empty=True)
        return cls(limits, code, Query.take(members))

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"code": self.code, **self.query.message()}


class PythonJob(CodeJob):
    """A script, which returns a value only if the job has a reply."""

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "python"

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        job = super().take(members, limits)
        if job.query.input is not None and job.query.reply_rows is None:
            malformed("input needs reply")
        return job


class _ValueJob(CodeJob):
    """Code that always returns a value."""

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        job = super().take(members, limits)
        if job.query.datasets is None:
            malformed("job has no datasets")
        if job.query.reply_rows is None:
            malformed("job has no reply")
        return job


class PolarsJob(_ValueJob):
    """A Polars expression, or statements."""

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "polars"


class SqlJob(_ValueJob):
    """SQL statements."""

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "sql"


class BuiltinJob(NamedTuple):
    """A function of the worker.

    Attributes:
        name: one of `BUILTINS`.
        query: its datasets, and its arguments as input.
    """

    limits: Limits
    name: str
    query: Query

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "builtin"

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        name = members.one_of("name", BUILTINS)
        query = Query.take(members)
        if query.datasets is None:
            malformed("job has no datasets")
        if query.reply_rows is not None:
            malformed("job has an unknown member 'reply'")
        return cls(limits, name, query)

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"name": self.name, **self.query.message()}


KINDS: dict[str, type[Job]] = {
    "python": PythonJob,
    "polars": PolarsJob,
    "sql": SqlJob,
    "builtin": BuiltinJob,
    "snapshot": SnapshotJob,
}
"""The jobs by kind."""


def take_job(members: Members) -> Job:
    """Take a job apart.

    Raises:
        Refusal: Malformed.
    """
    kind = members.text("kind", MAX_NAME_BYTES)
    if kind not in KINDS:
        malformed("job.kind is unknown")
    job = KINDS[kind].take(members, Limits.take(members.object("limits")))
    members.end()
    return job
