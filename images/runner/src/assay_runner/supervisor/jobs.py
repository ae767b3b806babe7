"""The jobs that a Pod may be given: one class for each kind, here those that run code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, Self

from assay_runner.artifact_paths import MAX_PATH_BYTES, fault
from assay_runner.supervisor.job import MAX_CODE_BYTES, Job, Limits
from assay_runner.supervisor.job_files import JobFiles
from assay_runner.supervisor.members import MAX_NAME_BYTES, Members, malformed
from assay_runner.supervisor.snapshot_job import SnapshotJob
from assay_runner.supervisor.tools import Tools, take_tools, tools_message

MAX_DATASETS = 256
MAX_REPLY_ROWS = 1000
BUILTINS = ("profile", "sample", "export")
LANGUAGES = ("javascript", "typescript")
CHARTS = ("bar", "line", "scatter", "histogram", "heatmap")
_MAX_DISPLAY_NAME_BYTES = 253
_MAX_TEXTS_BYTES = 2 * MAX_CODE_BYTES
_MODES = ("code",)
_MAX_MODULES = 256
_MAX_SCRIPT_NAME_BYTES = 128
_SCRIPT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ALL_FILES = ("files", "inputs", "keep", "collect")
_TABLE_FILES = ("files", "inputs", "collect")
_MAX_TIME_ZONE_BYTES = 64
_TIME_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*")
_DATASET_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
_DISPLAY_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9 ._-]*[A-Za-z0-9])?")


class Dataset(NamedTuple):
    """A dataset that a job reads.

    Attributes:
        name: of its directory below `/datasets`.
        display_name: the name that its owner wrote.
        path: of its snapshot, below the directory of all snapshots; None where the worker's
            container mounts it.
    """

    name: str
    display_name: str
    path: str | None = None

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take a dataset apart."""
        name = members.text("name", MAX_NAME_BYTES)
        if not _DATASET_NAME.fullmatch(name):
            malformed("name is not the name of a dataset")
        display_name = name
        if members.has("displayName"):
            display_name = members.text("displayName", _MAX_DISPLAY_NAME_BYTES)
            if not _DISPLAY_NAME.fullmatch(display_name):
                malformed("displayName is not the name of a dataset")
        path = None
        if members.has("path"):
            path = members.text("path", MAX_PATH_BYTES)
            if (wrong := fault(path)) is not None:
                malformed(f"path {wrong}")
        return cls(name, display_name, path)


class Reply(NamedTuple):
    """The value that is wanted of a job.

    Attributes:
        rows: how many rows the caller will be shown.
        chart: the chart of them, with its type or None if the type is to be chosen.
        time_zone: in which SQL counts days; None for that of the datasets.
    """

    rows: int
    chart: Mapping[str, str | None] | None = None
    time_zone: str | None = None

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take a reply apart."""
        rows = members.number("rows", 1, MAX_REPLY_ROWS)
        chart = None
        if members.has("chart"):
            wanted = members.object("chart")
            chart = {"type": wanted.one_of("type", CHARTS) if wanted.has_value("type") else None}
            wanted.end()
        zone = None
        if members.has("timeZone"):
            zone = members.text("timeZone", _MAX_TIME_ZONE_BYTES)
            if not _TIME_ZONE.fullmatch(zone):
                malformed("timeZone is not the name of a time zone")
        members.end()
        return cls(rows, chart, zone)

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"rows": self.rows, "chart": self.chart, "timeZone": self.time_zone}


class Query(NamedTuple):
    """What jobs have in common that read datasets.

    Attributes:
        datasets: those that the job reads, in order; None for those of the worker's command.
        input: the parameters of the query, as JSON; None if it has none.
        reply: the value that is wanted; None if none is.
    """

    datasets: tuple[Dataset, ...] | None = None
    input: str | None = None
    reply: Reply | None = None

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take the members apart, each of which may be missing."""
        datasets = None
        if members.has("datasets"):
            datasets = members.objects("datasets", MAX_DATASETS, Dataset.take)
            if len({dataset.name for dataset in datasets}) != len(datasets):
                malformed("datasets names one twice")
            if len({dataset.path is None for dataset in datasets}) > 1:
                malformed("either all datasets have a path, or none")
        text = members.json_text("input") if members.has("input") else None
        reply = Reply.take(members.object("reply")) if members.has("reply") else None
        return cls(datasets, text, reply)

    def message(self) -> dict[str, object]:
        """Return what the worker is told; what is missing is None."""
        datasets = None
        if self.datasets is not None:
            datasets = [
                {"name": dataset.name, "displayName": dataset.display_name}
                for dataset in self.datasets
            ]
        reply = None if self.reply is None else self.reply.message()
        return {"input": self.input, "datasets": datasets, "reply": reply}


