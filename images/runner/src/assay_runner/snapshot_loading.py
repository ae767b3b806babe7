"""Loads the frame of a dataset snapshot: the stored one, or the source again if that is stale."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd

from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot_files import (
    DESCRIPTION,
    FOLDER,
    READ_VERSION,
    VERSIONS,
    SnapshotError,
    as_frame,
    load_frame,
    read_source,
    source_file,
)


class NoFrameError(SnapshotError):
    """The dataset was loaded without a frame; the message says how to read it."""


def load(directory: str) -> pd.DataFrame:
    """Return the frame of a snapshot.

    Raises:
        SnapshotError: if the directory is not a snapshot of a known version.
        Exception: whatever pandas raises if the source must be read again.
    """
    try:
        with open(os.path.join(directory, DESCRIPTION), encoding="utf-8") as file:
            description = json.load(file)
    except (OSError, ValueError) as error:
        raise SnapshotError(f"the dataset has no readable description: {error}") from None
    if not isinstance(description, dict) or description.get("version") not in VERSIONS:
        known = f"{VERSIONS[0]} to {VERSIONS[-1]}"
        raise SnapshotError(f"the dataset's description is not of version {known}")
    return load_described(directory, description)


def load_described(directory: str, description: Mapping[str, Any]) -> pd.DataFrame:
    """Return the frame of a snapshot whose description has been read."""
    if description.get("frameless"):
        raise NoFrameError(
            "the dataset has no frame, and so no df. It is a table: query it in SQL or Polars, or"
            " scan its file in /workspace (pl.scan_csv, pl.scan_parquet)"
        )
    # Another version of pandas may read the source differently, so its stored frame is stale.
    if description.get("frame") is not None and description.get("pandas") == pd.__version__:
        return load_frame(directory)
    source_format = str(description.get("format"))
    path = os.path.join(directory, _source_name(description, source_format))
    options = description.get("options") or {}
    if description["version"] >= READ_VERSION:
        # Only a stale snapshot needs the reader.
        from assay_runner.snapshot.reading import sources
        from assay_runner.snapshot.reading.frame import frame_table

        return as_frame(frame_table(sources.read(path, source_format, options, Limits.NONE)))
    # Parser warnings were reported when the snapshot was made; they are not output of a run.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = read_source(path, source_format, options)
    from assay_runner.snapshot.reading.stored_integers import keep_integers

    keep_integers(frame, path, source_format, options)
    return frame


def _source_name(description: Mapping[str, Any], source_format: str) -> str:
    """Return the name of the source, which is a directory if it has several files."""
    source = description.get("source")
    is_folder = isinstance(source, dict) and source.get("file") == FOLDER
    return FOLDER if is_folder else source_file(source_format)
