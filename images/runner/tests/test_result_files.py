"""The files that a query leaves: its rows, and a chart of them."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from assay_runner.worker.query.cells import cell_text
from assay_runner.worker.query.outputs import MAX_ROWS, Outputs
from assay_runner.worker.query.results import as_table

Write = Callable[..., tuple[dict[str, object], list[str]]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(
        value: object,
        chart: Mapping[str, str | None] | None = None,
        collected: Sequence[str] = ("results", "charts"),
    ) -> Any:
        return Outputs(str(tmp_path), chart, collected).write(as_table(value))

    return written


def rows(workspace: Path) -> list[Any]:
    return [json.loads(line) for line in (workspace / "results/rows.ndjson").open()]


def table(workspace: Path) -> Any:
    return pq.read_table(workspace / "results/result.parquet")


FRAMES = [
    pd.DataFrame({"g": ["a", None], "n": [1, 2], "x": [1.5, np.nan], "ok": [True, False]}),
    pl.DataFrame({"g": ["a", None], "n": [1, 2], "x": [1.5, None], "ok": [True, False]}),
]


@pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars"])
def test_rows_are_kept_with_their_types(write: Write, tmp_path: Path, frame: object) -> None:
    assert write(frame) == ({}, [])
    assert rows(tmp_path) == [["a", 1, 1.5, True], [None, 2, None, False]]
    assert [str(kind).removeprefix("large_") for kind in table(tmp_path).schema.types] == [
        *("string", "int64", "double", "bool")
    ]
    assert table(tmp_path).to_pydict() == {
        "g": ["a", None],
        "n": [1, 2],
        "x": [1.5, None],
        "ok": [True, False],
    }
    assert not (tmp_path / "charts").exists()


CELLS: list[object] = [
    *(None, True, 7, -(2**53), 2**53, 2**53 + 1, 2**80, 0.1, np.inf, np.nan),
    *("text", "é" * 5000, "\ud800", "x" * 999, "x" * 5000, Decimal("1.10"), b"\x00a"),
    *(datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, 3), datetime.time(1)),
    *(pd.Timestamp("2024-01-02T03:04:05.678"), pd.Timedelta(1), pd.NaT, pd.NA, [1, [2]], {"a": {}}),
    *(np.int64(1), np.float32(0.5), np.bool_(True)),
]


@pytest.mark.parametrize("cell", CELLS, ids=range(len(CELLS)))
def test_a_cell_is_written_as_in_the_value(write: Write, tmp_path: Path, cell: object) -> None:
    assert write({"c": [cell, cell]}) == ({}, [])
    expected = json.loads(cell_text(cell)[0])
    assert rows(tmp_path) == [[expected], [expected]]
    assert table(tmp_path).num_rows == 2


def test_mixed_values_become_text_in_the_table(write: Write, tmp_path: Path) -> None:
    write({"c": [1, "a", None, [2]]})
    assert table(tmp_path).to_pydict() == {"c": ["1", "a", None, "[2]"]}


TYPED = {
    "u": pd.Series([2**64 - 1, 1], dtype="uint64"),
    "big": [2**70, 1],
    "l": [[1, 2], [3]],
    "s": [{"a": 1}, {"a": 2}],
    "x": [float("inf"), None],
    "ns": pd.Series(pd.to_datetime([123456789, 1])),
    "g": pd.Categorical(["x", "y"]),
}


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas], ids=["pandas", "polars"])
def test_the_table_has_values_as_they_are(
    write: Write, tmp_path: Path, convert: Callable[[pd.DataFrame], object]
) -> None:
    frame = pd.DataFrame(TYPED)
    if convert is not pd.DataFrame:
        frame = frame.drop(columns="big")
    assert write(convert(frame)) == ({}, [])
    kept = table(tmp_path)
    assert kept["u"].to_pylist() == [2**64 - 1, 1]
    assert (kept["l"].to_pylist(), kept["s"].to_pylist()) == (TYPED["l"], TYPED["s"])
    assert kept["x"].to_pylist() == [float("inf"), None]
    assert [stamp.value for stamp in kept["ns"].to_pylist()] == [123456789, 1]
    assert kept["g"].to_pylist() == ["x", "y"]
    if "big" in frame:
        assert kept["big"].to_pylist() == [2**70, 1]


def test_a_sum_of_duckdb_is_an_integer_in_the_table(write: Write, tmp_path: Path) -> None:
    relation = "SELECT sum(9007199254740993) AS s, (2::HUGEINT ** 100)::HUGEINT AS big"
    assert write(duckdb.sql(relation)) == ({}, [])
    assert [str(kind) for kind in table(tmp_path).schema.types] == ["int64", "decimal128(38, 0)"]
    assert table(tmp_path).to_pylist() == [{"s": 9007199254740993, "big": 2**100}]


def test_objects_of_many_keys_are_text_in_the_table(write: Write, tmp_path: Path) -> None:
    write({"o": [{f"k{number}": 1} for number in range(200)]})
    assert table(tmp_path)["o"][0].as_py() == '{"k0":1}'


def test_names_differ_in_the_table(write: Write, tmp_path: Path) -> None:
    write(pd.DataFrame([[1, 2, 3]], columns=["a", "A", "a"]))
    assert table(tmp_path).column_names == ["a", "A_2", "a_3"]


@pytest.mark.parametrize(
    "value",
    [pd.DataFrame({"n": range(MAX_ROWS + 5)}), pl.LazyFrame({"n": range(MAX_ROWS + 5)})],
    ids=["pandas", "polars"],
)
def test_ten_thousand_rows_are_kept(write: Write, tmp_path: Path, value: object) -> None:
    write(value)
    assert [row[0] for row in rows(tmp_path)] == list(range(MAX_ROWS))
    assert table(tmp_path)["n"].to_pylist() == list(range(MAX_ROWS))


@pytest.mark.parametrize("value", [pd.DataFrame(), pd.DataFrame({"a": []}), []])
def test_a_result_without_rows_leaves_no_files(write: Write, tmp_path: Path, value: object) -> None:
    assert write(value) == ({}, [])
    assert write(value, {"type": None}) == ({"chartError": "the result has no rows to draw"}, [])
    assert not list(tmp_path.iterdir())


def test_a_chart_is_drawn_where_one_is_wanted(write: Write, tmp_path: Path) -> None:
    members, warnings = write(pd.Series([3, 1], index=["a", "b"], name="n"), {"type": None})
    assert warnings == []
    assert members == {"chart": {"type": "bar", "x": "index", "y": "n", "points": 2, "note": None}}
    assert sorted(path.name for path in (tmp_path / "charts").iterdir()) == [
        *("chart.plotly.json", "chart.png")
    ]
    members, _ = write({"a": [1]}, {"type": "scatter"})
    assert str(members["chartError"]).startswith("a scatter chart needs two columns")


def test_rows_that_nobody_keeps_are_not_written(write: Write, tmp_path: Path) -> None:
    assert write({"a": [1]}, collected=["artifacts"]) == ({}, [])
    assert not list(tmp_path.iterdir())


def test_a_chart_is_drawn_of_rows_that_nobody_keeps(write: Write, tmp_path: Path) -> None:
    members, warnings = write({"a": [1, 2]}, {"type": None}, collected=["charts"])
    assert (members["chart"]["type"], warnings) == ("histogram", [])  # type: ignore[index]
    assert not (tmp_path / "results/rows.ndjson").exists()


def test_rows_that_cannot_be_written_are_a_warning(write: Write, tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file of the code")
    members, warnings = write(pd.DataFrame({"a": [1]}), {"type": None})
    assert members == {"chartError": "the rows could not be written"}
    assert warnings[0].startswith("The rows were not kept for paging and export: FileExistsError")


def test_a_chart_without_its_libraries_is_an_error_of_the_chart_alone(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "assay_runner.chart.draw", None)
    members, warnings = write(pd.DataFrame({"a": [1]}), {"type": None})
    assert str(members["chartError"]).startswith("the chart could not be drawn: ModuleNotFound")
    assert warnings == []
    assert rows(tmp_path) == [[1]]
