"""Compares what DuckDB and Polars read from a snapshot's table with the frame that pandas read."""

from __future__ import annotations

import datetime
import decimal
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

_ROWS_AT_EACH_END = 500


def differences(snapshot: Path, frame: pd.DataFrame) -> list[str]:
    """Return where the engines read something other than pandas, in words; none if they agree.

    What `docs/datasets.md` lists as a difference counts as agreement: missing values are all NULL,
    columns that are stored as text have the text of their values, objects have the keys of all
    rows, Polars reads a map as a list of its entries, and whole numbers with gaps beside them that
    pandas rounds are exact in a Parquet source.
    """
    table: Mapping[str, Any] = json.loads((snapshot / "description.json").read_text())["table"]
    columns: Sequence[Mapping[str, Any]] = table["columns"]
    expected = _columns(frame)
    names = [column["name"] for column in columns]
    found = []
    if table["rows"] != len(frame) or len(names) != len(expected):
        found.append(f"shape: {table['rows']} rows, {len(names)} columns")
    if not table["files"]:
        return found if names else found + ["no files"] * bool(frame.shape[1])
    files = [str(snapshot / file) for file in table["files"]]
    ordered = _in_order(expected, names)
    for engine, data in (("duckdb", _duckdb(files)), ("polars", _polars(files))):
        if data.column_names != names or data.num_rows != len(frame):
            found.append(f"{engine}: {data.column_names}, {data.num_rows} rows")
            continue
        for column, values, read in zip(columns, ordered, data.columns, strict=True):
            found += [
                f"{engine}: {column['name']}[{row}]: {ours!r} is {theirs!r}"
                for row, ours, theirs in _pairs(values, read)
                if not _agree(ours, theirs, column["storedAs"])
            ][:3]
            if int(values.isna().sum()) != read.null_count:
                found.append(f"{engine}: {column['name']}: {read.null_count} nulls")
    return found


def _duckdb(files: list[str]) -> Any:  # noqa: ANN401 - pyarrow has no types
    with duckdb.connect() as connection:
        return connection.execute("SELECT * FROM read_parquet(?)", [files]).to_arrow_table()


def _polars(files: list[str]) -> Any:  # noqa: ANN401
    return pl.scan_parquet(files).collect().to_arrow()


def _columns(frame: pd.DataFrame) -> list[tuple[str, pd.Series[Any]]]:
    """Return columns and labelled index levels, as `reset_index` orders them."""
    if list(frame.index.names) == [None] and list(frame.index) == list(range(len(frame))):
        levels = 0
    else:
        levels = frame.index.nlevels
    index = [
        (str(frame.index.names[level]), pd.Series(frame.index.get_level_values(level).array))
        for level in range(levels)
    ]
    return index + [(str(name), frame.iloc[:, i]) for i, name in enumerate(frame.columns)]


def _in_order(expected: list[tuple[str, pd.Series[Any]]], names: list[str]) -> list[pd.Series[Any]]:
    """Return the columns in the table's order: a Parquet source may have its index last."""
    by_name = dict(expected)
    if len(by_name) == len(expected) and set(by_name) == set(names):
        return [by_name[name] for name in names]
    return [values for _, values in expected]


def _pairs(values: pd.Series[Any], read: Any) -> list[tuple[int, Any, Any]]:  # noqa: ANN401
    rows = range(len(values))
    looked_at = [*rows[:_ROWS_AT_EACH_END], *rows[_ROWS_AT_EACH_END:][-_ROWS_AT_EACH_END:]]
    theirs = read.take(pa.array(looked_at, pa.int64())).to_pylist()
    return [(row, values.iloc[row], other) for row, other in zip(looked_at, theirs, strict=True)]


def _agree(ours: object, theirs: object, stored_as: str | None) -> bool:
    ours = _plain(ours)
    if stored_as == "string" and ours is not None:
        if isinstance(ours, (list, dict)):
            return isinstance(theirs, str) and json.dumps(ours, default=str) == json.dumps(
                json.loads(theirs)
            )
        return theirs == str(ours) or isinstance(ours, bytes)
    theirs = _plain(theirs)
    if isinstance(ours, bool) is not isinstance(theirs, bool):
        return False
    if isinstance(ours, float) and isinstance(theirs, int):
        return ours == float(theirs)
    return ours == theirs


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value of a cell
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item() if not isinstance(value, np.datetime64) else pd.Timestamp(value)
    if isinstance(value, (list, tuple)):
        return [_plain(_entry(inner)) for inner in value]
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items() if _plain(inner) is not None}
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, pd.Timedelta):
        return value
    if isinstance(value, datetime.datetime):
        at = pd.Timestamp(value)
        return at if at.tzinfo is None else at.tz_convert("UTC")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    assert isinstance(value, (bool, int, str, bytes, decimal.Decimal)), type(value)
    return value


def _entry(value: object) -> object:
    """Return an entry of a map as pandas has it."""
    if isinstance(value, dict) and value.keys() == {"key", "value"}:
        return value["key"], value["value"]
    return value
