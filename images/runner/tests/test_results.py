"""What a value of Python becomes, by the rules of the documentation."""

from __future__ import annotations

import datetime
import json
from collections import namedtuple
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay_runner.json_text import check
from assay_runner.worker.query.cells import MAX_CELL_BYTES, cell_text
from assay_runner.worker.query.results import as_table
from assay_runner.worker.query.table import ResultError
from assay_runner.worker.query.value import value_text

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "python.md"


def value_of(result: object) -> Any:
    text = value_text(as_table(result), engine_ms=3, rows_scanned=None)
    check(text)
    return json.loads(text)


def rows_of(result: object) -> tuple[list[str], list[list[object]]]:
    table = value_of(result)["table"]
    return [column["name"] for column in table["columns"]], table["rows"]


@dataclass
class Point:
    x: int
    y: int


Pair = namedtuple("Pair", "left right")
FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
# As the table in docs/python.md has them.
RULES: list[tuple[str, object, list[str], list[list[object]]]] = [
    ("pandas DataFrame", FRAME, ["a", "b"], [[1, "x"], [2, None]]),
    ("pandas DataFrame", FRAME[FRAME.a > 1], ["a", "b"], [[2, None]]),
    (
        "index with a name, or not of numbers",
        FRAME.set_index("b"),
        ["b", "a"],
        [["x", 1], [None, 2]],
    ),
    (
        "index with a name, or not of numbers",
        FRAME.isna().sum(),
        ["index", "value"],
        [["a", 0], ["b", 1]],
    ),
    (
        "columns of several levels",
        pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("d", "mean")])),
        ["d_mean"],
        [[1]],
    ),
    ("pandas Series", FRAME["a"], ["a"], [[1], [2]]),
    ("pandas Series", FRAME.groupby("a").size(), ["a", "value"], [[1, 1], [2, 1]]),
    ("Polars DataFrame, LazyFrame", pl.DataFrame({"a": [1]}), ["a"], [[1]]),
    ("Polars DataFrame, LazyFrame", pl.LazyFrame({"a": [1]}), ["a"], [[1]]),
    ("Polars Series", pl.Series("s", [1, None]), ["s"], [[1], [None]]),
    ("Arrow Table, RecordBatch", pa.table({"a": [1, None]}), ["a"], [[1], [None]]),
    ("Arrow Array", pa.array(["x"]), ["value"], [["x"]]),
    ("DuckDB relation", duckdb.sql("SELECT 1 AS one"), ["one"], [[1]]),
    ("NumPy array of one dimension", np.array([1.5, np.nan]), ["value"], [[1.5], [None]]),
    (
        "NumPy array of two dimensions",
        np.eye(2),
        ["column_0", "column_1"],
        [[1.0, 0.0], [0.0, 1.0]],
    ),
    ("number, text, date, any other scalar", 3, ["value"], [[3]]),
    ("number, text, date, any other scalar", np.float64(0.5), ["value"], [[0.5]]),
    (
        "number, text, date, any other scalar",
        pd.Timestamp("2024-01-02"),
        ["value"],
        [["2024-01-02T00:00:00"]],
    ),
    ("dict with text as keys", {"n": 2, "mean": 1.5}, ["n", "mean"], [[2, 1.5]]),
    (
        "dict with text as keys, whose values are lists of one length",
        {"a": [1, 2], "b": [3, 4]},
        ["a", "b"],
        [[1, 3], [2, 4]],
    ),
    ("any other dict", {2013: 5, 2014: 6}, ["key", "value"], [[2013, 5], [2014, 6]]),
    ("list of dicts", [{"a": 1}, {"b": 2}], ["a", "b"], [[1, None], [None, 2]]),
    (
        "list of lists or tuples of one length",
        [(1, "x"), (2, "y")],
        ["column_0", "column_1"],
        [[1, "x"], [2, "y"]],
    ),
    ("any other list, tuple, set, range", [1, [2], None], ["value"], [[1], [[2]], [None]]),
    ("any other list, tuple, set, range", [], ["value"], []),
    ("dataclass, named tuple", Point(1, 2), ["x", "y"], [[1, 2]]),
    ("dataclass, named tuple", Pair(1, 2), ["left", "right"], [[1, 2]]),
    ("dataclass, named tuple", [Pair(1, 2)], ["left", "right"], [[1, 2]]),
]


