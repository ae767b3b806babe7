"""Statistics of a frame, and the differences between two."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypedDict

import numpy as np
import pandas as pd

from orchestrator.mcp._plain import Floats, chosen, finite, floats, is_number, names, number

__all__ = ["describe_data", "detect_drift"]

_BINS = 10
_FLOOR = 0.0001


class DataSummary(TypedDict):
    """What `describe_data` has found."""

    row_count: int
    column_count: int
    numeric_columns: list[str]
    categorical_columns: list[str]
    missing_values: dict[str, int]
    statistics: dict[str, dict[str, Any]]


class ColumnDrift(TypedDict):
    """How far a column has moved; None where it has no finite value on one side."""

    psi: float | None
    drifted: bool
    ks_statistic: float | None


class DriftReport(TypedDict):
    """What `detect_drift` has found."""

    overall_drift: bool
    column_drift: dict[str, ColumnDrift]
    columns_checked: list[str]
    threshold_used: float


def describe_data(
    data: pd.DataFrame,
    *,
    columns: Iterable[str] | None = None,
    include_percentiles: bool = True,
) -> DataSummary:
    """Summarize a frame.

    Args:
        data: the frame.
        columns: those to describe; None for all. Text columns have statistics only if they are
            named here.
        include_percentiles: whether numeric columns have `25%`, `50%` and `75%`.

    Returns:
        `row_count`, `column_count`; `numeric_columns`; `categorical_columns`, which have text or
        categories; `missing_values` by column, where there are any; `statistics` by column:
        `count`, `mean`, `std`, `min`, `max` and percentiles of numbers, `count`, `unique`, `top`
        and `freq` of text. A statistic that is not a finite number is None.

    Raises:
        TypeError: if `data` is not a frame.
        ValueError: if a column is missing, or two have one name.

    Example:
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"x": [1.0, 2.0, None], "g": ["a", "b", "a"]})
        >>> found = describe_data(frame, include_percentiles=False)
        >>> found["missing_values"], found["categorical_columns"]
        ({'x': 1}, ['g'])
        >>> found["statistics"]["x"]
        {'count': 2, 'mean': 1.5, 'std': 0.7071067811865476, 'min': 1.0, 'max': 2.0}
    """
    wanted = chosen(data, columns)
    numeric = [name for name in wanted if is_number(data[name])]
    categorical = [name for name in wanted if _is_categorical(data[name])]
    statistics = {str(name): _numbers(data[name], include_percentiles) for name in numeric}
    if columns is not None:
        statistics |= {str(name): _categories(data[name]) for name in categorical}
    missing = {str(name): int(data[name].isna().sum()) for name in wanted}
    return {
        "row_count": len(data),
        "column_count": len(wanted),
        "numeric_columns": [str(name) for name in numeric],
        "categorical_columns": [str(name) for name in categorical],
        "missing_values": {name: count for name, count in missing.items() if count},
        "statistics": {str(name): statistics[str(name)] for name in wanted if name in statistics},
    }


def detect_drift(
    ref: pd.DataFrame,
    cur: pd.DataFrame,
    *,
    columns: Iterable[str] | None = None,
    threshold: float = 0.1,
) -> DriftReport:
    """Compare the distributions of numeric columns in two frames.

    The population stability index (PSI) is that of the ten bins between the deciles of `ref`, with
    shares of at least 0.0001; a value that makes up a tenth of `ref` has a bin of its own. The
    Kolmogorov-Smirnov statistic is exact. Missing and infinite values are left out. A column
    without any other value on one side has None for both, and has drifted if it has values on the
    other side.

    Args:
        ref: the frame to compare with.
        cur: the frame of now.
        columns: those to compare; None for the numeric columns that both have.
        threshold: the PSI above which a column has drifted; 0.1 and 0.25 are usual.

    Returns:
        `overall_drift`, whether any column has drifted; `column_drift` by column, with `psi`,
        `drifted` and `ks_statistic`; `columns_checked`; `threshold_used`.

    Raises:
        TypeError: if one of the two is not a frame.
        ValueError: if a column is missing or not numeric, or the threshold is not a number from 0.

    Example:
        >>> import pandas as pd
        >>> before = pd.DataFrame({"delay": [1, 2, 3, 4]})
        >>> after = pd.DataFrame({"delay": [3, 4, 5, 6]})
        >>> found = detect_drift(before, after)
        >>> found["overall_drift"], found["column_drift"]["delay"]["ks_statistic"]
        (True, 0.5)
    """
    if not (isinstance(threshold, (int, float)) and math.isfinite(threshold) and threshold >= 0):
        raise ValueError("threshold must be a number from 0")
    if columns is None:
        both = [name for name in chosen(ref, None, "ref") if name in chosen(cur, None, "cur")]
        wanted = [name for name in both if is_number(ref[name]) and is_number(cur[name])]
    else:
        wanted = chosen(ref, columns, "ref")
        wanted = chosen(cur, wanted, "cur")
        text = [name for name in wanted if not (is_number(ref[name]) and is_number(cur[name]))]
        if text:
            raise ValueError(f"not numeric: {names(text)}")
    drift = {str(name): _drift(ref[name], cur[name], threshold) for name in wanted}
    return {
        "overall_drift": any(column["drifted"] for column in drift.values()),
        "column_drift": drift,
        "columns_checked": list(drift),
        "threshold_used": float(threshold),
    }


def _is_categorical(series: pd.Series[Any]) -> bool:
    kind = series.dtype
    return isinstance(kind, (pd.CategoricalDtype, pd.StringDtype)) or kind == np.object_


def _numbers(series: pd.Series[Any], include_percentiles: bool) -> dict[str, Any]:
    present = series.dropna()
    found: dict[str, Any] = {"count": len(present)}
    values = floats(present)
    with np.errstate(all="ignore"):
        for name, function in (("mean", np.mean), ("std", _std), ("min", np.min), ("max", np.max)):
            found[name] = number(function(values)) if len(values) else None
        if include_percentiles:
            for share in (25, 50, 75):
                found[f"{share}%"] = number(np.percentile(values, share)) if len(values) else None
    return found


def _std(values: Floats) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def _categories(series: pd.Series[Any]) -> dict[str, Any]:
    # Lists and dicts cannot be counted as they are.
    counts = series.dropna().map(str).value_counts()
    counts = counts[counts > 0]
    return {
        "count": int(series.notna().sum()),
        "unique": len(counts),
        "top": str(counts.index[0]) if len(counts) else None,
        "freq": int(counts.iloc[0]) if len(counts) else 0,
    }


def _drift(ref: pd.Series[Any], cur: pd.Series[Any], threshold: float) -> ColumnDrift:
    before, after = finite(floats(ref)), finite(floats(cur))
    if not len(before) or not len(after):
        return {"psi": None, "drifted": len(before) != len(after), "ks_statistic": None}
    psi = _psi(before, after)
    return {"psi": psi, "drifted": psi > threshold, "ks_statistic": _ks(before, after)}


def _psi(before: Floats, after: Floats) -> float:
    edges = _edges(before)
    shares = [_shares(values, edges) for values in (before, after)]
    return float(np.sum((shares[1] - shares[0]) * np.log(shares[1] / shares[0])))


def _edges(values: Floats) -> Floats:
    """Return the upper ends of all bins but the last.

    They are deciles, since one outlier would have bins of equal width hold all other values in one.
    A value that takes a bin by itself has an end below it, too, so that lower ones are not in it.
    """
    ranks = np.arange(1, _BINS) / _BINS
    deciles = np.unique(np.quantile(values, ranks, method="inverted_cdf"))
    counts = np.array([np.count_nonzero(values == decile) for decile in deciles])
    frequent = deciles[(counts > 1) & (counts * _BINS >= len(values))]
    return np.union1d(deciles, np.nextafter(frequent, -np.inf))


def _shares(values: Floats, edges: Floats) -> Floats:
    """Return the share of values in each bin."""
    places = np.searchsorted(edges, values, side="left")
    return np.maximum(np.bincount(places, minlength=len(edges) + 1) / len(values), _FLOOR)


def _ks(before: Floats, after: Floats) -> float:
    before, after = np.sort(before), np.sort(after)
    points = np.concatenate([before, after])
    below = np.searchsorted(before, points, side="right") / len(before)
    return float(np.max(np.abs(below - np.searchsorted(after, points, side="right") / len(after))))
