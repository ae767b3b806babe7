"""What a job has in its working directory, and what is collected from there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple, Self

from assay_runner.artifact_paths import MAX_PATH_BYTES, fault
from assay_runner.supervisor.job import MAX_CODE_BYTES, Job
from assay_runner.supervisor.members import MAX_NAME_BYTES, Members, malformed
from assay_runner.workers import SCRIPT, WORK

MAX_FILES = 32
MAX_INPUTS = 512
MAX_FOLDERS = 32
MAX_ARTIFACTS = 128
MAX_KEPT = 16
_MAX_BYTES = 2**40
_FRAME_KINDS = ("arrow", "parquet")
_FRAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


class Collect(NamedTuple):
    """What is collected when the worker has ended.

    Attributes:
        folders: all regular files below them.
        files: further files.
        max_count: how many files.
        max_bytes: of all of them together.
        anywhere: whether files elsewhere in the working directory are collected too.
        given: paths of the files that the job has brought.
    """

    folders: tuple[str, ...]
    files: tuple[str, ...]
    max_count: int
    max_bytes: int
    anywhere: bool = False
    given: tuple[str, ...] = ()

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take the member apart."""
        return cls(
            folders=_paths(members, "folders", MAX_FOLDERS),
            files=_paths(members, "files", MAX_ARTIFACTS) if members.has("files") else (),
            max_count=members.number("maxCount", 0, MAX_ARTIFACTS),
            max_bytes=members.number("maxBytes", 0, _MAX_BYTES),
            anywhere=members.has("anywhere") and members.flag("anywhere"),
        )

    def message(self) -> dict[str, object]:
        """Return what launcher and worker are told."""
        return {
            "folders": self.folders,
            "files": self.files,
            "anywhere": self.anywhere,
            "given": self.given,
            "maxCount": self.max_count,
            "maxBytes": self.max_bytes,
        }


class File(NamedTuple):
    """A text that code finds under a path."""

    path: str
    text: str

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take a file apart."""
        return cls(_path(members), members.text("text", MAX_CODE_BYTES, may_be_empty=True))


class Input(NamedTuple):
    """A file that was received before: under a path, or as a frame.

    Attributes:
        number: its number.
        path: where code finds it; None for a frame.
        frame: the name of the frame; None for a file.
        kind: how the frame is stored.
    """

    number: int
    path: str | None
    frame: str | None
    kind: str | None

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take an input apart."""
        number = members.number("number", 1, MAX_INPUTS)
        if not members.has("frame"):
            return cls(number, _path(members), None, None)
        frame = members.text("frame", MAX_NAME_BYTES)
        if not _FRAME.fullmatch(frame):
            malformed("frame is not a name")
        return cls(number, None, frame, members.one_of("kind", _FRAME_KINDS))

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        if self.frame is None:
            return {"number": self.number, "path": self.path}
        return {"number": self.number, "frame": self.frame, "kind": self.kind}


class JobFiles(NamedTuple):
    """The files of a job.

    Attributes:
        files: texts that it brings.
        inputs: artifacts of earlier runs.
        keep: names of the frames that are kept at its end.
        collect: what is collected; None for nothing.
    """

    files: tuple[File, ...] = ()
    inputs: tuple[Input, ...] = ()
    keep: tuple[str, ...] = ()
    collect: Collect | None = None

    @classmethod
    def take(cls, members: Members, names: Collection[str]) -> Self:
        """Take the members apart, each of which may be missing.

        Args:
            members: of the job.
            names: those that this kind of job may have.
        """
        has = [name for name in names if members.has(name)]
        taken = cls(
            members.objects("files", MAX_FILES, File.take) if "files" in has else (),
            members.objects("inputs", MAX_INPUTS, Input.take) if "inputs" in has else (),
            members.texts("keep", MAX_KEPT, MAX_NAME_BYTES) if "keep" in has else (),
            _collect(members) if "collect" in has else None,
        )
        if taken.text_bytes > MAX_CODE_BYTES:
            malformed(f"files are over {MAX_CODE_BYTES} bytes together")
        paths = [file.path for file in taken.files]
        paths += [given.path for given in taken.inputs if given.path is not None]
        for path in paths:
            if path.split("/")[0] == WORK:
                malformed(f"files and inputs must not be in {WORK}")
        _check_paths(paths)
        if taken.collect is not None:
            given = tuple(file.path for file in taken.files)
            taken = taken._replace(collect=taken.collect._replace(given=given))
        numbers = [given.number for given in taken.inputs]
        frames = [(given.frame, given.kind) for given in taken.inputs if given.frame is not None]
        if len(set(numbers)) < len(numbers) or len(set(frames)) < len(frames):
            malformed("inputs has a number or a frame twice")
        for name in taken.keep:
            if not _FRAME.fullmatch(name):
                malformed("keep must have names")
        if taken.keep and taken.collect is None:
            malformed("keep needs collect")
        return taken

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        keep = None
        if self.keep and self.collect is not None:
            keep = {"names": self.keep, "maxBytes": self.collect.max_bytes}
        return {
            "files": [{"path": file.path, "text": file.text} for file in self.files],
            "inputs": [given.message() for given in self.inputs],
            "keep": keep,
            "collect": None if self.collect is None else self.collect.message(),
        }

    @property
    def input_numbers(self) -> frozenset[int]:
        """The numbers of the inputs."""
        return frozenset(given.number for given in self.inputs)

    @property
    def text_bytes(self) -> int:
        """The size of all texts in UTF-8."""
        return sum(len(file.text.encode()) for file in self.files)


def files_of(job: Job) -> JobFiles:
    """Return the files of a job; kinds without such members have none."""
    files = getattr(job, "files", None)
    return files if isinstance(files, JobFiles) else JobFiles()


def _collect(members: Members) -> Collect:
    collect = members.object("collect")
    taken = Collect.take(collect)
    collect.end()
    return taken


def _path(members: Members) -> str:
    path = members.text("path", MAX_PATH_BYTES)
    _check_path("path", path)
    return path


def _paths(members: Members, name: str, maximum: int) -> tuple[str, ...]:
    paths = members.texts(name, maximum, MAX_PATH_BYTES)
    for path in paths:
        _check_path(name, path)
    return paths


def _check_path(name: str, path: str) -> None:
    wrong = fault(path)
    if wrong is not None:
        malformed(f"{name} {wrong}")


def _check_paths(paths: Iterable[str]) -> None:
    """Refuse two files under one path, and a file where another needs a folder."""
    seen = {SCRIPT}
    for path in sorted(paths, key=lambda path: path.split("/")):
        parts = path.split("/")
        above = {"/".join(parts[:end]) for end in range(1, len(parts) + 1)}
        if above & seen:
            malformed("files and inputs have a path twice, or a file where a folder is needed")
        seen.add(path)
