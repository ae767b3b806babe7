"""A chart as JSON that plotly reads."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from assay_runner.chart.choice import ChartType
from assay_runner.chart.columns import Floats
from assay_runner.chart.labels import shown
from assay_runner.chart.marks import Axis, Chart, Line
from assay_runner.chart.picture import HEIGHT, WIDTH
from assay_runner.chart.times import time_labels

_MAX_LABEL_CHARACTERS = 256


def figure(chart: Chart) -> dict[str, object]:
    """Return the figure: data and layout of plotly."""
    x, y = _axis(chart.x), _axis(chart.y)
    if chart.cells is not None:
        data = [_heatmap(chart)]
        # The first row is at the top, as in the picture.
        y["autorange"] = "reversed"
    else:
        data = [_trace(chart, line) for line in chart.lines]
    layout = {"width": WIDTH, "height": HEIGHT, "xaxis": x, "yaxis": y}
    if chart.type is ChartType.HISTOGRAM:
        layout["bargap"] = 0
    return {"data": data, "layout": layout}


def _axis(axis: Axis) -> dict[str, object]:
    kind = "category" if axis.labels is not None else "date" if axis.is_time else "linear"
    return {"title": {"text": _text(axis.title)}, "type": kind}


def _trace(chart: Chart, line: Line) -> dict[str, object]:
    if chart.type is ChartType.HISTOGRAM:
        middles = (line.x[:-1] + line.x[1:]) / 2
        widths = np.diff(line.x).tolist()
        return {"type": "bar", "x": middles.tolist(), "y": line.y.tolist(), "width": widths}
    trace: dict[str, object] = {"x": _values(chart.x, line.x), "y": _values(chart.y, line.y)}
    if chart.type is ChartType.BAR:
        return {"type": "bar", **trace}
    if line.name is not None:
        trace["name"] = _text(line.name)
    mode = "lines+markers" if chart.type is ChartType.LINE else "markers"
    return {"type": "scatter", "mode": mode, **trace}


def _heatmap(chart: Chart) -> dict[str, object]:
    assert chart.cells is not None
    cells = [[None if np.isnan(cell) else float(cell) for cell in row] for row in chart.cells]
    return {
        "type": "heatmap",
        "x": _labels(chart.x.labels or ()),
        "y": _labels(chart.y.labels or ()),
        "z": cells,
        "colorscale": "Viridis",
    }


def _values(axis: Axis, positions: Floats) -> list[object]:
    if axis.labels is not None:
        labels = _labels(axis.labels)
        return [labels[int(position)] for position in positions]
    return list(time_labels(positions)) if axis.is_time else positions.tolist()


def _labels(labels: Sequence[str]) -> list[str]:
    """Return labels that differ from each other, since plotly takes equal ones for one place."""
    found: dict[str, None] = {}
    for label in labels:
        text = unique = _text(label)
        number = 1
        while unique in found:
            number += 1
            unique = f"{text} ({number})"
        found[unique] = None
    return list(found)


def _text(text: str) -> str:
    """Return a text for plotly, which reads some HTML in it."""
    return html.escape(shown(text, _MAX_LABEL_CHARACTERS), quote=False)
