"""Uploads the tables of a folder when they are first named, and again when they have changed.

A dataset of the endpoint is replaced only if this program has uploaded it from the same file: what
it has uploaded is in a small file for each, below the user's state folder.
"""

from __future__ import annotations

import enum
import hashlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay_client import _http, _names
from assay_client._errors import AssayError
from assay_client._files import FileChanged, FileState, FileUpload
from assay_client._folder import Table
from assay_client._text import one_line, size, word

#: Half of what clients wait for a call, which has to be done afterwards.
PATIENCE_SECONDS = 30.0
_ATTEMPTS = 4
#: At once.
_MAX_UPLOADS = 4
_WAIT_SECONDS = 150.0
_ANSWER_SECONDS = 30.0
_REPORT_SECONDS = 1.0
_LOADING = {"Pending", "Uploading", "Loading"}


@dataclass(frozen=True)
class Record:
    """What was uploaded.

    Attributes:
        file: as it was then.
        created: when its dataset was created, which distinguishes it from a later one of its name.
        digest: that the endpoint reports; None if loading failed.
        is_adopted: whether another program has loaded the dataset, perhaps with options.
    """

    file: FileState
    created: str
    digest: str | None
    is_adopted: bool = False


class Step(enum.Enum):
    """What is to be done before a call may use a table."""

    USE = enum.auto()
    #: The dataset is this program's own, and has the content of the file.
    KEEP = enum.auto()
    #: Another program has loaded the same content.
    ADOPT = enum.auto()
    CREATE = enum.auto()
    REPLACE = enum.auto()
    WAIT = enum.auto()
    #: Loading failed, and the file is still the same.
    REPORT = enum.auto()
    REFUSE = enum.auto()


def decide(
    dataset: dict[str, Any] | None,
    record: Record | None,
    file: FileState,
    content: Callable[[], str | None],
) -> Step:
    """Decides by what is there.

    Args:
        dataset: of this name, as REST returns it; None if there is none.
        record: of the last upload of this file to this name.
        file: as it is now.
        content: computes the digest of the file, which takes time.
    """
    if dataset is None:
        return Step.CREATE
    phase = dataset.get("phase")
    if phase in _LOADING:
        return Step.WAIT
    is_own = record is not None and record.created == dataset.get("createdAt")
    is_same_file = record is not None and record.file == file
    if phase == "Failed":
        if not is_own:
            return Step.CREATE
        return Step.REPORT if is_same_file and record and record.digest is None else Step.REPLACE
    is_own = is_own and record is not None and record.digest == dataset.get("digest")
    if is_own and is_same_file:
        return Step.USE
    if dataset.get("digest") == content():
        return Step.KEEP if is_own and record and not record.is_adopted else Step.ADOPT
    # A key with `shared: all` could replace what belongs to another caller.
    is_others = dataset.get("own") is False
    return Step.REPLACE if is_own and not is_others else Step.REFUSE


def _loader(dataset: dict[str, Any]) -> str:
    """Who has loaded a dataset that this program has not."""
    own = dataset.get("own")
    if own is None:
        return "somebody"
    return "the caller of this key" if own else "another caller"


class _Job:
    """What is done for one table, in a thread of its own."""

    def __init__(self) -> None:
        self.over = threading.Event()
        # Until it is done, so that an unexpected end is not a success.
        self.error: AssayError | None = AssayError(
            "DatasetFailed", "the upload ended unexpectedly: retry"
        )
        self.progress: list[str] = []
        self.loader = ""


