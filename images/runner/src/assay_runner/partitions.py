"""The types of the keys of folders such as `zip=02134`, which are the same in all engines.

By themselves pandas, DuckDB and Polars read the texts of folders by rules of their own, and all of
them take `02134` for 2134.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from assay_runner.folders import files_of

INTEGER = "BIGINT"
DATE = "DATE"
TEXT = "VARCHAR"

_MISSING = "__HIVE_DEFAULT_PARTITION__"
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def keys_of(file: str) -> tuple[str, ...]:
    """Return the keys of the folders `KEY=VALUE` of a path, in order."""
    return tuple(key for key, _ in _pairs(file))


def key_types(files: Iterable[str]) -> dict[str, str]:
    """Return the type in SQL of each key of a folder's files.

    Args:
        files: paths relative to the root of the folder.

    Returns:
        `BIGINT` if all values are integers as they are usually written, `DATE` if all are ISO
        dates, else `VARCHAR`.
    """
    return {key: _type(found) for key, found in _values(files).items()}


def partitioning(path: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return how pyarrow reads the keys of a folder; None if its own rules change none of them."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    values = _values(files_of(path))
    types = {key: _type(found) for key, found in values.items()}
    if not any(kind == TEXT and _may_be_integers(values[key]) for key, kind in types.items()):
        return None
    kinds = {INTEGER: pa.int64()}
    return ds.HivePartitioning.discover(
        schema=pa.schema([(key, kinds.get(kind, pa.string())) for key, kind in types.items()])
    )


def _values(files: Iterable[str]) -> dict[str, set[str]]:
    """Return the values of each key but missing ones, the keys in their order."""
    values: dict[str, set[str]] = {}
    for file in files:
        for key, value in _pairs(file):
            values.setdefault(key, set()).add(value)
    return {key: found - {_MISSING} for key, found in values.items()}


def _may_be_integers(values: set[str]) -> bool:
    return all(value.lstrip("+-").isdigit() for value in values)


def _pairs(file: str) -> list[tuple[str, str]]:
    split = (part.partition("=") for part in file.split("/")[:-1])
    return [(key, unquote(value)) for key, equals, value in split if equals]


def _type(values: set[str]) -> str:
    if values and all(map(_INTEGER.fullmatch, values)):
        return INTEGER
    return DATE if values and all(map(_is_date, values)) else TEXT


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and datetime.date.fromisoformat(text))
    except ValueError:
        return False
