"""Percentiles."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Distribution:
    """Of a number of values, in their unit; percentiles are interpolated."""

    count: int
    p50: float
    p90: float
    p99: float
    max: float


def distribution(values: Sequence[float]) -> Distribution:
    """Of at least one value."""
    if len(values) == 1:
        return Distribution(1, *(values[0] for _ in range(4)))
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return Distribution(len(values), cuts[49], cuts[89], cuts[98], max(values))
