"""Chooses the type of a chart and its axes by the columns of the result."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay_runner.chart.columns import ChartError, Column, Kind

_MAX_HEATMAP_LABELS = 20
_MAX_LISTED = 10


class ChartType(enum.Enum):
    """What can be drawn."""

    BAR = "bar"
    LINE = "line"
    SCATTER = "scatter"
    HISTOGRAM = "histogram"
    HEATMAP = "heatmap"


class Plan(NamedTuple):
    """What is drawn.

    Attributes:
        type: of the chart.
        x: the column along the x axis.
        y: the column along the y axis; None for how often x has its values.
        group: of a line chart, the column with a line for each of its labels.
        values: of a heatmap, the columns that decide the colours: one for a cell of x and y, or
            several, which are the cells of a row themselves; none for how often the cell occurs.
    """

    type: ChartType
    x: Column
    y: Column | None = None
    group: Column | None = None
    values: tuple[Column, ...] = ()


class _Columns(NamedTuple):
    numbers: list[Column]
    times: list[Column]
    texts: list[Column]


def choose(columns: Sequence[Column], wanted: ChartType | None) -> Plan:
    """Return what to draw.

    Args:
        columns: those that can be drawn, in the order of the result.
        wanted: the type; None to choose it.

    Raises:
        ChartError: if the columns do not suffice.
    """
    if not columns:
        raise ChartError(
            "the result has no column to draw: only nulls, values that are not finite, or nested"
            " ones"
        )
    found = _Columns(*([c for c in columns if c.kind is kind] for kind in Kind))
    match wanted or _type(found):
        case ChartType.BAR:
            return _bar(columns, found)
        case ChartType.LINE:
            return _line(columns, found)
        case ChartType.SCATTER:
            return _scatter(columns, found)
        case ChartType.HISTOGRAM:
            return _histogram(columns, found)
        case ChartType.HEATMAP:
            return _heatmap(columns, found)


def _type(found: _Columns) -> ChartType:
    if found.times and found.numbers:
        return ChartType.LINE
    if found.texts or found.times:
        return ChartType.HEATMAP if _is_grid(found) else ChartType.BAR
    if len(found.numbers) == 1:
        return ChartType.HISTOGRAM
    return ChartType.LINE if _is_sequence(found.numbers[0]) else ChartType.SCATTER


def _is_grid(found: _Columns) -> bool:
    """Return whether two columns of few labels are the keys of the rows."""
    if len(found.texts) != 2 or len(found.numbers) != 1:
        return False
    first, second = found.texts
    if max(len(set(first.codes)), len(set(second.codes))) > _MAX_HEATMAP_LABELS:
        return False
    cells = first.codes * len(second.labels) + second.codes
    return len(set(cells)) == len(cells) > max(len(set(first.codes)), len(set(second.codes)))


def _is_sequence(column: Column) -> bool:
    """Return whether the numbers count something, such as years."""
    return column.whole and len(column.numbers) > 1 and bool((np.diff(column.numbers) > 0).all())


def _bar(columns: Sequence[Column], found: _Columns) -> Plan:
    numbers = found.numbers
    x = (found.texts or found.times or numbers)[0]
    return Plan(ChartType.BAR, x, _measure(columns, x, numbers))


def _line(columns: Sequence[Column], found: _Columns) -> Plan:
    x = (found.times or found.numbers or found.texts)[0]
    if not found.times and len(found.numbers) == 1 and found.texts:
        x = found.texts[0]
    y = _measure(columns, x, found.numbers)
    if y is None:
        raise _refusal("line chart", "a column of numbers, and another one", columns)
    groups = [column for column in found.texts if column is not x and len(set(column.codes)) > 1]
    return Plan(ChartType.LINE, x, y, groups[0] if groups else None)


def _scatter(columns: Sequence[Column], found: _Columns) -> Plan:
    candidates = [column for column in columns if column.kind is not Kind.TEXT]
    if len(candidates) < 2 or not found.numbers:
        raise _refusal("scatter chart", "two columns of numbers", columns)
    x, y = candidates[:2]
    # Times are along the x axis.
    return Plan(ChartType.SCATTER, y, x) if y.kind is Kind.TIME else Plan(ChartType.SCATTER, x, y)


def _histogram(columns: Sequence[Column], found: _Columns) -> Plan:
    if found.numbers:
        return Plan(ChartType.HISTOGRAM, found.numbers[0])
    if found.texts:
        return Plan(ChartType.BAR, found.texts[0])
    raise _refusal("histogram", "a column of numbers or of text", columns)


def _heatmap(columns: Sequence[Column], found: _Columns) -> Plan:
    keys = [column for column in columns if column.kind is not Kind.NUMBER]
    if len(keys) >= 2:
        return Plan(ChartType.HEATMAP, keys[0], keys[1], values=tuple(found.numbers[:1]))
    if keys and found.numbers:
        return Plan(ChartType.HEATMAP, keys[0], values=tuple(found.numbers))
    if len(found.numbers) >= 2:
        return Plan(ChartType.HEATMAP, found.numbers[0], found.numbers[1])
    raise _refusal("heatmap", "two columns", columns)


def _measure(columns: Sequence[Column], x: Column, numbers: Sequence[Column]) -> Column | None:
    """Return the first column of numbers after x, else the first; keys come before measures."""
    others = [column for column in numbers if column is not x]
    position = next(at for at, column in enumerate(columns) if column is x)
    after = [column for column in columns[position + 1 :] if column.kind is Kind.NUMBER]
    return next(iter([*after, *others]), None)


def _refusal(what: str, needed: str, columns: Sequence[Column]) -> ChartError:
    has = ", ".join(f"{column.name[:64]} ({column.kind.value})" for column in columns[:_MAX_LISTED])
    return ChartError(f"a {what} needs {needed}; the result has {has}")
