"""Charts: how the axes are chosen, what is drawn of much or of nothing, and that labels fit."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.image
import numpy as np
import pandas as pd
import plotly.io
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay_runner import fonts
from assay_runner.chart.choice import ChartType, choose
from assay_runner.chart.columns import read
from assay_runner.chart.draw import FIGURE, PICTURE, draw
from assay_runner.chart.labels import along, beside
from assay_runner.chart.marks import Chart
from assay_runner.chart.picture import drawn
from assay_runner.chart.reduction import reduce

pytestmark = pytest.mark.slow

RANDOM = np.random.default_rng(1)
Table = Mapping[str, Any]
TYPES = (None, "bar", "line", "scatter", "histogram", "heatmap")


class Drawer:
    """Draws tables below a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @property
    def output(self) -> Path:
        return self._directory / "charts"

    def table(self, columns: Table | pa.Table) -> Path:
        path = self._directory / "result.parquet"
        table = columns if isinstance(columns, pa.Table) else pa.table(dict(columns))
        pq.write_table(table, path)
        return path

    def draw(self, columns: Table | pa.Table, chart_type: str | None = None) -> dict[str, Any]:
        return draw(str(self.table(columns)), chart_type, str(self.output))

    def figure(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.output / FIGURE).read_text())
        return found

    def chart(self, columns: Table) -> Chart:
        return reduce(choose(read(str(self.table(columns))), None))


@pytest.fixture
def drawer(tmp_path: Path) -> Drawer:
    return Drawer(tmp_path)


DAYS = pd.date_range("2024-01-01", periods=4)
GRID = {"o": ["a", "a", "b", "b"], "d": ["x", "y", "x", "y"], "n": [1, 2, 3, 4]}


@pytest.mark.parametrize(
    ("columns", "wanted", "expected"),
    [
        ({"g": ["a", "b"], "n": [1, 2]}, None, ("bar", "g", "n")),
        ({"n": [1, 2], "g": ["a", "b"]}, None, ("bar", "g", "n")),
        ({"year": [1, 2], "g": ["a", "b"], "n": [1, 2]}, None, ("bar", "g", "n")),
        ({"g": ["a", "b", "a"]}, None, ("bar", "g", "count")),
        ({"ok": [True, False]}, None, ("bar", "ok", "count")),
        ({"d": DAYS, "p": [1.0, 2.0, 3.0, 4.0]}, None, ("line", "d", "p")),
        ({"p": [1.0, 2.0, 3.0, 4.0], "d": DAYS}, None, ("line", "d", "p")),
        ({"d": DAYS}, None, ("bar", "d", "count")),
        ({"year": [2020, 2021, 2022], "n": [5, 4, 6]}, None, ("line", "year", "n")),
        ({"x": [2.5, 1.0, 2.0], "y": [5, 4, 6]}, None, ("scatter", "x", "y")),
        ({"x": [2.5, 1.0, 2.0]}, None, ("histogram", "x", "count")),
        (GRID, None, ("heatmap", "o", "d")),
        (GRID, "bar", ("bar", "o", "n")),
        ({"g": ["a", "b"], "n": [1, 2]}, "line", ("line", "g", "n")),
        ({"g": ["a", "b"], "n": [1, 2]}, "histogram", ("histogram", "n", "count")),
        ({"g": ["a", "b"]}, "histogram", ("bar", "g", "count")),
        ({"g": ["a", "b"], "x": [1, 2], "y": [1, 2]}, "heatmap", ("heatmap", "column", "g")),
        ({"x": [1, 2], "y": [1, 2]}, "heatmap", ("heatmap", "x", "y")),
        ({"p": [1.0, 2.0, 3.0, 4.0], "d": DAYS}, "scatter", ("scatter", "d", "p")),
        ({"x": [1.5, 2.5], "y": [1, 2]}, "bar", ("bar", "x", "y")),
        ({"a": [None, None], "g": ["a", "b"], "n": [1, 2]}, None, ("bar", "g", "n")),
        ({"s": [[1], [2]], "g": ["a", "b"], "n": [1, 2]}, None, ("bar", "g", "n")),
        ({"g": ["a", "b"], "n": [Decimal("1.5"), Decimal("2")]}, None, ("bar", "g", "n")),
    ],
)
def test_type_and_axes_follow_from_the_columns(
    drawer: Drawer, columns: Table, wanted: str | None, expected: tuple[str, str, str]
) -> None:
    found = drawer.draw(columns, wanted)
    assert (found["type"], found["x"], found["y"]) == expected
    assert matplotlib.image.imread(drawer.output / PICTURE).shape[:2] == (360, 600)


