"""Numbers of numpy and pandas as plain Python numbers, and columns as arrays of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]


def number(value: Any) -> float | int | None:  # noqa: ANN401 - of any numeric type
    """Return an int where the value is one, else a float; None for what JSON has no number for."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_)):
        return int(value)
    found = float(value)
    return found if math.isfinite(found) else None


def is_number(series: pd.Series[Any]) -> bool:
    """Return whether a column has real numbers; truth values and durations are none."""
    kind = series.dtype
    return (
        pd.api.types.is_numeric_dtype(kind)
        and not pd.api.types.is_bool_dtype(kind)
        and not pd.api.types.is_complex_dtype(kind)
    )


def floats(series: pd.Series[Any]) -> Floats:
    """Return the values of a numeric column; NaN for missing ones."""
    return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def finite(values: Floats) -> Floats:
    """Return the values that are neither NaN nor infinite."""
    return values[np.isfinite(values)]


def chosen(data: pd.DataFrame, columns: Iterable[str] | None, what: str = "data") -> list[str]:
    """Return the columns that were asked for, or all.

    Raises:
        TypeError: if `data` is not a frame, or `columns` is a text.
        ValueError: if two columns have one name, or one is missing.
    """
    if not isinstance(data, pd.DataFrame):
        raise TypeError(f"{what} is a {type(data).__name__}: pass a DataFrame")
    if not data.columns.is_unique:
        raise ValueError(f"{what} has several columns of one name: {names(data.columns)}")
    if columns is None:
        return list(data.columns)
    if isinstance(columns, str):
        raise TypeError("columns is a text: pass a list of names")
    wanted = list(dict.fromkeys(columns))
    missing = [name for name in wanted if name not in data.columns]
    if missing:
        raise ValueError(f"{what} has no column {names(missing)}; it has {names(data.columns)}")
    return wanted


def names(labels: Iterable[object], limit: int = 20) -> str:
    """Return labels for a message: each of at most 64 characters, at most `limit` of them."""
    listed = list(labels)
    shown = ", ".join(repr(str(label)[:64]) for label in listed[:limit])
    return f"{shown}, ..." if len(listed) > limit else shown
