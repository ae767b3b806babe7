"""Pictures and reports as files."""

from __future__ import annotations

import html
import os
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from orchestrator.mcp._optional import require
from orchestrator.mcp._plain import Floats, chosen, finite, floats, is_number, names

__all__ = ["generate_report", "plot_distribution"]

_REPORT = "reports/report.html"
_MAX_BINS = 1000
_LARGE = 1e300
_SMALL = 1e-288
_MAX_TITLE_CHARACTERS = 80
_MAX_FILE_NAME_CHARACTERS = 64
_NOT_IN_A_FILE_NAME = re.compile(r"[^\w.-]+")
# Markdown is rendered without HTML of its own; the policy is for what a renderer may overlook.
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }}
table {{ border-collapse: collapse }}
th, td {{ border: 1px solid #ccc; padding: 0.25rem 0.5rem; text-align: left }}
pre {{ background: #f5f5f5; padding: 0.5rem; overflow-x: auto }}
img {{ max-width: 100% }}
</style>
</head>
<body>
<h1>{title}</h1>
{metadata}{body}</body>
</html>
"""


def plot_distribution(
    data: pd.DataFrame,
    column: str,
    *,
    output_path: str | os.PathLike[str] | None = None,
    bins: int = 30,
    title: str | None = None,
) -> str:
    """Draw the histogram of a numeric column, with its mean and median, as a PNG file.

    Missing and infinite values are left out.

    Args:
        data: the frame.
        column: its column.
        output_path: of the picture; None for `reports/distribution_COLUMN.png`, with `_` in
            place of what cannot be in a file name.
        bins: how many bars, 1 to 1,000.
        title: above the picture; None for the name of the column.

    Returns:
        The path of the picture.

    Raises:
        ImportError: if matplotlib is not installed.
        ValueError: if the column is missing, not numeric, or has no finite value.

    Example:
        >>> import pandas as pd
        >>> plot_distribution(pd.DataFrame({"price": [1, 2, 2, 3]}), "price", bins=3)
        'reports/distribution_price.png'
    """
    chosen(data, [column])
    if not is_number(data[column]):
        raise ValueError(f"the column {names([column])} is not numeric: it is {data[column].dtype}")
    if isinstance(bins, bool) or not isinstance(bins, int) or not 1 <= bins <= _MAX_BINS:
        raise ValueError(f"bins must be a number from 1 to {_MAX_BINS:,}")
    values = finite(floats(data[column]))
    if not len(values):
        raise ValueError(f"the column {names([column])} has no finite value to draw")
    figure = _histogram(values, bins, _label(column), _label(title or f"Distribution of {column}"))
    path = output_path or f"reports/distribution_{_file_name(column)}.png"
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        # About letters that the font does not have.
        warnings.simplefilter("ignore")
        figure.savefig(path, format="png", dpi=100)
    return os.fspath(path)


def generate_report(
    content: str,
    title: str = "Report",
    metadata: Mapping[str, object] | None = None,
    output_path: str | os.PathLike[str] | None = None,
) -> str:
    """Write Markdown as a page of HTML.

    Tables and all of CommonMark are rendered. HTML in the text is shown as text, and links that
    would run a script are left out.

    Args:
        content: Markdown.
        title: the heading.
        metadata: values by name, as a table below the heading.
        output_path: of the page; None for `reports/report.html`.

    Returns:
        The path of the page.

    Raises:
        ImportError: if markdown-it-py is not installed.
        ValueError: if there is no content.

    Example:
        >>> path = generate_report("Sales **rose**.", title="May", metadata={"rows": 3})
        >>> "<strong>rose</strong>" in open(path).read()
        True
    """
    if not isinstance(content, str) or not content.strip():
        raise ValueError("content is empty: pass Markdown text")
    markdown: Any = require("markdown_it", "markdown-it-py", "generate_report")
    renderer = markdown.MarkdownIt("commonmark", {"html": False}).enable("table")
    page = _PAGE.format(
        title=html.escape(str(title)), metadata=_table(metadata), body=renderer.render(content)
    )
    path = output_path or _REPORT
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # Lone surrogates cannot be encoded.
    Path(path).write_text(page, encoding="utf-8", errors="backslashreplace")
    return os.fspath(path)


def _histogram(values: Floats, bins: int, label: str, title: str) -> Any:  # noqa: ANN401
    figures: Any = require("matplotlib.figure", "matplotlib", "plot_distribution")
    # Without pyplot, which would keep the figure.
    figure = figures.Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    # The width of the range may not be a finite number.
    scale = 1.0 if np.abs(values).max() < _LARGE else 1e-10
    values = values * scale
    low, high = values.min(), values.max()
    if high - low <= max(abs(low), abs(high), _SMALL) * 1e-12:
        # Nothing that could be divided into bars.
        low, high = low - max(abs(low) * 1e-6, 0.5), high + max(abs(high) * 1e-6, 0.5)
    axes.hist(values, bins=bins, range=(low, high), edgecolor="white")
    for value, name, style in ((values.mean(), "mean", "-"), (np.median(values), "median", "--")):
        axes.axvline(value, color="black", linestyle=style, linewidth=1, label=name)
    # Dollar signs are text, not mathematics.
    axes.set_title(title, parse_math=False)
    unit = "" if scale == 1.0 else " (in 1e10)"
    axes.set_xlabel(label + unit, parse_math=False)
    axes.set_ylabel("count")
    axes.legend()
    return figure


def _table(metadata: Mapping[str, object] | None) -> str:
    if not metadata:
        return ""
    rows = "".join(
        f"<tr><th>{html.escape(str(name))}</th><td>{html.escape(str(value))}</td></tr>\n"
        for name, value in metadata.items()
    )
    return f"<table>\n{rows}</table>\n"


def _label(text: object) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in str(text))
    if len(shown) <= _MAX_TITLE_CHARACTERS:
        return shown
    return shown[: _MAX_TITLE_CHARACTERS - 1] + "…"


def _file_name(column: object) -> str:
    name = _NOT_IN_A_FILE_NAME.sub("_", str(column)).strip(".")
    return name[:_MAX_FILE_NAME_CHARACTERS] or "column"
