"""Assay for Python code."""

from __future__ import annotations

import io
import json
import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from assay_client import _artifacts, _http, _names
from assay_client._errors import AssayError, RunFailed
from assay_client._files import FileUpload
from assay_client._http import Endpoint, Json
from assay_client._retry import Retries
from assay_client._text import size

if TYPE_CHECKING:
    import pandas

Language = Literal["python", "polars", "sql", "javascript", "typescript"]

#: Many proxies close a connection on which nothing comes for a minute.
_WAIT_SECONDS = 45
_PAGE_TOKENS = 100_000
_ENDED = {"Succeeded", "Failed", "TimedOut", "Cancelled"}


@dataclass(frozen=True)
class Artifact:
    """A file that a run has left. Its name and its content come from the code of the run.

    Attributes:
        path: relative to the working directory of the run, with `/`.
        bytes: its length.
        sha256: in hexadecimal.
        media_type: by the extension of the path; nobody has looked into the file.
    """

    path: str
    bytes: int
    sha256: str
    media_type: str


@dataclass(frozen=True)
class Dataset:
    """A dataset.

    Attributes:
        name: as its owner wrote it.
        phase: `Pending`, `Uploading`, `Loading`, `Ready` or `Failed`.
        rows: of the table; None until it is ready.
        columns: names and types of pandas, in order; empty in lists.
        message: why it failed, or a hint.
        json: the object of REST, with all fields.
    """

    name: str
    phase: str
    rows: int | None
    columns: list[tuple[str, str]]
    message: str
    json: Json = field(repr=False)

    @staticmethod
    def of(found: Json) -> Dataset:
        """From an object of REST."""
        return Dataset(
            name=str(found.get("name")),
            phase=str(found.get("phase")),
            rows=found.get("rows"),
            columns=[(str(c.get("name")), str(c.get("type"))) for c in found.get("columns", [])],
            message=str(found.get("message", "")),
            json=found,
        )


@dataclass(frozen=True)
class Run:
    """A run.

    Attributes:
        name: unique in the namespace of the key.
        phase: `Pending`, `Starting`, `Running`, or at the end `Succeeded`, `Failed`, `TimedOut` or
            `Cancelled`.
        reason: one word, such as `Completed` or `CodeError`.
        message: one sentence for people.
        output: what the code printed, as far as it is stored; empty until the run has ended.
        value: what the code returned, such as the `table` of a query; None where it returned
            nothing, or more than 8 KiB of JSON.
        json: the object of REST, with all fields.
    """

    name: str
    phase: str
    reason: str
    message: str
    output: str
    value: Any
    json: Json = field(repr=False)

    @staticmethod
    def of(found: Json, output: str = "") -> Run:
        """From an object of REST."""
        value = found.get("value")
        return Run(
            name=str(found.get("name")),
            phase=str(found.get("phase")),
            reason=str(found.get("reason", "")),
            message=str(found.get("message", "")),
            output=output,
            value=value.get("json") if isinstance(value, dict) else None,
            json=found,
        )

    @property
    def has_ended(self) -> bool:
        """Whether its phase is final."""
        return self.phase in _ENDED

    @property
    def error(self) -> Json:
        """`type`, `message`, `line` and `traceback` of what the code raised; empty if nothing."""
        found = self.json.get("error")
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Table:
    """The rows of a query.

    Attributes:
        columns: names and types of the engine, such as `BIGINT`; the type is an empty text where
            the rows are more than 8 KiB of JSON.
        rows: lists of JSON values in the order of `columns`.
        total_rows: how many the query has; more than `rows` if `is_truncated`.
        is_truncated: whether there are other rows.
        run: which executed it.
        warnings: what the rows do not have as the query returned it, such as texts beyond 4,096
            characters.
    """

    columns: list[tuple[str, str]]
    rows: list[list[Any]]
    total_rows: int
    is_truncated: bool
    run: Run = field(repr=False)
    warnings: list[str] = field(default_factory=list)

    def frame(self) -> pandas.DataFrame:
        """The rows as a frame of pandas, which must be installed. Types are those of JSON.

        `Client.frame(table.run, "results/result.parquet")` has the types of the engine, and up to
        10,000 rows.
        """
        names = [name for name, _ in self.columns]
        return cast("pandas.DataFrame", _pandas().DataFrame(self.rows, columns=names))