@pytest.mark.parametrize(
    ("columns", "wanted", "error"),
    [
        ({"a": pa.array([], pa.int64())}, None, "the result has no rows to draw"),
        ({"a": pa.array([None], pa.int64()), "b": pa.array([None])}, None, "no column to draw"),
        ({"a": [np.nan, np.inf]}, None, "no column to draw"),
        ({"a": [[1], [2]]}, None, "no column to draw"),
        ({"a": [b"x"]}, None, "no column to draw"),
        ({"g": ["a"]}, "line", "a line chart needs a column of numbers, and another one; the"),
        (
            {"g": ["a"], "n": [1]},
            "scatter",
            "needs two columns of numbers; the result has g (text)",
        ),
        ({"n": [1]}, "heatmap", "a heatmap needs two columns"),
        ({"d": DAYS}, "histogram", "a histogram needs a column of numbers or of text"),
        ({"g": ["a", "b"], "n": [None, 1], "m": [2, None]}, "scatter", "no row has a value in all"),
        ({"n": [1]}, "pie", "the chart could not be drawn: ValueError"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence_and_leaves_no_file(
    drawer: Drawer, columns: Table, wanted: str | None, error: str
) -> None:
    found = drawer.draw(columns, wanted)
    assert list(found) == ["error"]
    assert error in found["error"]
    assert "\n" not in found["error"]
    assert not drawer.output.exists()


def test_numbers_that_have_no_place_in_a_chart_are_named(drawer: Drawer) -> None:
    columns = {"year": [2024] * 3, "month": [1, 2, 3], "units": [10, 30, 20]}
    assert drawer.draw(columns)["note"] == "units is not drawn"


def test_a_file_that_is_no_table_is_an_error(drawer: Drawer, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no Parquet")
    for path in ("x", "missing"):
        assert list(draw(str(tmp_path / path), None, str(drawer.output))) == ["error"]


def test_times_are_drawn_in_their_zone_or_the_one_that_is_given(drawer: Drawer) -> None:
    late = pd.to_datetime(["2024-03-30T23:30:00Z", "2024-03-31T22:30:00Z"])
    columns = {"at": pa.array(late.tz_convert("Europe/Berlin")), "v": [1, 2]}
    local = [1_711_845_000, 1_711_931_400]
    assert read(str(drawer.table(columns)))[0].numbers.tolist() == local
    table = drawer.table({"at": pa.array(late), "v": [1, 2]})
    assert read(str(table))[0].numbers.tolist() == [1_711_841_400, 1_711_924_200]
    assert read(str(table), "Europe/Berlin")[0].numbers.tolist() == local


def test_bars_are_as_the_result_has_them(drawer: Drawer) -> None:
    drawer.draw({"g": ["b", None, "a"], "n": [2, -3, 1]})
    (trace,) = drawer.figure()["data"]
    assert (trace["x"], trace["y"]) == (["b", "(null)", "a"], [2, -3, 1])


def test_rows_of_one_bar_are_summed(drawer: Drawer) -> None:
    found = drawer.draw({"g": ["a", "b", "b"], "n": [1, 2, 3]})
    (trace,) = drawer.figure()["data"]
    assert (trace["x"], trace["y"]) == (["b", "a"], [5, 1])
    assert found["note"] == "sum of n of the rows of each g"


def test_of_a_million_categories_the_fifty_largest_are_drawn(drawer: Drawer) -> None:
    numbers = RANDOM.permutation(1_000_000)
    names = pa.array(numbers).cast(pa.string())
    found = drawer.draw(pa.table({"g": names, "n": numbers}))
    assert (found["points"], found["note"]) == (50, "the 50 largest of 1,000,000 values of g")
    assert drawer.figure()["data"][0]["y"] == list(range(999_999, 999_949, -1))
    found = drawer.draw(pa.table({"g": names}))
    assert (found["points"], found["y"]) == (50, "count")
    found = drawer.draw(pa.table({"g": names, "n": numbers}), "line")
    assert found["points"] <= 400
    assert drawer.draw(pa.table({"g": names, "h": names}), "heatmap")["points"] <= 600


@pytest.mark.parametrize("wanted", ["line", "scatter"])
def test_many_points_are_reduced_to_four_hundred(drawer: Drawer, wanted: str) -> None:
    found = drawer.draw({"x": RANDOM.normal(size=50_000), "y": RANDOM.normal(size=50_000)}, wanted)
    assert found["points"] == 400
    assert "50,000 points" in found["note"]


def test_means_of_a_line_are_those_of_numpy(drawer: Drawer) -> None:
    drawer.draw({"x": np.arange(800), "y": np.arange(800.0) ** 2})
    (trace,) = drawer.figure()["data"]
    pairs = (np.arange(800.0) ** 2).reshape(400, 2).mean(axis=1)
    assert trace["y"] == pytest.approx(list(pairs))


def test_each_label_has_a_line_and_six_of_many_are_drawn(drawer: Drawer) -> None:
    days = list(DAYS) * 8
    labels = [label for label in "abcdefgh" for _ in range(4)]
    found = drawer.draw({"d": days, "g": labels, "p": range(32)})
    assert [trace["name"] for trace in drawer.figure()["data"]] == list("abcdef")
    assert found["note"] == "6 of 8 values of g"
    assert drawer.figure()["data"][0]["x"] == [str(day.date()) for day in DAYS]


@pytest.mark.parametrize(
    ("values", "edges"),
    [
        ([1, 1, 2, 5], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]),
        ([2.5, 2.5], [2.0, 3.0]),
        ([7], [6.5, 7.5]),
        ([1.0, np.nextafter(1.0, 2.0)], [0.5, 1.5]),
    ],
)
def test_a_histogram_has_bars_of_sense(
    drawer: Drawer, values: Sequence[float], edges: Sequence[float]
) -> None:
    chart = drawer.chart({"x": values})
    assert chart.lines[0].x == pytest.approx(edges)
    assert chart.lines[0].y.sum() == len(values)


def test_a_histogram_is_that_of_numpy_with_thirty_bars(drawer: Drawer) -> None:
    values = RANDOM.normal(size=5000)
    drawer.draw({"x": [*values, np.nan]})
    (trace,) = drawer.figure()["data"]
    assert trace["y"] == np.histogram(values, 30)[0].tolist()
    assert drawer.draw({"x": [*values, np.nan]})["note"].startswith("1 rows without")


def test_cells_of_a_heatmap_are_means(drawer: Drawer) -> None:
    drawer.draw({"o": ["a", "a", "b"], "d": ["x", "x", "y"], "n": [1, 3, 5]}, "heatmap")
    (trace,) = drawer.figure()["data"]
    assert (trace["x"], trace["y"]) == (["a", "b"], ["x", "y"])
    assert trace["z"] == [[2, None], [None, 5]]
    pivot = pd.DataFrame({"k": ["p", "q"], "x": [1, 2], "y": [3, np.nan]})
    drawer.draw(pa.Table.from_pandas(pivot), "heatmap")
    (trace,) = drawer.figure()["data"]
    assert (trace["x"], trace["y"], trace["z"]) == (["x", "y"], ["p", "q"], [[1, 3], [2, None]])


def test_numbers_of_a_heatmap_grow_upwards(drawer: Drawer) -> None:
    drawer.draw({"x": [0.0, 1.0], "y": [0.0, 1.0]}, "heatmap")
    (trace,) = drawer.figure()["data"]
    assert float(trace["y"][0]) > float(trace["y"][-1])
    assert (trace["z"][-1][0], trace["z"][0][-1]) == (1, 1)


HOSTILE_LABELS = [
    *(
        "x" * 10_240,
        "y" * 10_240,
        "東京",
        "القاهرة",
        "שלום",
        "😀👩‍👩‍👧",
        "a\nb\x1b[31m\0",
        "$\\frac{1$",
    ),
    *("<script>alert(1)</script>", "", " ", "​", "R&D", "\u202eevil", "\uff21" * 40, "W" * 40),
]
HOSTILE_TABLES: dict[str, Table] = {
    "labels": {"$x$" * 50: HOSTILE_LABELS, "n" * 10_240: range(len(HOSTILE_LABELS))},
    "negative": {"g": ["a", "b"], "n": [-1.0, -2.0]},
    "one row": {"g": ["a"], "n": [1]},
    "one number": {"n": [1]},
    "one day": {"d": DAYS[:1], "n": [1]},
    "huge": {"x": [1e308, -1e308, 1e299, -1e299], "y": [1e299, 5e-324, 0.0, -1e299]},
    "constant": {"x": [3.0] * 10, "y": [-0.0] * 10},
    "close": {"x": [1e15, 1e15 + 0.125], "y": [1.0, np.nextafter(1.0, 2.0)]},
    "long times": {
        "d": np.array(["0001-01-01", "0100-01-02", "2024-01-01", "9000-01-01"], "datetime64[s]"),
        "n": range(4),
    },
    "close times": {"d": np.array([1, 2, 3], "datetime64[us]"), "n": range(3)},
    "zoned": {"d": pd.date_range("2024-01-01", periods=3, tz="Asia/Tokyo"), "n": range(3)},
    "text only": {"a": ["x", None], "b": ["y", "z"], "c": ["a", "a"]},
    "booleans": {"a": [True, None, False], "n": [1, 2, 3]},
    "whole": {"a": [2**63 - 1, -(2**63)], "b": [0, 1]},
    "empty name": {"": ["a", "b"], " ": [1, 2]},
    "dotted": {"a.b": ["x", "y"], "a": [1, 2]},
    "categories": {"g": pa.array(["a", None, "b"]).dictionary_encode(), "n": [1, 2, 3]},
    "time of day": {"t": pa.array([1, 2], pa.time64("us")), "n": [1, 2]},
    "duration": {"t": pa.array([1, 2], pa.duration("us")), "n": [1, 2]},
    "many columns": {f"c{number}": [number, 1] for number in range(3000)},
}


@pytest.mark.parametrize("wanted", TYPES)
@pytest.mark.parametrize("name", HOSTILE_TABLES)
def test_any_table_is_a_chart_that_plotly_reads_or_a_sentence(
    drawer: Drawer, name: str, wanted: str | None
) -> None:
    found = drawer.draw(HOSTILE_TABLES[name], wanted)
    if "error" in found:
        assert "could not be drawn" not in found["error"]
        assert 10 < len(found["error"]) <= 300
        return
    assert set(found) == {"type", "x", "y", "points", "note"}
    assert max(len(found["x"]), len(found["y"]), len(found["note"] or "")) <= 300
    assert matplotlib.image.imread(drawer.output / PICTURE).shape[:2] == (360, 600)
    assert (drawer.output / PICTURE).stat().st_size < 200_000
    text = (drawer.output / FIGURE).read_text()
    assert plotly.io.from_json(text).data
    assert "<script" not in text


def test_invalid_text_is_drawn(drawer: Drawer) -> None:
    array = pa.array([b"a\xff", b"b"]).view(pa.string())
    assert drawer.draw(pa.table({"g": array, "n": [1, 2]}))["points"] == 2


def test_labels_that_the_fonts_lack_are_told(
    drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fonts, "FALLBACKS", ())
    found = drawer.draw({"g": ["東京", "Αθήνα", "Москва", "القاهرة"], "n": [1, 2, 3, 4]})
    assert found["note"] == f"the image cannot show all characters of 1 label; {FIGURE} has them"


def test_letters_that_the_usual_font_lacks_are_those_of_another(
    drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = []
    # STIX comes with matplotlib.
    for names in [(), ("no such font", "STIXGeneral")]:
        monkeypatch.setattr(fonts, "FALLBACKS", names)
        note = drawer.draw({"g": ["ᶊ"], "n": [1]})["note"]
        pictures.append(((drawer.output / PICTURE).read_bytes(), note))
    (without, told), (drawn_with, nothing) = pictures
    assert without != drawn_with
    assert told is not None
    assert nothing is None


def test_the_list_of_fonts_is_the_same_each_time(interpreter: str, tmp_path: Path) -> None:
    lists = []
    for seed in ("1", "2"):
        directory = tmp_path / seed
        command = [interpreter, "-m", "assay_runner.fonts", str(directory)]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": seed})
        lists += [file.read_bytes() for file in directory.glob("fontlist-*.json")]

    assert len(lists) == 2
    assert lists[0] == lists[1]


def test_the_directory_of_matplotlib_has_its_fonts_and_their_order(
    interpreter: str, tmp_path: Path
) -> None:
    directory = tmp_path / "new" / "matplotlib"
    subprocess.run([interpreter, "-I", "-m", "assay_runner.fonts", str(directory)], check=True)
    assert list(directory.glob("fontlist-*.json"))
    printed = subprocess.run(
        [interpreter, "-c", "import matplotlib; print(matplotlib.rcParams['font.family'])"],
        env={"MPLCONFIGDIR": str(directory)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert printed == f"{['sans-serif', *fonts.families()[1:]]}\n"


def test_long_labels_that_are_equal_when_shortened_stay_apart_in_plotly(drawer: Drawer) -> None:
    drawer.draw({"g": ["x" * 9999 + "a", "x" * 9999 + "b"], "n": [1, 2]})
    (trace,) = drawer.figure()["data"]
    assert len(set(trace["x"])) == 2


LABELS = {
    "short": [f"{number}" for number in range(8)],
    "routes": [f"JFK-LA{number}" for number in range(10)],
    "fifty": [f"Carrier number {number}" for number in range(50)],
    "fifty short": [f"{number}" for number in range(50)],
    "thirty": [f"label {number}" for number in range(30)],
    "long": ["W" * 10_240] * 6,
    "scripts": ["東京都千代田区丸の内一丁目", "القاهرة الكبرى", "😀😀😀😀😀😀"] * 4,
}


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("wanted", ["bar", "heatmap"])
def test_no_labels_overlap(drawer: Drawer, name: str, wanted: str) -> None:
    labels = [f"{label}{number}" for number, label in enumerate(LABELS[name])]
    table = {"g": labels, "h": labels[::-1], "n": range(1, len(labels) + 1)}
    if wanted == "bar":
        del table["h"]
    path = str(drawer.table(table))
    figure = drawn(reduce(choose(read(path), ChartType(wanted))))
    figure.canvas.draw()
    axes = figure.axes[0]
    for axis in (axes.xaxis, axes.yaxis):
        boxes = turned_boxes(axis.get_ticklabels())
        assert boxes
        for (_, end, top, bottom), (other, _, above, below) in itertools.pairwise(boxes):
            assert end <= other or bottom >= above or top <= below, name
        for label in axis.get_ticklabels():
            # The picture ends there.
            assert min(label.get_window_extent().x0, label.get_window_extent().y0) >= -1


TICKS: dict[str, tuple[str, Table]] = {
    "years": ("line", {"d": pd.date_range("2010-01-01", periods=500, freq="W"), "n": range(500)}),
    "milliseconds": (
        "line",
        {"d": pd.date_range("2024-02-28 23:59:58", periods=30, freq="130ms"), "n": range(30)},
    ),
    "large and small": (
        "scatter",
        {"x": RANDOM.normal(size=50) * 1e15, "y": RANDOM.normal(size=50) * 1e-15},
    ),
    "far from zero": ("scatter", {"x": np.arange(50) + 2**53, "y": -1e12 - np.arange(50)}),
    "counts": ("histogram", {"x": 1e9 + RANDOM.normal(size=500) * 1e-3}),
    "bins": ("heatmap", {"x": RANDOM.normal(size=500) * 1e9, "y": RANDOM.normal(size=500)}),
}


@pytest.mark.parametrize("name", TICKS)
def test_no_numbers_and_times_overlap(drawer: Drawer, name: str) -> None:
    wanted, table = TICKS[name]
    figure = drawn(reduce(choose(read(str(drawer.table(table))), ChartType(wanted))))
    figure.canvas.draw()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        places = zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
        texts = [label for label, place in places if low <= place <= high]
        texts += [axis.label, axis.get_offset_text()]
        boxes = [text.get_window_extent() for text in texts if text.get_text()]
        for box, other in itertools.combinations(boxes, 2):
            assert not box.padded(-0.5).overlaps(other.padded(-0.5)), name
        for box in boxes:
            assert min(box.x0, box.y0) >= -1
            assert (box.x1, box.y1) <= (601, 361)


def turned_boxes(labels: Sequence[Any]) -> list[tuple[float, float, float, float]]:
    """Return the boxes of labels as if the picture was turned so that they are horizontal."""
    boxes = []
    for label in labels:
        angle = np.radians(label.get_rotation())
        at = label.get_transform().transform(label.get_position())
        label.set_rotation(0)
        box = label.get_window_extent()
        label.set_rotation(np.degrees(angle))
        # Where it is attached: at its end, if it is turned by 45 degrees; else in the middle.
        x = at[0] * np.cos(angle) + at[1] * np.sin(angle)
        y = -at[0] * np.sin(angle) + at[1] * np.cos(angle)
        left = x - box.width if 0 < angle < 1 else x - box.width / 2
        if angle > 1:
            left = x - box.width
        if label.get_horizontalalignment() == "right" and angle == 0:
            left = x - box.width
        boxes.append((left, left + box.width, y + box.height / 2, y - box.height / 2))
    return boxes


def test_few_labels_stay_flat_and_whole() -> None:
    fitted = along(["north", "south"], 500)
    assert (fitted.labels, fitted.rotation) == (["north", "south"], 0)
    assert along([], 500).labels == beside([], 200).labels == []


def test_settings_of_the_code_do_not_change_the_picture(drawer: Drawer) -> None:
    table = {"g": ["a", "b"], "n": [1, 2]}
    drawer.draw(table)
    plain = (drawer.output / PICTURE).read_bytes()
    with mpl.rc_context({"text.usetex": True, "font.family": ["no such font"]}):
        assert "error" not in drawer.draw(table)
    assert (drawer.output / PICTURE).read_bytes() == plain


def chart_of(
    interpreter: str, line: str, options: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [interpreter, "-I", *options, "-m", "assay_runner.chart"],
        input=line,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_command_draws_what_it_reads(interpreter: str, drawer: Drawer) -> None:
    table = drawer.table({"g": ["a", "b"], "n": [1, 2]})
    request = {"table": str(table), "type": "bar", "output": str(drawer.output), "timeZone": None}
    done = chart_of(interpreter, json.dumps(request) + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"type": "bar", "x": "g", "y": "n", "points": 2, "note": None}
    assert (drawer.output / PICTURE).exists()


def test_the_command_draws_without_pandas(interpreter: str, drawer: Drawer) -> None:
    nanoseconds = pa.array([1, 2], pa.int64()).cast(pa.time64("ns"))
    table = drawer.table({"g": nanoseconds, "n": [1, 2]})
    request = {"table": str(table), "type": "bar", "output": str(drawer.output), "timeZone": None}
    done = chart_of(interpreter, json.dumps(request) + "\n", ["-X", "importtime"])
    assert json.loads(done.stdout)["points"] == 2
    assert "pyarrow.lib" in done.stderr
    assert "pandas._libs" not in done.stderr


@pytest.mark.parametrize(
    ("line", "code"), [("", 0), ("no JSON\n", 2), ("[]\n", 2), ('{"table": "x"}\n', 2)]
)
def test_the_command_ends_by_itself(interpreter: str, line: str, code: int) -> None:
    done = chart_of(interpreter, line)
    assert (done.returncode, done.stdout) == (code, "")
