"""The variables of a query."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from assay_runner.partitions import DATE, INTEGER, TEXT
from assay_runner.snapshot_files import DESCRIPTION, SnapshotError
from assay_runner.worker.datasets import Dataset, Datasets

if TYPE_CHECKING:
    import polars as pl

# What a dataset must not be bound as, since it means something else.
RESERVED = ("result", "parameters")


class Bound(NamedTuple):
    """The datasets that a query uses, by variable, and how many rows they have together."""

    variables: dict[str, Any]
    rows: int


def bind(frames: Datasets, by_variable: Mapping[str, str], words: Collection[str]) -> Bound:
    """Load the datasets whose variable is a word of the code.

    One without a frame is an error once the code uses it: the word may be part of its file's name.

    Raises:
        Exception: if one cannot be loaded.
    """
    used = {variable: name for variable, name in by_variable.items() if variable in words}
    bound = {variable: frames.variable(name) for variable, name in used.items()}
    rows = sum(_rows(frames, name) for name in set(used.values()))
    return Bound(bound, rows)


def _rows(frames: Datasets, name: str) -> int:
    frame = frames.variable(name)
    if isinstance(frame, pd.DataFrame):
        return len(frame)
    table = described_table(os.path.join(frames.directory, name)) or {}
    return int(table.get("rows", 0))


def shared_names(datasets: Sequence[Dataset], workspace: str) -> tuple[str, ...]:
    """Return a warning for datasets that share a display name, with the file of each.

    Args:
        datasets: those of the job.
        workspace: where their sources are linked.
    """
    shown = [dataset.display_name for dataset in datasets]
    twins = [dataset.name for dataset in datasets if shown.count(dataset.display_name) > 1]
    if not twins:
        return ()
    files = {}
    for link in sorted(os.listdir(workspace)):
        path = os.path.join(workspace, link)
        if os.path.islink(path):
            files[os.path.basename(os.path.dirname(os.readlink(path)))] = link
    named = [f"{files[name]} ({name})" for name in twins if name in files]
    return (
        "Several datasets have the same display name. Files in /workspace: " + ", ".join(named),
    )


def scan(directory: str) -> pl.LazyFrame:
    """Return the table of a snapshot, with dates as text where `df` has them so.

    Raises:
        SnapshotError: if it has none.
    """
    import polars as pl

    table = described_table(directory)
    name = os.path.basename(directory)
    if table is None:
        raise SnapshotError(
            f"the dataset {name} was loaded by an earlier version and has no table: load it again"
        )
    files = [os.path.join(directory, file) for file in table["files"]]
    if not files:
        raise SnapshotError(f"the dataset {name} has no columns")
    kinds = {INTEGER: pl.Int64, DATE: pl.Date, TEXT: pl.String}
    keys = {key: kinds[kind] for key, kind in (table.get("keys") or {}).items()}
    hive = bool(table.get("hive"))
    found = pl.scan_parquet(files, hive_partitioning=hive, hive_schema=keys or None)
    forms = {column["name"]: column.get("form") for column in table["columns"]}
    texts = [pl.col(name).dt.to_string(form) for name, form in forms.items() if form is not None]
    return found.with_columns(texts) if texts else found


def described_table(directory: str) -> dict[str, Any] | None:
    """Return the member `table` of a snapshot's description; None if it has none."""
    try:
        with open(os.path.join(directory, DESCRIPTION), encoding="utf-8") as file:
            table = json.load(file).get("table")
    except (OSError, ValueError):
        raise SnapshotError("the dataset has no readable description") from None
    return table if isinstance(table, dict) else None
