"""Keeps frames of a run for later ones."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from typing import Any

import pandas as pd

from assay_runner.frames import Message
from assay_runner.snapshot.table import write_table
from assay_runner.snapshot.table_names import table_names
from assay_runner.snapshot_files import FRAME, TABLE, store_frame

_FOLDER = "frames"
# Not below the folder that is collected: a frame is kept whole or not at all.
_UNFINISHED = ".unfinished-frame"
_MAX_REASON_CHARACTERS = 120
_MISSING = object()


class _NotKeptError(Exception):
    """Why a frame is not kept."""


def keeper(keep: Message) -> Callable[[], str | None]:
    """Return a function that keeps frames among the variables of the script.

    Args:
        keep: `names` of the variables, and the `maxBytes` that their files may have together.
    """
    directory = os.getcwd()
    # Imported now: code may have changed what imports find.
    return lambda: _keep(keep, directory)


def _keep(keep: Message, directory: str) -> str | None:
    """Write the frames; returns what was not kept, and why."""
    variables = vars(sys.modules["__main__"])
    left = keep["maxBytes"]
    notes = []
    for name in keep["names"]:
        try:
            size, note = _keep_one(name, variables.get(name, _MISSING), directory, left)
            left -= size
        except _NotKeptError as reason:
            note = f"{name} was not kept: {reason}."
        except OSError as error:
            note = f"{name} was not kept: {error.strerror}."
        except BaseException as error:
            described = f"{type(error).__name__}: {error}"[:_MAX_REASON_CHARACTERS]
            note = f"{name} was not kept: {described}."
        if note is not None:
            notes.append(note)
    return " ".join(notes) or None


def _keep_one(name: str, value: object, directory: str, left: int) -> tuple[int, str | None]:
    if value is _MISSING:
        raise _NotKeptError("there is no such variable")
    unfinished = os.path.join(directory, _UNFINISHED)
    shutil.rmtree(unfinished, ignore_errors=True)
    os.mkdir(unfinished)
    try:
        faithful = _write(value, unfinished)
        files = [file for file in (FRAME, TABLE) if os.path.exists(os.path.join(unfinished, file))]
        sizes = {file: os.path.getsize(os.path.join(unfinished, file)) for file in files}
        if sum(sizes.values()) > left:
            raise _NotKeptError(f"it has {sum(sizes.values())} bytes, and {left} are left")
        folder = os.path.join(directory, _FOLDER)
        os.makedirs(folder, exist_ok=True)
        for file in files:
            target = name + os.path.splitext(file)[1]
            os.replace(os.path.join(unfinished, file), os.path.join(folder, target))
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    note = None if faithful else f"{name} was kept as a table, since Arrow cannot hold its values."
    return sum(sizes.values()), note


def _write(value: Any, directory: str) -> bool:  # noqa: ANN401 - any variable
    """Write a frame; returns False if only its table could be written."""
    if isinstance(value, pd.DataFrame):
        write_table(value, directory)
        return store_frame(value, directory)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(value, polars.LazyFrame):
        value = value.collect()
    if polars is None or not isinstance(value, polars.DataFrame):
        raise _NotKeptError(f"it is a {type(value).__name__}, not a frame")
    if value.width == 0:
        raise _NotKeptError("it has no columns")
    frame = value.clone()
    frame.columns = table_names(frame.columns)
    frame.write_parquet(os.path.join(directory, TABLE), compression="zstd", compression_level=1)
    return True
