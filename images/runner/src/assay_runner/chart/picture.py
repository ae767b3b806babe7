"""Draws a chart as a picture of 600 x 360 pixels."""

from __future__ import annotations

import warnings
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from assay_runner.chart.choice import ChartType
from assay_runner.chart.columns import Floats
from assay_runner.chart.labels import Fitted, along, beside, shown
from assay_runner.chart.marks import Axis, Chart
from assay_runner.fonts import families, lacks

WIDTH, HEIGHT = 600, 360
_DPI = 100
_TICK_SIZE = 8
# What is left for the axes when titles and labels have their place.
_AXES_WIDTH, _AXES_HEIGHT = 500, 230
_MAX_TICKS = 7
_MAX_LEGEND_CHARACTERS = 20
_FEW_BARS = 4
_DAY = 86_400


def unreadable(chart: Chart) -> int:
    """Return how many labels have letters that the fonts of the picture lack."""
    texts = [chart.x.title, chart.y.title, *(chart.x.labels or ()), *(chart.y.labels or ())]
    texts += [line.name for line in chart.lines if line.name is not None]
    return sum(lacks(shown(text)) for text in texts)


def save(chart: Chart, path: str) -> None:
    """Write a picture as a PNG file."""
    with warnings.catch_warnings(), mpl.rc_context():
        # About letters that the fonts do not have.
        warnings.simplefilter("ignore")
        # Code in whose process this draws may have set others.
        mpl.rcdefaults()
        mpl.rcParams["font.family"] = families()
        # Dollar signs are text.
        mpl.rcParams["text.parse_math"] = False
        figure = drawn(chart)
        figure.savefig(path, format="png", dpi=_DPI, metadata={"Software": None})


def drawn(chart: Chart) -> Figure:
    """Return the figure of a chart."""
    # Without pyplot, which would keep the figure.
    figure = Figure(figsize=(WIDTH / _DPI, HEIGHT / _DPI), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.tick_params(labelsize=_TICK_SIZE)
    _MARKS[chart.type](axes, chart)
    _label(axes, chart)
    return figure


def _bars(axes: Axes, chart: Chart) -> None:
    (line,) = chart.lines
    axes.bar(line.x, line.y, width=0.8)
    if len(line.x) < _FEW_BARS:
        # One bar would fill the picture.
        axes.set_xlim(-1, len(line.x))
    if (line.y < 0).any():
        axes.axhline(0, color="black", linewidth=0.8)


def _lines(axes: Axes, chart: Chart) -> None:
    for line in chart.lines:
        # A line of one point would not be seen.
        marker = "o" if len(line.x) <= 50 else None
        name = None if line.name is None else shown(line.name, _MAX_LEGEND_CHARACTERS)
        axes.plot(_places(line.x, chart.x), line.y, marker=marker, markersize=3, label=name)
    if len(chart.lines) > 1:
        axes.legend(fontsize=_TICK_SIZE, loc="best")


def _points(axes: Axes, chart: Chart) -> None:
    (line,) = chart.lines
    axes.scatter(_places(line.x, chart.x), _places(line.y, chart.y), s=12, alpha=0.7)


def _histogram(axes: Axes, chart: Chart) -> None:
    (line,) = chart.lines
    axes.bar(
        line.x[:-1], line.y, width=np.diff(line.x), align="edge", edgecolor="white", linewidth=0.5
    )


def _cells(axes: Axes, chart: Chart) -> None:
    assert chart.cells is not None
    image = axes.imshow(chart.cells, aspect="auto", cmap="viridis", interpolation="nearest")
    assert axes.figure is not None
    bar = axes.figure.colorbar(image, ax=axes)
    bar.ax.tick_params(labelsize=_TICK_SIZE)


_MARKS = {
    ChartType.BAR: _bars,
    ChartType.LINE: _lines,
    ChartType.SCATTER: _points,
    ChartType.HISTOGRAM: _histogram,
    ChartType.HEATMAP: _cells,
}


def _label(axes: Axes, chart: Chart) -> None:
    of_x, of_y = shown(chart.x.title), shown(chart.y.title)
    axes.set_title(shown(_title(chart, of_x, of_y)), fontsize=10)
    axes.set_xlabel(of_x, fontsize=9)
    axes.set_ylabel(shown(of_y, 36), fontsize=9)
    x, y = chart.x.labels, chart.y.labels
    _ticks(axes.xaxis, chart.x, None if x is None else along(x, _AXES_WIDTH))
    _ticks(axes.yaxis, chart.y, None if y is None else beside(y, _AXES_HEIGHT))


def _title(chart: Chart, of_x: str, of_y: str) -> str:
    if chart.type is ChartType.HISTOGRAM:
        return f"Distribution of {of_x}"
    return f"{of_y} by {of_x}" if chart.measure is None else f"{chart.measure} by {of_x} and {of_y}"


def _ticks(axis: Any, of: Axis, fitted: Fitted | None) -> None:  # noqa: ANN401
    if fitted is not None:
        options: dict[str, Any] = {"rotation": fitted.rotation}
        if fitted.rotation == 45:
            options |= {"ha": "right", "rotation_mode": "anchor"}
        axis.set_ticks(fitted.positions, labels=fitted.labels, **options)
    elif of.is_time:
        locator: Any = AutoDateLocator(minticks=3, maxticks=_MAX_TICKS)  # type: ignore[no-untyped-call]
        axis.set_major_locator(locator)
        axis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    else:
        axis.set_major_locator(MaxNLocator(nbins=_MAX_TICKS, steps=[1, 2, 2.5, 5, 10]))


def _places(positions: Floats, axis: Axis) -> Floats:
    """Return positions as matplotlib has them: times are days."""
    return positions / _DAY if axis.is_time else positions
