"""Loads a source, and reads it as each engine does."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from assay_runner import snapshot_loading
from assay_runner.snapshot import build, worker
from assay_runner.worker.query.binding import scan
from fidelity.judging import changed
from fidelity.making import Column
from unmeasured import Unmeasured


class RefusedError(Exception):
    """The source was refused; the message says why."""


class Loaded(NamedTuple):
    """A dataset: its directory, and its description."""

    directory: Path
    description: Mapping[str, Any]

    @property
    def columns(self) -> Sequence[Mapping[str, Any]]:
        """The columns with their notes."""
        columns: Sequence[Mapping[str, Any]] = self.description["columns"]
        return columns


def load(source: bytes, source_format: str, directory: Path, **job: object) -> Loaded:
    """Make a snapshot of a source.

    Raises:
        RefusedError: if it is refused.
    """
    volume, snapshot = directory / "volume", directory / "snapshot"
    volume.mkdir(parents=True)
    snapshot.mkdir()
    (volume / "source").write_bytes(source)
    try:
        build.build_snapshot(
            {"format": source_format, "path": "source", **job},
            snapshot_dir=str(snapshot),
            source_dir=str(volume),
            measuring=Unmeasured,
        )
    except Exception as error:
        raise RefusedError(str(worker.describe_error(error)["message"])) from error
    return Loaded(snapshot, json.loads((snapshot / "description.json").read_text()))


def engines(loaded: Loaded) -> Iterator[tuple[str, list[list[Any]]]]:
    """Yield the values of all columns as each engine has them."""
    if not loaded.description.get("frameless"):
        frame = snapshot_loading.load(str(loaded.directory))
        yield "pandas", [frame.iloc[:, i].tolist() for i in range(frame.shape[1])]
    table = loaded.description["table"]
    files = [str(loaded.directory / file) for file in table["files"]]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        read: Any = connection.execute("FROM read_parquet(?)", [files]).to_arrow_table()
    yield "duckdb", [column.to_pylist() for column in read.columns]
    polars = scan(str(loaded.directory)).collect()
    yield "polars", [polars.to_series(i).to_list() for i in range(polars.width)]


def silent_changes(columns: Sequence[Column], loaded: Loaded, missing: Container[str]) -> list[str]:
    """Return where an engine has other values than the source, and no note says so.

    Args:
        columns: those of the source.
        loaded: the dataset.
        missing: the texts that say that there is no value.
    """
    found = []
    for engine, values in engines(loaded):
        for column, described, read in zip(columns, loaded.columns, values, strict=True):
            rows = changed(column, read, missing)
            named = [note["code"] for note in described.get("notes", ())]
            if rows and not named:
                text, value = column.cells[rows[0] - 1], read[rows[0] - 1]
                found.append(
                    f"{engine}: {column.name!r} ({column.kind}), row {rows[0]}:"
                    f" {text!r} is {value!r}"
                )
    return found
