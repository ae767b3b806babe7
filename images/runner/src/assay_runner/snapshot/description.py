"""Describes a frame: columns, types, missing values, ranges."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from assay_runner.snapshot.table import Column, Table

_MAX_LISTED_COLUMNS = 256
_MAX_NAME_CHARACTERS = 256
_MAX_TEXT_CHARACTERS = 256
_MAX_SAMPLES = 3
_MAX_SAMPLE_CHARACTERS = 64
_VALUES_LOOKED_AT = 1000
# Limits samples, so that they never displace names.
_MAX_SAMPLES_BYTES = 64 * 1024
# Limits the notes of all columns and of the dataset together, for the same reason.
_MAX_NOTES_BYTES = 64 * 1024
# Below the protocol's 256 KiB, for the digest that the supervisor adds.
_MAX_VALUE_BYTES = 255 * 1024


def columns_of(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Describe each column in order: `name`, `type`, `nulls`, `min`, `max`, `samples`.

    `min` and `max` are null if the values have no order or no JSON representation. `samples` are up
    to three distinct values as text, each truncated to 64 characters.
    """
    return [_column(name, frame.iloc[:, position]) for position, name in enumerate(frame.columns)]


def value_of(
    columns: list[dict[str, object]],
    table: Table,
    memory: int,
    peak_memory: int,
    frame: str,
    *,
    notes: Sequence[dict[str, object]] = (),
    reading: int | None = None,
) -> object:
    """Return the `value` of a snapshot's result, without the digest.

    Args:
        columns: all columns, from `columns_of`; one that has notes has them as `notes`.
        table: the table.
        memory: bytes of the frame in memory.
        peak_memory: peak memory of loading it, in bytes.
        frame: `arrow`, `source` or `none`.
        notes: of the dataset as a whole, as the protocol has them.
        reading: the number of the rules that the source was read by; None leaves it out.
    """
    listed: list[dict[str, object]] = []
    room = _MAX_SAMPLES_BYTES
    for position, column in enumerate(columns[:_MAX_LISTED_COLUMNS]):
        samples = column["samples"]
        room -= _size(samples)
        listed.append(
            {
                "name": str(column["name"])[:_MAX_NAME_CHARACTERS],
                "type": column["type"],
                "nulls": column["nulls"],
                "samples": samples if room >= 0 else [],
                **_stored(table.column_of(str(column["name"]), position, len(columns))),
            }
        )
    while _size(listed) > _MAX_VALUE_BYTES:
        listed.pop()
    noted = _add_notes(listed, columns, notes)
    return {
        "rows": table.rows,
        "columnCount": len(columns),
        "tableColumns": len(table.columns),
        "columns": listed,
        "memoryBytes": memory,
        "peakMemoryBytes": peak_memory,
        "frame": frame,
        **({"notes": noted} if noted else {}),
        **({} if reading is None else {"reading": reading}),
    }


def _add_notes(
    listed: list[dict[str, object]],
    columns: list[dict[str, object]],
    notes: Sequence[dict[str, object]],
) -> list[dict[str, object]]:
    """Give the listed columns their notes while there is room; return those of the dataset."""
    room = min(_MAX_NOTES_BYTES, _MAX_VALUE_BYTES - _size(listed)) - _size(list(notes))
    if room < 0:
        return []
    for entry, column in zip(listed, columns, strict=False):
        found = column.get("notes")
        if not found:
            continue
        room -= _size(found)
        if room < 0:
            break
        entry["notes"] = found
    return list(notes)


def _stored(column: Column | None) -> dict[str, str]:
    """Return what differs in the table."""
    found = {}
    if column is not None and column.name != column.frame_name:
        found["tableName"] = column.name[:_MAX_NAME_CHARACTERS]
    if column is not None and column.stored_as is not None:
        found["storedAs"] = column.stored_as
    return found


def _column(name: object, series: pd.Series[Any]) -> dict[str, object]:
    return {
        "name": str(name),
        "type": str(series.dtype)[:_MAX_TEXT_CHARACTERS],
        "nulls": int(series.isna().sum()),
        "samples": _samples(series),
    }


def _samples(series: pd.Series[Any]) -> list[str]:
    found: dict[str, None] = {}
    for position in series.notna().to_numpy().nonzero()[0][:_VALUES_LOOKED_AT]:
        text = str(series.iloc[position])
        if len(text) > _MAX_SAMPLE_CHARACTERS:
            text = text[: _MAX_SAMPLE_CHARACTERS - 1] + "…"
        found[text] = None
        if len(found) == _MAX_SAMPLES:
            break
    return list(found)


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace"))
