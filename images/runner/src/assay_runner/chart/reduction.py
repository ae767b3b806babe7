"""Reduces a result to the few marks that a chart has room for."""

from __future__ import annotations

import math

import numpy as np

from assay_runner.chart.choice import ChartType, Plan
from assay_runner.chart.columns import Codes, Column, Flags, Floats, Kind
from assay_runner.chart.heatmap import cells
from assay_runner.chart.marks import Axis, Chart, Line, axis, coded, nothing_to_draw

MAX_BARS = 50
MAX_POINTS = 400
MAX_BINS = 30
MAX_LINES = 6


def reduce(plan: Plan) -> Chart:
    """Return the marks of a chart.

    Raises:
        ChartError: if no row has a value for each axis.
    """
    match plan.type:
        case ChartType.BAR:
            return _bars(plan)
        case ChartType.LINE:
            return _lines(plan)
        case ChartType.SCATTER:
            return _scatter(plan)
        case ChartType.HISTOGRAM:
            return _histogram(plan)
        case ChartType.HEATMAP:
            return cells(plan)


def _bars(plan: Plan) -> Chart:
    codes, labels = coded(plan.x)
    numbers = np.ones(len(codes)) if plan.y is None else plan.y.numbers
    valid = (codes >= 0) & ~np.isnan(numbers)
    counts = np.bincount(codes[valid], minlength=len(labels))
    with np.errstate(over="ignore"):
        sums: Floats = np.bincount(
            codes[valid], weights=numbers[valid], minlength=len(labels)
        ).astype(np.float64)
    kept = np.flatnonzero((counts > 0) & np.isfinite(sums))
    if not len(kept):
        raise nothing_to_draw([column for column in (plan.x, plan.y) if column])
    notes = []
    if plan.y is not None and counts.max() > 1:
        notes.append(f"sum of {plan.y.name} of the rows of each {plan.x.name}")
    ordered = plan.y is not None and counts.max() == 1
    if len(kept) > MAX_BARS:
        notes.append(f"the {MAX_BARS} largest of {len(kept):,} values of {plan.x.name}")
        kept = kept[np.argsort(-np.abs(sums[kept]), kind="stable")[:MAX_BARS]]
        ordered = False
    order = _first_rows(codes[valid], len(labels)) if ordered else -sums
    kept = kept[np.argsort(order[kept], kind="stable")]
    line = Line(None, np.arange(len(kept), dtype=np.float64), sums[kept])
    x = Axis(plan.x.name, tuple(labels[code] for code in kept))
    y = Axis("count" if plan.y is None else plan.y.name)
    return Chart(plan.type, x, y, (line,), None, len(kept), tuple(notes))


def _first_rows(codes: Codes, labels: int) -> Codes:
    """Return the first row of each label."""
    found = np.zeros(labels, dtype=np.int64)
    present, first = np.unique(codes, return_index=True)
    found[present] = first
    return found


def _lines(plan: Plan) -> Chart:
    assert plan.y is not None
    notes: list[str] = []
    x, labels = plan.x.numbers, None
    if plan.x.kind is Kind.TEXT:
        x, labels = plan.x.codes.astype(np.float64), plan.x.labels
        if len(set(plan.x.codes)) > MAX_POINTS:
            notes.append(f"the first {MAX_POINTS} of {len(labels) - 1:,} values of {plan.x.name}")
            x[x >= MAX_POINTS] = np.nan
    valid = ~(np.isnan(x) | np.isnan(plan.y.numbers))
    if not valid.any():
        raise nothing_to_draw([plan.x, plan.y])
    groups = [(None, valid)] if plan.group is None else _groups(plan.group, valid, notes)
    lines = []
    for name, rows in groups:
        at, values = _means(x[rows], plan.y.numbers[rows], plan, notes)
        room = MAX_POINTS // len(groups)
        # Between labels there is no position.
        if labels is None and len(at) > room:
            notes.append(f"means of {len(at):,} points in {room}")
            at, values = (
                np.array([part.mean() for part in np.array_split(found, room)])
                for found in (at, values)
            )
        lines.append(Line(name, at, values))
    of_x = axis(plan.x)
    if labels is not None:
        of_x = of_x._replace(labels=labels[: int(max(line.x.max() for line in lines)) + 1])
    points = sum(len(line.x) for line in lines)
    once = tuple(dict.fromkeys(notes))
    return Chart(plan.type, of_x, axis(plan.y), tuple(lines), None, points, once)


def _groups(group: Column, valid: Flags, notes: list[str]) -> list[tuple[str | None, Flags]]:
    """Return the rows of each line, those with most points."""
    counts = np.bincount(group.codes[valid], minlength=len(group.labels))
    kept = np.flatnonzero(counts)
    if len(kept) > MAX_LINES:
        notes.append(f"{MAX_LINES} of {len(kept):,} values of {group.name}")
        kept = np.sort(kept[np.argsort(-counts[kept], kind="stable")[:MAX_LINES]])
    return [(group.labels[code], valid & (group.codes == code)) for code in kept]


def _means(x: Floats, y: Floats, plan: Plan, notes: list[str]) -> tuple[Floats, Floats]:
    """Return one point for each x, in its order."""
    assert plan.y is not None
    places, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    if counts.max() > 1:
        notes.append(f"mean of {plan.y.name} of the rows of each {plan.x.name}")
    # Divided first: a sum may be no finite number.
    return places, np.bincount(inverse, weights=y / counts[inverse]).astype(np.float64)


def _scatter(plan: Plan) -> Chart:
    assert plan.y is not None
    rows = np.flatnonzero(~(np.isnan(plan.x.numbers) | np.isnan(plan.y.numbers)))
    if not len(rows):
        raise nothing_to_draw([plan.x, plan.y])
    notes: tuple[str, ...] = ()
    if len(rows) > MAX_POINTS:
        notes = (f"{MAX_POINTS} of {len(rows):,} points, evenly picked",)
        rows = rows[np.linspace(0, len(rows) - 1, MAX_POINTS).astype(np.int64)]
    line = Line(None, plan.x.numbers[rows], plan.y.numbers[rows])
    return Chart(plan.type, axis(plan.x), axis(plan.y), (line,), None, len(rows), notes)


def _histogram(plan: Plan) -> Chart:
    values = plan.x.numbers[~np.isnan(plan.x.numbers)]
    edges = _edges(values, plan.x.whole)
    counts = np.histogram(values, edges)[0].astype(np.float64)
    left_out = len(plan.x.numbers) - len(values)
    notes = (f"{left_out:,} rows without a finite value left out",) if left_out else ()
    line = Line(None, edges, counts)
    return Chart(plan.type, axis(plan.x), Axis("count"), (line,), None, len(counts), notes)


def _edges(values: Floats, whole: bool) -> Floats:
    low, high = float(values.min()), float(values.max())
    if whole and high - low < MAX_BINS and abs(low) < 2**52:
        return np.arange(low - 0.5, high + 1)
    bins = min(MAX_BINS, max(1, math.ceil(math.sqrt(len(values)))))
    edges = np.linspace(low, high, bins + 1)
    if (np.diff(edges) > 0).all():
        return edges
    # Nothing that could be divided into bars.
    margin = max(abs(low) * 1e-6, 0.5)
    return np.array([low - margin, high + margin])
