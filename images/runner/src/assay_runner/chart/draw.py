"""Draws a chart of a result into a directory."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from assay_runner.chart.choice import ChartType, Plan, choose
from assay_runner.chart.columns import ChartError, Column, Kind, read
from assay_runner.chart.figure import figure
from assay_runner.chart.labels import shown
from assay_runner.chart.marks import Chart
from assay_runner.chart.picture import save, unreadable
from assay_runner.chart.reduction import reduce

PICTURE = "chart.png"
FIGURE = "chart.plotly.json"
_MAX_ERROR_CHARACTERS = 300
_MAX_NAME_CHARACTERS = 128
_MAX_LISTED = 5


def draw(
    table: str, chart_type: str | None, output: str, time_zone: str | None = None
) -> dict[str, object]:
    """Write `chart.png` and `chart.plotly.json`.

    Args:
        table: path of a Parquet file.
        chart_type: `bar`, `line`, `scatter`, `histogram` or `heatmap`; None to choose it.
        output: directory for the two, which is created.
        time_zone: of times in UTC, such as those of SQL; others are drawn in their own zone.

    Returns:
        `type`, `x` and `y` (what is along the axes), `points` (how many marks there are) and `note`
        (what was computed or left out; None for nothing). Or `error`, a sentence, with no file
        written.
    """
    try:
        wanted = None if chart_type is None else ChartType(chart_type)
        columns = read(table, time_zone)
        plan = choose(columns, wanted)
        chart = reduce(plan)
        os.makedirs(output, exist_ok=True)
        save(chart, os.path.join(output, PICTURE))
        with open(os.path.join(output, FIGURE), "w", encoding="utf-8") as file:
            json.dump(figure(chart), file, allow_nan=False)
        notes = [*chart.notes, *_unreadable(chart), *_not_drawn(plan, columns)]
    except ChartError as error:
        return {"error": shown(str(error), _MAX_ERROR_CHARACTERS)}
    except (Exception, MemoryError) as error:
        text = f"the chart could not be drawn: {type(error).__name__}: {error}"
        return {"error": shown(text, _MAX_ERROR_CHARACTERS)}
    return {
        "type": chart.type.value,
        "x": shown(chart.x.title, _MAX_NAME_CHARACTERS),
        "y": shown(chart.y.title, _MAX_NAME_CHARACTERS),
        "points": chart.points,
        "note": shown("; ".join(notes), _MAX_ERROR_CHARACTERS) or None,
    }


def _not_drawn(plan: Plan, columns: Sequence[Column]) -> list[str]:
    """Name the numbers that have no place, since they may be what the chart was asked for."""
    drawn = {plan.x.name, *(c.name for c in (plan.y, plan.group, *plan.values) if c is not None)}
    names = [c.name for c in columns if c.kind is Kind.NUMBER and c.name not in drawn]
    if not names:
        return []
    more = ", …" if len(names) > _MAX_LISTED else ""
    verb = "is" if len(names) == 1 else "are"
    return [f"{', '.join(names[:_MAX_LISTED])}{more} {verb} not drawn"]


def _unreadable(chart: Chart) -> list[str]:
    count = unreadable(chart)
    if not count:
        return []
    labels = "1 label" if count == 1 else f"{count} labels"
    return [f"the image cannot show all characters of {labels}; {FIGURE} has them"]