class Uploads:
    """Keeps the datasets of a folder up to date at an endpoint. Threads may share it.

    Args:
        endpoint: which gets the files.
        records: the folder of what was uploaded.
        say: gets sentences for people.
        sleep: waits for seconds.
    """

    def __init__(
        self,
        endpoint: _http.Endpoint,
        records: Path,
        say: Callable[[str], None],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint = endpoint
        self._records = records
        self._say = say
        self._sleep = sleep
        self._jobs: dict[str, _Job] = {}
        self._left_alone: set[str] = set()
        self._remarked: set[str] = set()
        self._unwritten: dict[Path, Record] = {}
        self._uploading = threading.BoundedSemaphore(_MAX_UPLOADS)
        self._lock = threading.Lock()

    def leave_alone(self, name: str) -> None:
        """The agent has loaded a dataset of this name itself: that is what it wants to use."""
        with self._lock:
            self._left_alone.add(_names.resource_name(name))

    def offer_again(self, name: str) -> None:
        """The agent has deleted the dataset of this name: the next use is that of the file."""
        with self._lock:
            self._left_alone.discard(_names.resource_name(name))

    def ensure(
        self,
        table: Table,
        progress: Callable[[str], None],
        is_cancelled: Callable[[], bool],
        patience: float = PATIENCE_SECONDS,
    ) -> str:
        """Returns when the endpoint has the table as its file is now.

        An upload continues when nobody waits for it any more: a client that gives up after a minute
        would never get a large file there otherwise.

        Args:
            table: of the folder.
            progress: gets what is being done.
            is_cancelled: asked now and then.
            patience: seconds after which this gives up.

        Returns:
            What is to be known of the dataset besides; empty if nothing.

        Raises:
            AssayError: one sentence that names the file and the dataset; `InProgress` if it takes
                longer, `Cancelled` if nobody waits.
        """
        end = time.monotonic() + patience
        while True:
            with self._lock:
                if _names.resource_name(table.name) in self._left_alone:
                    return ""
                job = self._jobs.get(table.name)
                is_own = job is None or job.over.is_set()
                if job is None or is_own:
                    job = self._jobs[table.name] = _Job()
                    threading.Thread(target=self._do, args=(job, table), daemon=True).start()
            self._await(job, table, progress, is_cancelled, end)
            if job.error is not None:
                raise job.error
            if is_own:
                return self._remark(table, job.loader) if job.loader else ""
            # The file may have changed since the job of somebody else looked at it.

    def _await(
        self,
        job: _Job,
        table: Table,
        progress: Callable[[str], None],
        is_cancelled: Callable[[], bool],
        end: float,
    ) -> None:
        reported = 0
        while True:
            is_over = job.over.wait(0.1)
            texts = job.progress[reported:]
            reported += len(texts)
            for text in texts:
                progress(text)
            if is_over:
                return
            if is_cancelled():
                raise AssayError("Cancelled", f"nobody waits for {table.name} any more")
            if time.monotonic() > end:
                raise AssayError(
                    "InProgress",
                    f"{table.file.name} is still being uploaded as the dataset '{table.name}'"
                    f" ({job.progress[-1] if job.progress else 'just begun'}): call again in half"
                    " a minute",
                )

    def _do(self, job: _Job, table: Table) -> None:
        try:
            job.loader = self._ensure(table, job.progress.append)
            job.error = None
        except AssayError as e:
            job.error = e
        except Exception as e:
            self._say(f"{table.name}: an error in this program ({type(e).__name__}: {e})")
        finally:
            job.over.set()

    def _ensure(self, table: Table, progress: Callable[[str], None]) -> str:
        """Returns who has loaded what the endpoint has; empty if this program has."""
        deadline = time.monotonic() + _WAIT_SECONDS
        attempts = 0
        while True:
            try:
                with FileUpload(table.file, follows_links=False) as file:
                    loader = self._use(table, file, progress)
                if loader is not None:
                    return loader
                if time.monotonic() > deadline:
                    raise AssayError(
                        "DatasetFailed",
                        f"the dataset '{table.name}' is still being loaded: call again in a minute",
                    )
                progress(f"{table.name} is being loaded")
                self._sleep(0.5)
            except AssayError as e:
                attempts += 1
                is_worth_it = e.is_temporary or isinstance(e, FileChanged) or e.code == "Conflict"
                if not is_worth_it or attempts == _ATTEMPTS:
                    raise self._explained(table, e) from None
                self._say(f"{table.name}: {e}; retrying")
                self._sleep(min(e.retry_after or 2.0 ** (attempts - 1), 10.0))

    def _use(self, table: Table, file: FileUpload, progress: Callable[[str], None]) -> str | None:
        """Has the endpoint have a file; returns who has loaded it, empty if this program has.

        None while a dataset of this name is being loaded.
        """
        known = self._dataset(table.name)
        record = self._read(table)
        step = decide(known, record, file.state, lambda: file.digest(table.type.compression))
        if step is Step.WAIT:
            return None
        if step in {Step.CREATE, Step.REPLACE}:
            with self._uploading:
                known = self._upload(table, file, step is Step.REPLACE, progress)
        self._require_usable(table, step, known)
        if step in {Step.KEEP, Step.ADOPT} and known is not None:
            created, is_adopted = str(known.get("createdAt")), step is Step.ADOPT
            self._write(table, Record(file.state, created, known.get("digest"), is_adopted))
        is_adopted = step is Step.USE and record is not None and record.is_adopted
        return _loader(known or {}) if step is Step.ADOPT or is_adopted else ""

    def _remark(self, table: Table, loader: str) -> str:
        """For the agent, once."""
        with self._lock:
            if table.name in self._remarked:
                return ""
            self._remarked.add(table.name)
        return (
            f"The dataset '{table.name}' is not an upload of this program: {loader} has loaded"
            f" the bytes of {one_line(table.file.name)}, perhaps with other options;"
            " describe_dataset shows its columns."
        )

    def _require_usable(self, table: Table, step: Step, dataset: dict[str, Any] | None) -> None:
        if step is Step.REFUSE:
            raise AssayError(
                "NameTaken",
                f"the endpoint has another dataset '{table.name}', which is not the file"
                f" {table.file.name} of the folder: ask the user to rename the file",
            )
        if dataset is not None and dataset.get("phase") != "Ready":
            raise AssayError(
                "DatasetFailed",
                f"{table.file.name} could not be loaded as the dataset '{table.name}':"
                f" {one_line(str(dataset.get('message', 'no reason was given')))} [if it needs"
                f" options: assay-client datasets load {word(table.name, 'NAME')}"
                f" {word(f'./{table.file.name}', 'FILE')} --replace --option NAME=VALUE]",
            )

    def _explained(self, table: Table, error: AssayError) -> AssayError:
        if error.code in {"DatasetFailed", "NameTaken"} or isinstance(error, FileChanged):
            return error
        if error.code == "Conflict":
            return AssayError(
                "NameTaken",
                f"{table.file.name} was not uploaded, as '{table.name}' is taken: {error}",
                status=error.status,
            )
        return AssayError(
            error.code,
            f"{table.file.name} was not uploaded as the dataset '{table.name}', and nothing of it"
            f" is used: {error}",
            status=error.status,
        )

    def _dataset(self, name: str) -> dict[str, Any] | None:
        try:
            return self._endpoint.json(
                "GET", f"/api/v1/datasets/{_http.encoded(name)}", timeout=_ANSWER_SECONDS
            )
        except AssayError as e:
            if e.code == "NotFound":
                return None
            raise

    def _upload(
        self,
        table: Table,
        file: FileUpload,
        replaces: bool,
        progress: Callable[[str], None],
    ) -> dict[str, Any]:
        begin = reported = time.monotonic()
        total = file.state.size

        def sent(count: int) -> None:
            nonlocal reported
            if time.monotonic() - reported >= _REPORT_SECONDS or count == total:
                reported = time.monotonic()
                progress(f"Uploading {table.file.name}: {size(count)} of {size(total)}")

        self._say(f"uploading {table.file.name} ({size(total)}) as the dataset '{table.name}'")
        progress(f"Uploading {table.file.name} ({size(total)})")
        parameters = {
            "format": table.type.format,
            "compression": table.type.compression,
            "replace": str(replaces).lower(),
            "wait": "true",
        }
        dataset = self._endpoint.upload(
            f"/api/v1/datasets/{_http.encoded(table.name)}{_http.query(parameters)}",
            file.chunks(sent),
            total,
        )
        is_ready = dataset.get("phase") == "Ready"
        record = Record(
            file.state, str(dataset.get("createdAt")), dataset.get("digest") if is_ready else None
        )
        self._write(table, record)
        if is_ready:
            self._say(
                f"uploaded {table.file.name} as '{table.name}': {dataset.get('rows')} rows,"
                f" {dataset.get('columnCount')} columns, {time.monotonic() - begin:.1f} s"
            )
            if dataset.get("message"):
                self._say(f"{table.name}: {dataset['message']}")
        return dataset

    def _file_of(self, table: Table) -> Path:
        what = json.dumps(
            [self._endpoint.url, os.path.abspath(table.file), _names.resource_name(table.name)]
        )
        return self._records / (hashlib.sha256(what.encode()).hexdigest()[:32] + ".json")

    def _read(self, table: Table) -> Record | None:
        file = self._file_of(table)
        if file in self._unwritten:
            return self._unwritten[file]
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            return Record(**{**found, "file": FileState(**found["file"])})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _write(self, table: Table, record: Record) -> None:
        file = self._file_of(table)
        try:
            self._records.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, unfinished = tempfile.mkstemp(dir=self._records)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as out:
                    json.dump(asdict(record), out)
                os.replace(unfinished, file)
                self._unwritten.pop(file, None)
            except OSError:
                with suppress(OSError):
                    os.unlink(unfinished)
                raise
        except OSError:
            if not self._unwritten:
                self._say(
                    f"{self._records} cannot be written to: a later start will not replace what"
                    " this one uploads, unless its datasets are deleted"
                )
            self._unwritten[file] = record