@pytest.mark.parametrize(("rule", "result", "columns", "rows"), RULES, ids=range(len(RULES)))
def test_a_value_becomes_the_rows_of_its_rule(
    rule: str, result: object, columns: list[str], rows: list[list[object]]
) -> None:
    assert rows_of(result) == (columns, rows)


def test_the_documentation_has_each_rule() -> None:
    page = DOCUMENTATION.read_text()
    assert [rule for rule, *_ in RULES if f"| {rule} |" not in page] == []


CELLS: list[tuple[object, object]] = [
    (None, None),
    (pd.NA, None),
    (pd.NaT, None),
    (float("nan"), None),
    (float("inf"), None),
    (np.bool_(True), True),
    (2**53, 2**53),
    (2**53 + 1, "9007199254740993"),
    (-(2**70), "-1180591620717411303424"),
    (np.uint64(2**64 - 1), "18446744073709551615"),
    (Decimal("0.1"), 0.1),
    (Decimal("1.00000000000000000001"), "1.00000000000000000001"),
    (Decimal("NaN"), None),
    (datetime.date(2024, 1, 2), "2024-01-02"),
    (datetime.time(3, 4), "03:04:00"),
    (datetime.datetime(2024, 1, 2, 3, tzinfo=datetime.UTC), "2024-01-02T03:00:00+00:00"),
    (datetime.timedelta(days=1), "P1DT0H0M0S"),
    (np.datetime64("2024-01-02"), "2024-01-02T00:00:00"),
    (b"a\x00\\\xff", "a\\x00\\x5C\\xFF"),
    ("\ud800", "\\ud800"),
    ([1, (2, {"a": np.int64(3)})], [1, [2, {"a": 3}]]),
    (np.array([1.5]), [1.5]),
    (np.float32(0.1), 0.1),
    (np.array([0.1], np.float32), [0.1]),
    (np.float32("inf"), None),
    (pl.Series([1]), [1]),
    ({1: "x"}, {"1": "x"}),
    (1 + 2j, "(1+2j)"),
]


@pytest.mark.parametrize(("cell", "shown"), CELLS, ids=range(len(CELLS)))
def test_a_cell_is_json_that_every_reader_understands(cell: object, shown: object) -> None:
    text, cut = cell_text(cell)
    assert (json.loads(text), cut) == (shown, False)


@pytest.mark.parametrize(
    "result",
    [
        pd.DataFrame({"a": pd.Series([0.1, None], dtype="float32")}),
        pd.DataFrame({"a": pd.Series([0.1, None], dtype="Float32")}),
        pd.DataFrame({"a": pd.Series([0.1, None], dtype="float[pyarrow]")}),
        pl.DataFrame({"a": [0.1, None]}, schema={"a": pl.Float32}),
        pa.table({"a": pa.array([0.1, None], pa.float32())}),
    ],
    ids=["pandas", "nullable", "pyarrow of pandas", "polars", "arrow"],
)
def test_a_float32_is_shown_as_duckdb_shows_it(result: object) -> None:
    assert rows_of(result) == (["a"], [[0.1], [None]])


def test_lists_of_float32_are_shown_as_duckdb_shows_them() -> None:
    lists = pl.DataFrame({"a": [[[0.1, None]], None]}, schema={"a": pl.List(pl.List(pl.Float32))})
    assert rows_of(lists) == (["a"], [[[[0.1, None]]], [None]])


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "cell",
    [
        "x" * 50_000_000,
        '"' * 5000,
        "\x01" * 5000,
        "é" * 5000,
        list(range(10**6)),
        b"x" * 10**7,
        nested(40),
        10**5000,
        2**100_000,
    ],
    ids=["text", "quotes", "control", "accents", "list", "bytes", "deep", "digits", "bits"],
)
def test_a_large_cell_is_shortened(cell: object) -> None:
    text, cut = cell_text(cell)
    assert cut
    assert json.loads(text).endswith("…")
    assert len(text.encode()) <= MAX_CELL_BYTES


def test_a_large_cell_is_cut_at_the_same_character_as_in_sql() -> None:
    text, _ = cell_text('a"\\\n\x01é€😀' * 1000)
    assert len(json.loads(text)) == 185 * 8 + 7 + 1


def test_a_wide_table_shows_as_many_columns_as_fit() -> None:
    value = value_of(pd.DataFrame({f"column {number}": [number] for number in range(5000)}))
    shown = len(value["table"]["columns"])
    assert 2000 < shown < 3000
    assert len(value["table"]["rows"][0]) == shown
    assert value["warnings"] == [
        f"The result has 5,000 columns; only the first {shown:,} are shown: select fewer"
    ]


