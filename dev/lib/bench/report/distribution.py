"""Percentiles."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Distribution:
    """Of a number of values, in their unit."""

    count: int
    p50: float
    p90: float
    p99: float
    max: float


def distribution(values: Sequence[float]) -> Distribution:
    """Of at least one value."""
    p50, p90, p99 = (percentile(values, percent) for percent in (50, 90, 99))
    return Distribution(len(values), p50, p90, p99, max(values))


def percentile(values: Sequence[float], percent: int) -> float:
    """Interpolated between the two nearest of at least one value, of which the most is the 100th.

    So do numpy.percentile and PERCENTILE.INC of spreadsheets; the 50th is the median.
    """
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
