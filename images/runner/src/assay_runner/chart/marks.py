"""Axes and marks of a chart, and the labels and axes that columns become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay_runner.chart.choice import ChartType
from assay_runner.chart.columns import ChartError, Codes, Column, Floats, Kind
from assay_runner.chart.times import time_labels


class Axis(NamedTuple):
    """An axis.

    Attributes:
        title: what is along it.
        labels: its places, if it has labels; positions along it are 0, 1 and so on then.
        is_time: whether its positions are seconds since 1970.
    """

    title: str
    labels: tuple[str, ...] | None = None
    is_time: bool = False


class Line(NamedTuple):
    """Marks of one colour.

    Attributes:
        name: what they are; None if there is only one.
        x: their positions; the edges of the bars of a histogram.
        y: their values.
    """

    name: str | None
    x: Floats
    y: Floats


class Chart(NamedTuple):
    """What is drawn.

    Attributes:
        type: of the chart.
        x: the x axis.
        y: the y axis.
        lines: its marks; none for a heatmap.
        cells: of a heatmap, a value or NaN for each row of y and column of x.
        points: how many marks it has.
        notes: what was left out or computed.
        measure: of a heatmap, what the colours are; None for the values of its columns.
    """

    type: ChartType
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    cells: Floats | None
    points: int
    notes: tuple[str, ...]
    measure: str | None = None


def coded(column: Column) -> tuple[Codes, tuple[str, ...]]:
    """Return the label of each row as its position in the labels; -1 for none."""
    if column.kind is Kind.TEXT:
        return column.codes, column.labels
    present = ~np.isnan(column.numbers)
    values, places = np.unique(column.numbers[present], return_inverse=True)
    codes = np.full(len(column.numbers), -1, dtype=np.int64)
    codes[present] = places
    if column.kind is Kind.TIME:
        return codes, time_labels(values)
    return codes, tuple(f"{value:.12g}" for value in values)


def axis(column: Column) -> Axis:
    """Return the axis of a column without labels."""
    return Axis(column.name, is_time=column.kind is Kind.TIME)


def nothing_to_draw(columns: Sequence[Column]) -> ChartError:
    """Return the error for columns that have no row with a value in all of them."""
    names = ", ".join(column.name[:64] for column in columns)
    return ChartError(f"no row has a value in all of: {names}")
