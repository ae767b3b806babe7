"""Writes a cell of a result as JSON."""

from __future__ import annotations

import datetime
import json
import math
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from assay_runner.worker.query.labels import has_labels
from assay_runner.worker.query.table import ResultError

MAX_CELL_BYTES = 4096
MORE = "…"
# Integers beyond are not the same number in every reader of JSON.
MAX_EXACT = 2**53
# What JSON has no numbers for; SQL shows the same texts.
INFINITY = "Infinity"
NAN = "NaN"
_FRAMES = ("DataFrame", "LazyFrame", "Table", "RecordBatch", "DuckDBPyRelation")
# SQL writes as many digits of a second as it has.
_TRAILING_ZEROS = re.compile(r"(\.\d*?[1-9])0+(?=\D|$)")
_MAX_DEPTH = 32
_ESCAPED = b"\\'\""
_MAX_DECIMAL_DIGITS = 76
_MAX_ITEMS = 4096


def cell_text(
    value: object, limit: int = MAX_CELL_BYTES, *, has_nan: bool = False
) -> tuple[str, bool]:
    """Return a cell as JSON, and whether it had to be shortened to `limit` bytes.

    Args:
        value: the cell.
        limit: how long it may be.
        has_nan: whether NaN is a value rather than a missing one.
    """
    plain = _Plain(has_nan=has_nan)
    converted = plain.of(value, 0)
    text = dumps(converted)
    if not plain.shortened and len(text.encode()) <= limit:
        return text, False
    return shortened(converted if isinstance(converted, str) else text, limit), True


def dumps(value: object) -> str:
    """Return JSON in the shortest form."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def shortened(text: str, limit: int) -> str:
    """Return the start of a text as a JSON string of at most `limit` bytes."""
    fitting = bisect_right(
        range(min(len(text), limit) + 1),
        limit,
        key=lambda length: len(dumps(text[:length] + MORE).encode()),
    )
    return dumps(text[: fitting - 1] + MORE)


def encodable(text: str) -> str:
    """Return text with lone surrogates escaped, which UTF-8 cannot encode."""
    return text.encode("utf-8", "backslashreplace").decode()


class _Plain:
    """Converts one cell to values of JSON, as much of it as can be shown."""

    def __init__(self, *, has_nan: bool) -> None:
        self.shortened = False
        self._has_nan = has_nan
        self._room = _MAX_ITEMS

    def of(self, value: Any, depth: int) -> object:  # noqa: ANN401 - any cell
        if value is None or value is pd.NA or value is pd.NaT:
            return None
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        if isinstance(value, (int, np.integer)):
            number = int(value)
            return number if abs(number) <= MAX_EXACT else self._integer(number)
        if isinstance(value, (float, np.floating)):
            return _number(value) if math.isfinite(value) else self._not_finite(value)
        return self._scalar(value, depth)

    def _scalar(self, value: Any, depth: int) -> object:  # noqa: ANN401 - any cell
        if isinstance(value, Decimal):
            return self._decimal(value)
        if isinstance(value, np.datetime64):
            return self.of(pd.Timestamp(value), depth)
        if isinstance(value, (datetime.timedelta, np.timedelta64)):
            return self.of(pd.Timedelta(value).isoformat(), depth) if value == value else None
        if isinstance(value, (datetime.date, datetime.time)):
            return _TRAILING_ZEROS.sub(r"\1", value.isoformat())
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._text(_escaped(bytes(value[: _MAX_ITEMS + 1])))
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, pd.Series) and has_labels(value.index, sys.maxsize):
            return self._labelled(value, depth)
        if isinstance(value, (list, tuple, set, frozenset, np.ndarray)) or _is_series(value):
            return self._items(value, depth)
        if _is_frame(value):
            raise ResultError(
                f"result holds a {type(value).__name__} inside of another value, where there is no"
                " room for a table: return it alone, or several as one, such as with"
                ' pd.concat({"first": a, "second": b}); what belongs to one row can be a column'
            )
        return self._text(str(value))

    def _text(self, text: str) -> str:
        if len(text) > MAX_CELL_BYTES:
            self.shortened = True
            text = text[:MAX_CELL_BYTES]
        return encodable(text)

    def _not_finite(self, value: float | np.floating[Any]) -> str | None:
        if math.isinf(value):
            return INFINITY if value > 0 else f"-{INFINITY}"
        return NAN if self._has_nan else None

    def _decimal(self, value: Decimal) -> object:
        if not value.is_finite():
            return None if value.is_snan() else self._not_finite(float(value))
        # Sums of integers in DuckDB are decimals of Arrow.
        if value.as_tuple().exponent == 0 and value.adjusted() < _MAX_DECIMAL_DIGITS:
            return self.of(int(value), 0)
        number = float(value)
        return number if math.isfinite(number) and Decimal(repr(number)) == value else str(value)

    def _integer(self, number: int) -> str:
        # Python refuses to write longer ones, which takes quadratic time.
        return str(number) if number.bit_length() < 4 * _MAX_ITEMS // 2 else self._text(hex(number))

    def _items(self, values: Iterable[object], depth: int) -> object:
        if depth >= _MAX_DEPTH:
            self.shortened = True
            return MORE
        found = []
        for value in values:
            if self._full():
                break
            found.append(self.of(value, depth + 1))
        return found

    def _labelled(self, series: pd.Series[Any], depth: int) -> object:
        pairs = list(
            zip(series.index[: _MAX_ITEMS + 1], series.iloc[: _MAX_ITEMS + 1], strict=True)
        )
        labelled = dict(pairs)
        # A label may occur twice.
        return (
            self._mapping(labelled, depth)
            if len(labelled) == len(pairs)
            else self._items(pairs, depth)
        )

    def _mapping(self, values: Mapping[object, object], depth: int) -> object:
        if depth >= _MAX_DEPTH:
            self.shortened = True
            return MORE
        found = {}
        for key, value in values.items():
            if self._full():
                break
            found[self._text(str(key))] = self.of(value, depth + 1)
        return found

    def _full(self) -> bool:
        self._room -= 1
        if self._room < 0:
            self.shortened = True
        return self._room < 0


def single(values: Iterable[object]) -> list[object]:
    """Return the numbers of a float32 column as such: as double, 0.1 is 0.10000000149011612."""
    return [np.float32(value) if isinstance(value, float) else value for value in values]


def _number(value: float | np.floating[Any]) -> float:
    return value if isinstance(value, float) else float(str(value))


def _is_series(value: object) -> bool:
    module = type(value).__module__
    return type(value).__name__ in ("Series", "Index") and module.startswith(("pandas", "polars"))


def _is_frame(value: object) -> bool:
    module = type(value).__module__.lstrip("_").partition(".")[0]
    return type(value).__name__ in _FRAMES and module in ("pandas", "polars", "pyarrow", "duckdb")


def _escaped(data: bytes) -> str:
    """Return bytes as DuckDB writes a BLOB: printable ASCII but quotes, and hexadecimal digits."""
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in _ESCAPED else f"\\x{byte:02X}"
        for byte in data
    )
