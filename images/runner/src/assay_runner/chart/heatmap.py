"""The cells of a heatmap."""

from __future__ import annotations

import numpy as np

from assay_runner.chart.choice import Plan
from assay_runner.chart.columns import Codes, Column, Floats, Kind
from assay_runner.chart.marks import Axis, Chart, coded, nothing_to_draw

_MAX_COLUMNS, _MAX_ROWS = 30, 20


def cells(plan: Plan) -> Chart:
    """Return the marks of a heatmap.

    Raises:
        ChartError: if no row has a value for each axis.
    """
    if plan.y is None:
        return _of_columns(plan)
    return _of_numbers(plan) if plan.x.kind is Kind.NUMBER else _of_keys(plan)


def _of_keys(plan: Plan) -> Chart:
    """Two columns are the axes; a third one's mean, or how often they occur, the colour."""
    assert plan.y is not None
    notes: list[str] = []
    value = plan.values[0] if plan.values else None
    numbers = np.ones(len(_rows(plan.x))) if value is None else value.numbers
    x, x_labels = _frequent(plan.x, _MAX_COLUMNS, notes)
    y, y_labels = _frequent(plan.y, _MAX_ROWS, notes)
    valid = (x >= 0) & (y >= 0) & ~np.isnan(numbers)
    if not valid.any():
        raise nothing_to_draw([plan.x, plan.y, *plan.values])
    size = len(x_labels) * len(y_labels)
    places = y[valid] * len(x_labels) + x[valid]
    counts = np.bincount(places, minlength=size)
    found = counts.astype(np.float64)
    if value is not None:
        # Divided first: a sum may be no finite number.
        weights = numbers[valid] / counts[places]
        found = np.bincount(places, weights=weights, minlength=size).astype(np.float64)
        if counts.max() > 1:
            notes.append(f"mean of {value.name} of the rows of each cell")
    found[counts == 0] = np.nan
    return _chart(
        plan,
        Axis(plan.x.name, x_labels),
        Axis(plan.y.name, y_labels),
        found.reshape(len(y_labels), len(x_labels)),
        notes,
        "count" if value is None else value.name,
    )


def _of_columns(plan: Plan) -> Chart:
    """One column labels the rows; the columns of numbers are the cells of each."""
    notes: list[str] = []
    codes, labels = _frequent(plan.x, _MAX_ROWS, notes)
    values = plan.values[:_MAX_COLUMNS]
    found = np.full((len(labels), len(values)), np.nan)
    for at, column in enumerate(values):
        valid = (codes >= 0) & ~np.isnan(column.numbers)
        counts = np.bincount(codes[valid], minlength=len(labels))
        weights = column.numbers[valid] / counts[codes[valid]]
        means = np.bincount(codes[valid], weights=weights, minlength=len(labels))
        found[counts > 0, at] = means[counts > 0]
    if np.isnan(found).all():
        raise nothing_to_draw([plan.x, *values])
    names = tuple(column.name for column in values)
    return _chart(plan, Axis("column", names), Axis(plan.x.name, labels), found, notes)


def _of_numbers(plan: Plan) -> Chart:
    """Two columns of numbers, divided into bins; the colour is how many rows are in each."""
    assert plan.y is not None
    valid = ~(np.isnan(plan.x.numbers) | np.isnan(plan.y.numbers))
    if not valid.any():
        raise nothing_to_draw([plan.x, plan.y])
    x, x_labels = _bins(plan.x.numbers[valid], _MAX_COLUMNS)
    y, y_labels = _bins(plan.y.numbers[valid], _MAX_ROWS)
    counts = np.bincount(y * len(x_labels) + x, minlength=len(x_labels) * len(y_labels))
    # Numbers grow upwards, rows downwards.
    found = counts.reshape(len(y_labels), len(x_labels)).astype(np.float64)[::-1]
    of_x = Axis(plan.x.name, x_labels)
    of_y = Axis(plan.y.name, y_labels[::-1])
    return _chart(plan, of_x, of_y, found, [], "count")


def _bins(values: Floats, most: int) -> tuple[Codes, tuple[str, ...]]:
    """Return the bin of each value, and the labels of the bins: where they begin."""
    low, high = float(values.min()), float(values.max())
    width = (high - low) / most
    if not width:
        return np.zeros(len(values), dtype=np.int64), (f"{low:.4g}",)
    places = np.minimum(((values - low) / width).astype(np.int64), most - 1)
    return places, tuple(f"{low + width * number:.4g}" for number in range(most))


def _frequent(column: Column, most: int, notes: list[str]) -> tuple[Codes, tuple[str, ...]]:
    """Return the label of each row; -1 for those of the less frequent labels."""
    codes, labels = coded(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    kept = np.flatnonzero(counts)
    if len(kept) > most:
        notes.append(f"the {most} most frequent of {len(kept):,} values of {column.name}")
        kept = np.sort(kept[np.argsort(-counts[kept], kind="stable")[:most]])
    # One more, for rows without a label, whose code is -1.
    places = np.full(len(labels) + 1, -1, dtype=np.int64)
    places[kept] = np.arange(len(kept))
    return places[codes], tuple(labels[code] for code in kept)


def _rows(column: Column) -> Codes | Floats:
    return column.codes if column.kind is Kind.TEXT else column.numbers


def _chart(
    plan: Plan, x: Axis, y: Axis, found: Floats, notes: list[str], measure: str | None = None
) -> Chart:
    points = int((~np.isnan(found)).sum())
    if measure is not None:
        notes = [f"colour: {measure}", *notes]
    return Chart(plan.type, x, y, (), found, points, tuple(notes), measure)