class CodeMode(NamedTuple):
    """How Python code is run.

    Attributes:
        mode: `code`, or None.
        script_name: what code mode calls the script; None for its usual name.
        guard: modules that code may import in addition; None if its imports are not checked.
    """

    mode: str | None = None
    script_name: str | None = None
    guard: tuple[str, ...] | None = None

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take the members apart, each of which may be missing."""
        mode = members.one_of("mode", _MODES) if members.has("mode") else None
        script_name = guard = None
        if mode is not None and members.has("scriptName"):
            script_name = members.text("scriptName", _MAX_SCRIPT_NAME_BYTES)
            if not _SCRIPT_NAME.fullmatch(script_name):
                malformed("scriptName is not the name of a script")
        if members.has("guard"):
            policy = members.object("guard")
            guard = policy.texts("allowedModules", _MAX_MODULES, MAX_NAME_BYTES)
            policy.end()
        return cls(mode, script_name, guard)

    def message(self) -> dict[str, object]:
        """Return what the worker is told; what is missing is None."""
        guard = None if self.guard is None else {"allowedModules": self.guard}
        return {"mode": self.mode, "scriptName": self.script_name, "guard": guard}


class CodeJob(NamedTuple):
    """Code to run."""

    limits: Limits
    code: str
    query: Query
    files: JobFiles = JobFiles()
    mode: CodeMode = CodeMode()
    tools: Tools | None = None

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        code = members.text("code", MAX_CODE_BYTES, may_be_empty=True)
        query = Query.take(members)
        files = JobFiles.take(members, cls.file_members())
        texts = len(code.encode()) + len((query.input or "").encode()) + files.text_bytes
        if texts > _MAX_TEXTS_BYTES:
            malformed(f"code, input and files are over {_MAX_TEXTS_BYTES} bytes together")
        has_zone = query.reply is not None and query.reply.time_zone is not None
        if has_zone and not cls.may_have_time_zone():
            malformed("timeZone is for jobs of sql")
        return cls(limits, code, query, files)

    @staticmethod
    def may_have_time_zone() -> bool:
        """Return whether its reply may name a time zone."""
        return False

    @staticmethod
    def file_members() -> tuple[str, ...]:
        """Return the members about files that this kind of job may have."""
        return _ALL_FILES

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"code": self.code, **self.query.message(), **self.files.message()}


class PythonJob(CodeJob):
    """A script, which returns a value only if the job has a reply."""

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "python"

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        mode, tools = CodeMode.take(members), take_tools(members)
        job = super().take(members, limits)._replace(mode=mode, tools=tools)
        if job.query.input is not None and job.query.reply is None:
            malformed("input needs reply")
        if mode.mode is not None and job.query.reply is not None:
            malformed("mode and reply exclude each other")
        return job

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {**super().message(), **self.mode.message(), **tools_message(self.tools)}


class _ValueJob(CodeJob):
    """Code that always returns a value."""

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        job = super().take(members, limits)
        if job.query.datasets is None:
            malformed("job has no datasets")
        if job.query.reply is None:
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

    @staticmethod
    def may_have_time_zone() -> bool:
        """Return whether its reply may name a time zone."""
        return True

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "sql"

    @staticmethod
    def file_members() -> tuple[str, ...]:
        """Return the members about files that this kind of job may have."""
        return _TABLE_FILES


class BuiltinJob(NamedTuple):
    """A function of the worker.

    Attributes:
        name: one of `BUILTINS`.
        query: its datasets, and its arguments as input.
    """

    limits: Limits
    name: str
    query: Query
    files: JobFiles = JobFiles()

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
        if query.reply is not None:
            malformed("job has an unknown member 'reply'")
        return cls(limits, name, query, JobFiles.take(members, _TABLE_FILES))

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"name": self.name, **self.query.message(), **self.files.message()}


class JavaScriptJob(NamedTuple):
    """A script, which returns a value.

    Attributes:
        code: the script.
        language: one of `LANGUAGES`.
        input: the variable `input`, as JSON; None for an empty object.
        tools: None if it may call no tools.
    """

    limits: Limits
    code: str
    language: str
    input: str | None = None
    tools: Tools | None = None

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""
        return "javascript"

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job."""
        code = members.text("code", MAX_CODE_BYTES, may_be_empty=True)
        language = members.one_of("language", LANGUAGES)
        text = members.json_text("input") if members.has("input") else None
        return cls(limits, code, language, text, take_tools(members))

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        message = {"code": self.code, "language": self.language, "input": self.input}
        return {**message, **tools_message(self.tools)}


KINDS: dict[str, type[Job]] = {
    "python": PythonJob,
    "polars": PolarsJob,
    "sql": SqlJob,
    "builtin": BuiltinJob,
    "javascript": JavaScriptJob,
    "snapshot": SnapshotJob,
}
"""The jobs by kind."""


def datasets_of(job: Job) -> tuple[Dataset, ...]:
    """Return the datasets of a job; kinds without such a member have none."""
    query = getattr(job, "query", None)
    return (query.datasets or ()) if isinstance(query, Query) else ()


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
