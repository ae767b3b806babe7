"""Values of a column as a table stores them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from assay_runner.snapshot.table_types import common_type

_NESTED = (list, dict, tuple, np.ndarray)


def stored(values: pd.Series[Any]) -> tuple[Any, bool]:
    """Return a column's values as Arrow has them, and whether they had to become text.

    NaN, None and NaT are null. Values that have no common type, or one that Parquet cannot hold,
    are text: lists and objects as JSON, others as `str` writes them.
    """
    array = _typed(values)
    return (_as_text(values), True) if array is None else (array, False)


def without_nan(array: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an array or chunked array with null in place of NaN."""
    if not pa.types.is_floating(array.type):
        return array
    nan = pc.is_nan(array)
    return pc.if_else(nan, pa.scalar(None, array.type), array) if pc.any(nan).as_py() else array


def _typed(values: pd.Series[Any]) -> Any:  # noqa: ANN401
    if values.dtype == np.object_ and not _of_one_kind(values):
        return None
    try:
        array = pa.Array.from_pandas(values)
        array = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
        target = common_type(array.type)
        if target is None:
            return None
        array = without_nan(in_microseconds(array.cast(target)))
    # As many kinds as there are ways in which objects differ: ArrowException, OverflowError,
    # UnicodeEncodeError and more.
    except Exception:
        return None
    return array


def _of_one_kind(values: pd.Series[Any]) -> bool:
    """Return False for objects that Arrow would change to make them fit, such as text to bytes."""
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind == "mixed":
        return all(isinstance(value, _NESTED) for value in values[values.notna()].array)
    return kind != "mixed-integer"


def in_microseconds(array: Any) -> Any:  # noqa: ANN401
    """Return timestamps in the unit that most functions of SQL take, if that loses nothing."""
    if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
        try:
            return array.cast(pa.timestamp("us", array.type.tz))
        except pa.ArrowInvalid:
            return array
    return array


def _as_text(values: pd.Series[Any]) -> Any:  # noqa: ANN401
    missing = values.isna().to_numpy()
    texts = [
        None if gone else _text(value) for value, gone in zip(values.array, missing, strict=True)
    ]
    return pa.chunked_array([pa.array(texts, pa.large_string())])


def _text(value: object) -> str:
    if isinstance(value, _NESTED):
        text = json.dumps(value, ensure_ascii=False, default=_plain)
    else:
        text = str(value)
    return text.encode("utf-8", "backslashreplace").decode()


def _plain(value: object) -> object:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return str(value)