def test_a_value_has_statistics_of_all_rows() -> None:
    frame = pd.DataFrame({"n": range(2000), "t": ["x", None] * 1000, "mixed": [1, "a"] * 1000})
    for table in (frame[["n", "t"]], pl.from_pandas(frame[["n", "t"]])):
        value = value_of(table)
        shape = value["table"]
        assert (len(shape["rows"]), shape["totalRows"], shape["truncated"]) == (1000, 2000, True)
        numbers, texts = value["summary"]
        assert {**numbers, "type": 0} == {
            "name": "n",
            "type": 0,
            "nulls": 0,
            "distinct": 2000,
            "min": 0,
            "max": 1999,
            "mean": 999.5,
        }
        assert (texts["nulls"], texts["distinct"], texts["min"], texts["mean"]) == (
            1000,
            1,
            "x",
            None,
        )
    mixed = value_of(frame)["summary"][2]
    assert (mixed["distinct"], mixed["min"]) == (2, None)


def test_a_long_query_is_computed_to_ten_thousand_rows_and_counted() -> None:
    value = value_of(pl.LazyFrame({"a": range(25_000)}).filter(pl.col("a") >= 5))
    assert value["table"]["totalRows"] == 24_995
    assert value["summary"][0]["max"] == 24_999
    assert "24,995 rows; only the first 10,000 are kept" in value["warnings"][0]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_warning_says_that_not_all_rows_are_kept(frame: Any) -> None:
    assert value_of(frame({"a": range(10_000)}))["warnings"] == []
    value = value_of(frame({"a": range(10_001)}))
    assert value["warnings"] == ["The result has 10,001 rows; only the first 10,000 are kept"]


def test_an_aggregation_is_called_one() -> None:
    frame = pl.LazyFrame({"a": [1, 1]})
    assert value_of(frame.group_by("a").len())["aggregation"]
    assert value_of(5)["aggregation"]
    assert not value_of(frame)["aggregation"]
    assert (value_of(frame)["engine"], value_of(FRAME)["engine"]) == ("polars", "pandas")


@pytest.mark.parametrize(
    "result",
    [
        pd.DataFrame({f"column {number}": [1, 2] for number in range(5000)}),
        pl.DataFrame({"é" * 4000: [1]}),
        pd.DataFrame({"a": ["x" * 10**6] * 1000, "b": [{"k": ["y" * 100] * 100}] * 1000}),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame({f"{'n' * 250}{number}": ["m" * 500, "z" * 500] for number in range(256)}),
        pd.DataFrame(),
        pl.DataFrame({"^a.*$": [1], "*": [2]}),
        pd.DataFrame({"o": [object(), object()]}),
        pl.DataFrame({"l": [[1], [2]], "s": [{"a": 1}, {"a": 2}], "b": [b"1", b"2"]}),
        pl.DataFrame({"n": [None, None], "c": pl.Series(["a", "b"], dtype=pl.Categorical)}),
        pd.DataFrame({"c": pd.Categorical(["b", "a"]), "p": pd.period_range("2024", periods=2)}),
        pa.table({"d": pa.array([Decimal("1.5")] * 2, pa.decimal128(9, 2)), "m": [[1], [2]]}),
        {"a": []},
        [{}],
    ],
    ids=range(14),
)
def test_any_table_is_valid_within_the_limits(result: object) -> None:
    value = value_of(result)
    width = len(value["table"]["columns"])
    assert all(len(row) == width for row in value["table"]["rows"])


def generator() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("result", "advice"),
    [
        (json, "is the module json"),
        (generator(), "return list(result)"),
        (map(str, [1]), "return list(result)"),
        (len, "is the function len: call it"),
        (Point, "is the class Point"),
        (FRAME.groupby("a"), "aggregate it"),
        (pl.DataFrame({"a": [1]}).group_by("a"), "aggregate it"),
        (pl.col("a"), "apply it to a table"),
        (np.zeros((2, 2, 2)), "one or two dimensions"),
        (object(), "return a frame"),
    ],
)
def test_a_value_that_is_no_data_is_refused_with_advice(result: object, advice: str) -> None:
    with pytest.raises(ResultError) as refused:
        as_table(result)
    assert advice in str(refused.value)
