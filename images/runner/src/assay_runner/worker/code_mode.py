"""Prepares the working directory for code mode."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable

from assay_runner.snapshot_files import SnapshotError
from assay_runner.worker import streams
from assay_runner.worker.datasets import Dataset, table_name
from assay_runner.worker.query.binding import described_table

LIBRARY = os.path.join(sys.prefix, "share", "assay", "library")
"""The directory of the library, which is on no path otherwise."""

MAX_ERROR_BYTES = 64 * 1024
"""How much of what Python writes to sys.stderr is kept additionally."""

_RAW = os.path.join("data", "raw")
_GENERATED = os.path.join(".work", "generated")
_LOGS = os.path.join(".work", "logs")
_TABLES = os.path.join(".work", "tables.json")
_FOLDERS = (
    *(_RAW, os.path.join("data", "processed"), "reports", "models", "artifacts"),
    *(_GENERATED, _LOGS),
)
_DEFAULT_NAME = "main"


def enter(code: str, script_name: str | None, directory: str, datasets: Iterable[Dataset]) -> None:
    """Prepare the process and its working directory for code mode.

    Args:
        code: the text of the script, which is kept.
        script_name: what the files about this script are called.
        directory: where datasets are mounted, by name.
        datasets: those of the run.

    Raises:
        OSError: if a folder cannot be created.
    """
    name = script_name or _DEFAULT_NAME
    for folder in _FOLDERS:
        # A file that came with the job may have its name.
        with contextlib.suppress(FileExistsError, NotADirectoryError):
            if not os.path.isdir(folder):
                os.makedirs(folder)
    _link_sources(directory)
    _list_tables(directory, datasets)
    with open(
        os.path.join(_GENERATED, f"{name}.py"),
        "w",
        encoding="utf-8",
        errors="surrogatepass",
        newline="",
    ) as file:
        file.write(code)
    sys.path.append(LIBRARY)
    streams.copy_errors(os.path.abspath(os.path.join(_LOGS, f"{name}.err")), MAX_ERROR_BYTES)


def _list_tables(directory: str, datasets: Iterable[Dataset]) -> None:
    """Write for the library which Parquet files each table has."""
    tables = {}
    for name, display_name in datasets:
        path = os.path.join(directory, name)
        # Code that does not query this dataset needs no table of it.
        with contextlib.suppress(SnapshotError):
            described = described_table(path)
            if described is not None and described["files"]:
                files = [os.path.join(path, file) for file in described["files"]]
                tables[table_name(display_name)] = {
                    "files": files,
                    "hive": bool(described.get("hive")),
                    "keys": described.get("keys") or {},
                }
    with open(_TABLES, "w", encoding="utf-8") as file:
        json.dump(tables, file)


def _link_sources(directory: str) -> None:
    """Link what the working directory has of the datasets, in the folder of raw data."""
    for entry in os.scandir("."):
        if entry.is_symlink():
            target = os.readlink(entry.path)
            if target.startswith(directory + os.sep):
                with contextlib.suppress(OSError):
                    os.symlink(target, os.path.join(_RAW, entry.name))
