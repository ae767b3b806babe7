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


def value_of(result: object, known_rows: int = 0) -> Any:
    text = value_text(as_table(result, known_rows), engine_ms=3, rows_scanned=None)
    check(text)
    return json.loads(text)


def rows_of(result: object, known_rows: int = 0) -> tuple[list[str], list[list[object]]]:
    table = value_of(result, known_rows)["table"]
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
        "index with a name, or with [labels](#labels)",
        FRAME.set_index("b"),
        ["b", "a"],
        [["x", 1], [None, 2]],
    ),
    (
        "index with a name, or with [labels](#labels)",
        FRAME.isna().sum(),
        ["index", "value"],
        [["a", 0], ["b", 1]],
    ),
    (
        "index with a name, or with [labels](#labels)",
        pd.Series({2020: 5, 2021: 7}),
        ["index", "value"],
        [[2020, 5], [2021, 7]],
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
    (
        "dict with text as keys, whose values are Series with labels",
        {"sum": FRAME.groupby("a").a.sum(), "n": FRAME.groupby("a").size().iloc[::-1]},
        ["a", "sum", "n"],
        [[1, 1, 1], [2, 2, 1]],
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
    assert rows_of(result, len(FRAME)) == (columns, rows)


def test_the_documentation_has_each_rule() -> None:
    page = DOCUMENTATION.read_text()
    assert [rule for rule, *_ in RULES if f"| {rule} |" not in page] == []


CELLS: list[tuple[object, object]] = [
    (None, None),
    (pd.NA, None),
    (pd.NaT, None),
    (float("nan"), None),
    (float("inf"), "Infinity"),
    (-np.inf, "-Infinity"),
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
    (np.float32("inf"), "Infinity"),
    (Decimal("-Infinity"), "-Infinity"),
    (Decimal(10171), 10171),
    (Decimal(2**53 + 1), "9007199254740993"),
    (Decimal("1E+999999"), "1E+999999"),
    (pd.Series({"a": 1}), {"a": 1}),
    (pd.Series([1, 2], index=["a", "a"]), [["a", 1], ["a", 2]]),
    (pd.Series([5, 6]), [5, 6]),
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
    assert value["warnings"] == [
        "The result has 10,001 rows; only the first 10,000 are kept: aggregate, or write all rows"
        " to artifacts/rows.parquet, with to_parquet (pandas), write_parquet or sink_parquet"
        " (Polars)"
    ]


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
        ({"summary": FRAME, "n": 3}, "holds a DataFrame inside of another value"),
        ([FRAME], "return it alone, or several as one"),
        ((FRAME, FRAME), "pd.concat("),
        ([{"deep": [pl.DataFrame({"a": [1]})]}], "holds a DataFrame"),
        ({"r": pl.LazyFrame({"a": [1]})}, "holds a LazyFrame"),
        ({"r": pa.table({"a": [1]})}, "holds a Table"),
        ({"r": duckdb.sql("SELECT 1")}, "holds a DuckDBPyRelation"),
    ],
)
def test_a_value_that_is_no_data_is_refused_with_advice(result: object, advice: str) -> None:
    with pytest.raises(ResultError) as refused:
        value_of(result)
    assert advice in str(refused.value)


LARGEST = "340282366920938463463374607431768211455"
RELATION = f"""
    SELECT sum(i) AS total, sum(i)::UHUGEINT AS u, {LARGEST}::UHUGEINT AS largest,
      sum(1.10) AS money, DATE '2024-01-02' AS d, INTERVAL 1 MONTH AS step,
      MAP {{'k': [0.1::FLOAT]}} AS m, [9007199254740993::HUGEINT] AS l, 'nan'::DOUBLE AS x,
      TIMESTAMP_NS '2024-01-01 00:00:00.123456789' AS ns, 1.10::DECIMAL(38, 2) AS "a ""b"
    FROM (VALUES (9007199254740993), (0)) AS t(i)
"""


def test_a_relation_of_duckdb_is_exact() -> None:
    names, rows = rows_of(duckdb.sql(RELATION))
    assert dict(zip(names, rows[0], strict=True)) == {
        "total": "9007199254740993",
        "u": "9007199254740993",
        "largest": LARGEST,
        "money": 2.2,
        "d": "2024-01-02",
        "step": "1 month",
        "m": {"k": [0.1]},
        "l": ["9007199254740993"],
        "x": "NaN",
        "ns": "2024-01-01T00:00:00.123456789",
        'a "b': 1.1,
    }
    assert value_of(duckdb.sql(RELATION))["engine"] == "duckdb"
    small = value_of(duckdb.sql("SELECT sum(i) AS s FROM range(3) AS t(i)"))["table"]
    assert (small["columns"], small["rows"]) == ([{"name": "s", "type": "HUGEINT"}], [[3]])


def test_sums_of_duckdb_have_statistics() -> None:
    sums = duckdb.sql("SELECT i, sum(i) AS s FROM range(4) AS t(i) GROUP BY i")
    assert {**value_of(sums)["summary"][1], "name": ""} == {
        "name": "",
        "type": "HUGEINT",
        "nulls": 0,
        "distinct": 4,
        "min": 0,
        "max": 3,
        "mean": 1.5,
    }


NUMBERS = pd.DataFrame({"n": range(100), "g": ["a", "b"] * 50})


@pytest.mark.parametrize(
    "result",
    [
        NUMBERS[NUMBERS.n % 7 == 1],
        NUMBERS.sort_values("n", ascending=False).head(3),
        NUMBERS.tail(3),
        NUMBERS.iloc[[42]],
        NUMBERS["n"].sample(5, random_state=1),
        NUMBERS.groupby("g").n.sum().reset_index().sort_values("n", ascending=False),
        pd.concat([NUMBERS.head(2), NUMBERS.head(2)]),
        NUMBERS.head(0),
        pd.Series([1, 2]),
    ],
    ids=range(9),
)
def test_numbers_of_rows_are_no_labels(result: object) -> None:
    assert "index" not in rows_of(result, len(NUMBERS))[0]


@pytest.mark.parametrize(
    ("result", "labels"),
    [
        (NUMBERS.quantile([0.25, 0.5], numeric_only=True), [0.25, 0.5]),
        (NUMBERS.n.quantile([0.25, 0.5]), [0.25, 0.5]),
        (pd.Series({2020: 5, 2021: 7}), [2020, 2021]),
        (pd.Series({7: 5, 3: 7}), [7, 3]),
        (pd.Series({7: 5}), [7]),
        (pd.DataFrame({"v": [1, 2]}, index=[20, 21]), [20, 21]),
        (pd.DataFrame({"v": [1, 2]}, index=[2020, 2030]), [2020, 2030]),
        (pd.DataFrame({"v": [1, 2]}, index=[-1, 3]), [-1, 3]),
        (pd.DataFrame({"v": [1]}, index=pd.to_datetime(["2024-01-01"])), ["2024-01-01T00:00:00"]),
        (NUMBERS.describe().head(1), ["count"]),
        (pd.Series([1, 2], index=[True, False]), [True, False]),
    ],
    ids=range(11),
)
def test_labels_are_kept(result: object, labels: list[object]) -> None:
    names, rows = rows_of(result, len(NUMBERS))
    assert (names[0], [row[0] for row in rows]) == ("index", labels)


def test_nan_is_a_value_where_it_is_not_what_is_missing() -> None:
    values = [1.0, float("nan"), float("-inf"), None]
    for result in (pl.DataFrame({"x": values}), pa.table({"x": values})):
        value = value_of(result)
        assert value["table"]["rows"] == [[1.0], ["NaN"], ["-Infinity"], [None]]
        (found,) = value["summary"]
        assert [found[name] for name in ("nulls", "distinct", "min", "max", "mean")] == [
            *(1, 3, "-Infinity", "NaN", 1.0)
        ]
    frame = value_of(pd.DataFrame({"x": values}))
    assert frame["table"]["rows"] == [[1.0], [None], ["-Infinity"], [None]]
    (found,) = frame["summary"]
    assert [found[name] for name in ("nulls", "min", "mean")] == [2, "-Infinity", 1.0]
    lists = pl.DataFrame({"x": [[float("inf"), float("nan"), None]]})
    assert rows_of(lists)[1] == [[["Infinity", "NaN", None]]]


def test_polars_keeps_nanoseconds() -> None:
    frame = pl.DataFrame({"t": [1, None], "u": [1001, None], "d": [5, None]}).with_columns(
        pl.col("t").cast(pl.Datetime("ns")),
        pl.col("u").cast(pl.Time),
        pl.col("d").cast(pl.Duration("ns")),
    )
    value = value_of(frame)
    exact = ["1970-01-01T00:00:00.000000001", "00:00:00.000001001", "P0DT0H0M0.000000005S"]
    assert value["table"]["rows"] == [exact, [None, None, None]]
    assert [column["min"] for column in value["summary"]] == exact


@pytest.mark.parametrize("rows", [4, 20_000])
def test_groups_by_time_of_unsorted_rows_are_refused_as_polars_does(rows: int) -> None:
    days = pl.LazyFrame({"d": [3, 1, 2, 0] * (rows // 4), "v": range(rows)})
    groups = days.group_by_dynamic("d", every="1i").agg(pl.col("v").count())
    with pytest.raises(pl.exceptions.InvalidOperationError, match="please sort"):
        as_table(groups)
    in_order = days.sort("d").group_by_dynamic("d", every="1i").agg(pl.col("v").count())
    assert rows_of(in_order)[1] == [[day, rows // 4] for day in range(4)]
