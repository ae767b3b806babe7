"""Pictures and reports, with hostile names and texts."""

from __future__ import annotations

import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from orchestrator.mcp.viz import generate_report, plot_distribution

pytestmark = pytest.mark.slow


def test_a_picture_is_drawn() -> None:
    path = plot_distribution(
        pd.DataFrame({"x": [1, 2, 2, np.nan]}), "x", output_path=Path("a/b/c.png"), title="Title"
    )
    assert path == "a/b/c.png"
    picture = matplotlib.image.imread(path)
    assert picture.shape[:2] == (500, 800)
    # Something was drawn in the colour of bars.
    assert (np.abs(picture[..., :3] - [0.122, 0.467, 0.706]).max(axis=2) < 0.01).sum() > 1000


@pytest.mark.parametrize(
    "values",
    [
        [5.0] * 3,
        [np.inf, 1.0],
        [1e308, -1e308],
        [0.0, 5e-324],
        [1.0, 1.0 + 2e-16],
        [1e15, 1e15 + 0.125],
        pd.array([1, None], dtype="Int64"),
    ],
)
def test_any_finite_numbers_are_drawn(values: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot_distribution(pd.DataFrame({"x": values}), "x")


@pytest.mark.parametrize(
    "name",
    [
        "$\\frac{1}{0$",
        "$$",
        "../../etc/passwd",
        "a/b\0c\nd",
        "x" * 10_240,
        "売上 مبيعات 😀",
        "\x1b[31mred",
        "<script>alert(1)</script>",
        "..",
        "",
    ],
)
def test_a_hostile_name_is_a_label_and_stays_in_the_folder(name: str, workspace: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = plot_distribution(pd.DataFrame({name: [1, 2]}), name)
    assert Path(path).parent == Path("reports")
    assert [str(found.parent) for found in workspace.rglob("*.png")] == [str(workspace / "reports")]


@pytest.mark.parametrize(
    ("frame", "column", "options", "message"),
    [
        ({"x": [1]}, "y", {}, "data has no column 'y'; it has 'x'"),
        ({"x": ["a"]}, "x", {}, "'x' is not numeric: it is str"),
        ({"x": [True]}, "x", {}, "not numeric"),
        ({"x": [np.nan, np.inf]}, "x", {}, "no finite value"),
        ({"x": pd.Series([], dtype=float)}, "x", {}, "no finite value"),
        ({"x": [1]}, "x", {"bins": 0}, "bins must be a number from 1 to 1,000"),
        ({"x": [1]}, "x", {"bins": 10**9}, "bins must be"),
        ({"x": [1]}, "x", {"bins": "auto"}, "bins must be"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    frame: Any, column: str, options: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        plot_distribution(pd.DataFrame(frame), column, **options)
    assert not Path("reports").exists()


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_a_report_has_its_text_its_tables_and_its_metadata() -> None:
    path = generate_report(
        "## Sales\n\n| a | b |\n|---|---|\n| 1 | *2* |\n", "A & B", {"rows": 3}, "out.html"
    )
    page = Path(path).read_text()
    for part in ("<h2>Sales</h2>", "<em>2</em>", "<h1>A &amp; B</h1>", "<td>3</td>"):
        assert part in page


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt&colon;alert(1))",
    "![a](data:text/html;base64,PHNjcmlwdD4=)",
    "<javascript:alert(1)>",
    '[a](x "onmouseover=alert(1) \\"")',
    "[a]: vbscript:x\n\n[a]",
    "<svg/onload=alert(1)>",
    "<!-- <script> -->",
    "```html\n</code></pre><script>x</script>\n```",
    "`<script>`",
    "> " * 500 + "<script>",
    "\ud800<script>",
    "[" * 5000 + "](x)",
    "*a " * 5000,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_report_carries_no_script(text: str) -> None:
    path = generate_report(f"x\n\n{text}", title=text, metadata={text: text})
    found = Tags(Path(path).read_text(encoding="utf-8")).found
    assert not {tag for tag, _ in found} & {"script", "svg", "iframe", "object", "embed", "base"}
    for tag, attributes in found:
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("href", "src"):
            address = (attributes.get(name) or "").strip().lower()
            assert not address.startswith(("javascript:", "vbscript:", "data:text")), address


@pytest.mark.parametrize("content", ["", "  \n", None])
def test_an_empty_report_is_refused(content: Any) -> None:
    with pytest.raises(ValueError, match="content is empty"):
        generate_report(content)