class Client:
    """A client of one endpoint. Threads may share it.

    Every method raises `AssayError` if the endpoint cannot be reached or refuses the request.
    Requests that only read, and the creation of a run, which has an idempotency key, are retried
    for about two minutes while an endpoint that was reached before restarts; uploads, deletions and
    cancellations are not.

    Args:
        endpoint: the URL; by default `ASSAY_ENDPOINT`, or `http://127.0.0.1:8787`, where local mode
            listens.
        key: the API key; by default `ASSAY_API_KEY`, or for a loopback address that of local mode.
        key_file: a file with the key, in place of `key`.
        timeout: seconds that may pass without a byte of a response, besides the time that a call
            waits for a run. Uploads wait up to 660 s for their dataset.

    Raises:
        AssayError: `Usage` or `Environment`, if an argument or a variable is malformed.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        key: str | None = None,
        *,
        key_file: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
    ) -> None:
        self._endpoint = _http.find_endpoint(endpoint, key, key_file)
        self._timeout = timeout
        self._was_reached = False

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go; its `url` has no key."""
        return self._endpoint

    def run(
        self,
        code: str,
        *,
        datasets: Sequence[str] = (),
        language: Language = "python",
        timeout_seconds: int | None = None,
        run_class: str | None = None,
        idempotency_key: str | None = None,
        wait: bool = True,
        check: bool = True,
        **fields: Any,
    ) -> Run:
        """Runs code, and returns the run after its end.

        Args:
            code: of at most 256 KiB of UTF-8.
            datasets: names of up to 16. Python has the first as `df`, and each under its name.
            language: what the code is written in.
            timeout_seconds: of the code, 1 to 600; by default the endpoint's.
            run_class: by default the endpoint's for the language.
            idempotency_key: 1 to 128 visible ASCII characters: another call with the same key and
                the same arguments returns the same run. By default each call has its own.
            wait: False returns the run as it is created.
            check: False returns a run that has not succeeded; by default it is raised.
            **fields: others of REST's `POST /runs`, by their names there, such as `replyRows=10`,
                `mode="code"` or `input=[1]`.

        Raises:
            RunFailed: if the run ended in another phase than `Succeeded`.
            AssayError: if it could not be created, or its end not awaited.
        """
        names = list(datasets)
        body = {
            "code": code,
            "language": language,
            "dataset": names[0] if names else None,
            "datasets": names[1:] or None,
            "timeoutSeconds": timeout_seconds,
            "runClass": run_class,
            "waitSeconds": _WAIT_SECONDS if wait else None,
            **fields,
        }
        created = self.create_run(body, idempotency_key)
        if not wait:
            return Run.of(created)
        run = self.wait(str(created.get("name")), known=created)
        if check and run.phase != "Succeeded":
            raise RunFailed(_sentence(run), run)
        return run

    def create_run(self, body: Mapping[str, Any], idempotency_key: str | None = None) -> Json:
        """Creates a run, or finds the one that the same key has created.

        Args:
            body: of REST's `POST /runs`; fields that are None are left out.
            idempotency_key: as for `run`.

        Returns:
            The object of REST.
        """
        given = {name: value for name, value in body.items() if value is not None}
        key = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex}
        return self._retried("POST", "/api/v1/runs", given, key, _WAIT_SECONDS)

    def wait(self, run: str | Run, *, known: Json | None = None) -> Run:
        """Waits for the end of a run, and returns it with its output.

        Args:
            run: or its name.
            known: as it is now, if that is known.
        """
        name = run if isinstance(run, str) else run.name
        found = known if known is not None else self._get(_run_path(name))
        if found.get("phase") not in _ENDED:
            output = self._output(name, follow=True)
            found = self._get(_run_path(name))
            return Run.of(found, output.decode("utf-8", "replace"))
        ends = found.get("output")
        ends = ends if isinstance(ends, dict) else {}
        head = str(ends.get("head", ""))
        # The head has no control characters, and is the beginning only of a longer output.
        if ends.get("storedBytes") == 0 or not ends.get("bytes"):
            return Run.of(found, head)
        try:
            output = self._output(name)
        except AssayError as e:
            if e.code != "NotFound":
                raise
            return Run.of(found, head)
        return Run.of(found, output.decode("utf-8", "replace"))

    def _output(self, run: str, *, follow: bool = False) -> bytes:
        output = bytearray()
        for chunk in self.output(run, follow=follow):
            output += chunk
            if len(output) > _http.MAX_BYTES:
                raise AssayError(
                    "TooLarge",
                    f"run {run} has printed more than {size(_http.MAX_BYTES)}: read its output in"
                    " parts, with 'output'",
                )
        return bytes(output)

    def output(self, run: str | Run, *, follow: bool = False) -> Iterator[bytes]:
        """What a run has printed, as it comes. A connection that breaks is continued.

        Args:
            run: or its name.
            follow: whether to continue until the run has ended.
        """
        path = _run_path(run if isinstance(run, str) else run.name) + "/output"
        offset = 0
        retries = Retries()
        while True:
            before = offset
            parameters = {"follow": str(follow).lower(), "offset": offset}
            try:
                with self._endpoint.request("GET", path + _http.query(parameters)) as reply:
                    self._was_reached = True
                    for chunk in reply.require_success().chunks():
                        offset += len(chunk)
                        yield chunk
                return
            except AssayError as e:
                self._require_reached(e)
                retries.await_next(e, has_progressed=offset > before)

    def cancel(self, run: str | Run) -> Run:
        """Stops a run; one that has ended stays as it is."""
        name = run if isinstance(run, str) else run.name
        path = _run_path(name) + "/cancel"
        return Run.of(self._endpoint.json("POST", path, {}, timeout=self._timeout))

    def get_run(self, name: str) -> Run:
        """A run as it is now, without its output."""
        return Run.of(self._get(_run_path(name)))

    def runs(self, *, limit: int = 20, phase: str | None = None) -> list[Run]:
        """The newest runs that the key may read, newest first.

        Args:
            limit: 1 to 500.
            phase: only runs in this phase.
        """
        found = self._get("/api/v1/runs" + _http.query({"limit": limit, "phase": phase}))
        return [Run.of(one) for one in found.get("items", [])]

    def query(
        self,
        sql: str,
        *,
        datasets: Sequence[str] | None = None,
        input: Sequence[Any] | Mapping[str, Any] | None = None,  # noqa: A002
        limit: int = 1000,
        timeout_seconds: int | None = None,
    ) -> Table:
        """Executes a query in SQL of DuckDB.

        Args:
            sql: one query.
            datasets: names of those that it reads, at most 16; by default those that it names
                after `FROM` and `JOIN`.
            input: its parameters: a sequence for `?` and `$1`, a mapping for `$name`.
            limit: rows of the result, 1 to 1,000.
            timeout_seconds: as for `run`.

        Raises:
            RunFailed: if the query failed; the message is that of the engine.
        """
        if datasets is None:
            datasets = _names.in_sql(sql, [dataset.name for dataset in self.datasets()])
        run = self.run(
            sql,
            datasets=datasets,
            language="sql",
            timeout_seconds=timeout_seconds,
            input=input,
            replyRows=limit,
        )
        return self._table(run, limit)

    def _table(self, run: Run, limit: int) -> Table:
        table = run.value.get("table") if isinstance(run.value, dict) else None
        if isinstance(table, dict):
            columns = [(str(c.get("name")), str(c.get("type"))) for c in table.get("columns", [])]
            rows = cast("list[list[Any]]", table.get("rows", []))
            total = int(table.get("totalRows") or len(rows))
            # The status may have more rows than were asked for.
            return Table(
                columns, rows[:limit], total, total > limit or bool(table.get("truncated")), run
            )
        return self._stored_rows(run, limit)

    def _stored_rows(self, run: Run, limit: int) -> Table:
        """The rows of a result that is too long for the status of its run, in pages, by MCP."""
        rows: list[list[Any]] = []
        while True:
            arguments = {
                "name": run.name,
                "rows": {"offset": len(rows), "limit": limit - len(rows)},
                "max_tokens": _PAGE_TOKENS,
            }
            reply = self._retried(
                "POST",
                "/mcp",
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "tools/call",
                    "params": {"name": "get_run", "arguments": arguments},
                },
                {"Accept": "application/json"},
            )
            result = reply.get("result")
            structured = result.get("structuredContent") if isinstance(result, dict) else None
            page = structured.get("rows") if isinstance(structured, dict) else None
            if not isinstance(page, dict):
                raise AssayError(
                    "NotAssay",
                    f"the rows of {run.name} cannot be read: its file results/result.parquet has"
                    " them",
                )
            rows += page.get("rows", [])
            stored, total = int(page.get("storedRows", 0)), int(page.get("totalRows", 0))
            if len(rows) >= min(limit, stored) or not page.get("rows"):
                columns = [(str(name), "") for name in page.get("columns", [])]
                warnings = [str(warning) for warning in page.get("warnings", [])]
                return Table(columns, rows, total, total > len(rows), run, warnings)

    def datasets(self) -> list[Dataset]:
        """All datasets of the key's namespace, by name, without columns."""
        return [Dataset.of(one) for one in self._get("/api/v1/datasets").get("items", [])]

    def dataset(self, name: str) -> Dataset:
        """A dataset with its columns. Raises `NotFound` if it is missing."""
        return Dataset.of(self._get(_dataset_path(name)))

    def delete_dataset(self, name: str) -> None:
        """Deletes a dataset that this key has loaded. Runs in progress keep its data."""
        self._endpoint.json("DELETE", _dataset_path(name), timeout=self._timeout)

    def load(
        self,
        name: str,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002
        options: Mapping[str, Any] | None = None,
        snapshot_class: str | None = None,
        replace: bool = False,
        sent: Callable[[int], None] | None = None,
    ) -> Dataset:
        """Uploads a file as a dataset, and waits until it is ready.

        Args:
            name: 1 to 63 letters, digits, `_`, `-`, `.` and spaces.
            path: a file of any length that the snapshot class accepts.
            format: csv, tsv, json, ndjson, parquet, feather or excel; by default from the ending,
                which `.gz` or `.zip` may follow.
            options: of the pandas reader, such as `{"sep": ";"}`.
            snapshot_class: the class that reads it.
            replace: whether a dataset of this name is replaced.
            sent: called with the number of bytes that were sent so far.

        Raises:
            AssayError: `BadFile` if the file cannot be read or changes meanwhile, `DatasetFailed`
                if it was not loaded, `Conflict` if the name is taken.
        """
        file = Path(path)
        type_ = _names.file_type(file.name)
        if format is None and type_ is None:
            raise AssayError(
                "Usage", f"{file} has none of the endings {_names.ENDINGS}: add 'format' (--format)"
            )
        if not _names.is_valid(name):
            raise AssayError("Usage", f"'{name}' is not a valid name of a dataset: {_names.RULE}")
        parameters = {
            "format": format.lower() if format is not None else type_.format if type_ else None,
            "compression": _names.compression_of(file.name),
            "options": json.dumps(dict(options)) if options else None,
            "snapshotClass": snapshot_class,
            "replace": str(replace).lower(),
            "wait": "true",
        }
        with FileUpload(file) as upload:
            try:
                found = self._endpoint.upload(
                    _dataset_path(name) + _http.query(parameters),
                    upload.chunks(sent or (lambda count: None)),
                    upload.state.size,
                )
            except AssayError as e:
                if e.code == "Disconnected":
                    raise AssayError(
                        e.code,
                        f"{e} [{file.name} was not loaded unless 'assay-client datasets describe'"
                        " shows it as Ready; an upload is not resumed]",
                    ) from None
                raise
        loaded = Dataset.of(found)
        if loaded.phase == "Failed":
            raise AssayError("DatasetFailed", f"{file.name} was not loaded: {loaded.message}")
        return loaded

    def artifacts(self, run: str | Run) -> list[Artifact]:
        """The files that a run has left."""
        found = self.artifact_list(run if isinstance(run, str) else run.name)
        return [
            Artifact(
                str(one.get("path")),
                int(one.get("bytes", 0)),
                str(one.get("sha256")),
                str(one.get("mediaType")),
            )
            for one in found.get("items", [])
        ]

    def artifact(self, run: str | Run, path: str) -> bytes:
        """The bytes of a file that a run has left, checked by their SHA-256.

        Args:
            run: or its name.
            path: as `artifacts` lists it.
        """
        name = run if isinstance(run, str) else run.name
        out = io.BytesIO()
        found = _artifacts.find(self.artifact_list(name), name, path)
        _artifacts.download(self._endpoint, name, found, out.write)
        return out.getvalue()

    def frame(self, run: str | Run, path: str) -> pandas.DataFrame:
        """A file that a run has left, as a frame of pandas, which must be installed.

        Args:
            run: or its name.
            path: of a `.parquet`, `.arrow`, `.feather` (these need pyarrow), `.csv` or `.ndjson`
                file. Reading it is as safe as its reader: the file comes from the code of the run.
        """
        readers_of = _pandas()
        readers = {
            ".parquet": readers_of.read_parquet,
            ".arrow": readers_of.read_feather,
            ".feather": readers_of.read_feather,
            ".csv": readers_of.read_csv,
            ".ndjson": lambda file: readers_of.read_json(file, lines=True),
        }
        reader = next((r for ending, r in readers.items() if path.lower().endswith(ending)), None)
        if reader is None:
            raise AssayError("Usage", f"'{path}' has none of the endings {', '.join(readers)}")
        return cast("pandas.DataFrame", reader(io.BytesIO(self.artifact(run, path))))

    def download(
        self, run: str | Run, path: str, folder: str | os.PathLike[str], *, replace: bool = False
    ) -> Path:
        """Saves a file that a run has left under its path in a folder, and never outside of it.

        Args:
            run: or its name.
            path: as `artifacts` lists it.
            folder: need not exist.
            replace: whether a file that exists is replaced.

        Raises:
            AssayError: `NotSaved`, if the path is unsafe, the file exists or the disk is full.
        """
        name = run if isinstance(run, str) else run.name
        found = _artifacts.find(self.artifact_list(name), name, path)
        root = Path(folder)
        return _artifacts.save(
            _artifacts.local_path(root, path),
            root,
            lambda out: _artifacts.download(self._endpoint, name, found, out.write),
            replaces=replace,
        )

    def artifact_list(self, run: str) -> Json:
        """The list of REST: `items`, and a `message` if some files were not kept."""
        return self._get(_run_path(run) + "/artifacts")

    def _get(self, path: str) -> Json:
        return self._retried("GET", path)

    def _retried(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        waits: float = 0,
    ) -> Json:
        """A request that may be repeated."""
        retries = Retries()
        while True:
            try:
                found = self._endpoint.json(
                    method, path, body, headers, timeout=self._timeout + waits
                )
            except AssayError as e:
                self._require_reached(e)
                retries.await_next(e)
            else:
                self._was_reached = True
                return found

    def _require_reached(self, failure: AssayError) -> None:
        """An address that was never reached may be a wrong one."""
        if failure.code == "Unreachable" and not self._was_reached:
            raise failure


def _run_path(name: str) -> str:
    return "/api/v1/runs/" + _http.encoded(name)


def _dataset_path(name: str) -> str:
    return "/api/v1/datasets/" + _http.encoded(name)


def _sentence(run: Run) -> str:
    error = run.error
    why = f"{error.get('type')}: {error.get('message')}" if error else run.message or run.reason
    return f"run {run.name}: {run.phase}, {why}"


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise AssayError("Usage", "frames need pandas: pip install pandas pyarrow") from None
    return pandas
