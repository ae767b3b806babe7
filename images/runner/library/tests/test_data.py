"""Reading tables, and checking their columns."""

from __future__ import annotations

import json
import sqlite3
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from orchestrator.mcp.data import load_csv, load_sql, validate_schema


def test_a_csv_file_is_what_pandas_reads(workspace: Path) -> None:
    frame = pd.DataFrame({"id": ["007", "8"], "x": [1.5, np.nan]})
    frame.to_csv("a.csv", index=False)
    pd.testing.assert_frame_equal(load_csv("a.csv"), pd.read_csv("a.csv"))
    pd.testing.assert_frame_equal(load_csv(workspace / "a.csv", dtype={"id": "str"}), frame)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"data/raw/no\.csv"):
        load_csv("data/raw/no.csv")
    with pytest.raises(FileNotFoundError, match="example"):
        load_csv("http://example/a.csv")


def test_an_empty_file_is_refused_and_a_header_is_a_frame_without_rows() -> None:
    Path("empty.csv").touch()
    with pytest.raises(ValueError, match=r"the file is empty: 'empty\.csv'"):
        load_csv("empty.csv")
    Path("header.csv").write_text("a,b\n")
    assert load_csv("header.csv").shape == (0, 2)


def test_sql_reads_the_tables_of_the_run_and_files(workspace: Path) -> None:
    pd.DataFrame({"carrier": ["UA", "AA", "UA"], "n": [1, 2, 3]}).to_parquet("frame.parquet")
    (workspace / ".work").mkdir()
    tables = {'its "name"': {"files": [str(workspace / "frame.parquet")], "hive": False}}
    (workspace / ".work/tables.json").write_text(json.dumps(tables))
    query = "SELECT carrier, sum(n)::INT AS n FROM {} GROUP BY 1 ORDER BY 1"
    for table in ('"its ""name"""', "'frame.parquet'"):
        found = load_sql(query.format(table))
        assert found.to_dict("list") == {"carrier": ["AA", "UA"], "n": [2, 4]}


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ("sum(i) FROM (VALUES (9007199254740993), (0)) AS t(i)", "int64", [9007199254740993]),
        ("sum(1.10) FROM range(3)", "float64", [3.3]),
        ("1234567890123456.78::DECIMAL(38, 2)", "object", [Decimal("1234567890123456.78")]),
        ("(SELECT sum(9223372036854775807) FROM range(2))", "object", [2**64 - 2]),
        ("i FROM (VALUES (9007199254740993), (NULL)) AS t(i)", "Int64", [2**53 + 1, pd.NA]),
        (
            "sum(i) FROM (VALUES (1, 5), (2, NULL)) AS t(g, i) GROUP BY g ORDER BY g",
            "float64",
            None,
        ),
        ("DATE '2024-01-02'", "datetime64[ms]", [pd.Timestamp("2024-01-02")]),
        ("'x'", "str", ["x"]),
        ("NULL::DECIMAL(9, 2)", "float64", None),
    ],
    ids=range(9),
)
def test_sql_is_exact(values: str, kind: str, expected: list[object] | None) -> None:
    frame = load_sql(f"SELECT {values}")
    assert str(frame.dtypes.iloc[0]) == kind
    if expected is not None:
        assert frame.iloc[:, 0].tolist() == expected or frame.iloc[1:, 0].isna().all()


def test_sql_that_returns_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="returns no rows"):
        load_sql("-- nothing")


def test_sqlite_is_read_and_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    with sqlite3.connect("a b#c.db") as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x UNION SELECT 2")
    connection.close()
    assert load_sql("SELECT x FROM t ORDER BY x", "sqlite:///a b#c.db")["x"].tolist() == [1, 2]
    monkeypatch.setenv("ELSEWHERE", "sqlite:///a b#c.db")
    assert load_sql("SELECT max(x) AS x FROM t", env_var="ELSEWHERE")["x"].tolist() == [2]
    with pytest.raises(pd.errors.DatabaseError, match="readonly"):
        load_sql("DELETE FROM t", "sqlite:///a b#c.db")
    with pytest.raises(FileNotFoundError, match="none"):
        load_sql("SELECT 1", "sqlite:///none.db")


def test_a_server_is_refused_without_repeating_its_password() -> None:
    with pytest.raises(ValueError, match=r"Load the table as a dataset") as refusal:
        load_sql("SELECT 1", "postgresql://me:hunter2@host/db")
    assert "hunter2" not in str(refusal.value)
    assert "'postgresql'" in str(refusal.value)


@pytest.mark.parametrize(
    ("values", "wanted", "matches"),
    [
        ([1, 2], "int64", True),
        ([1, 2], "int", True),
        ([1, 2], "float", False),
        ([1.5], "float64", True),
        ([1.5], "float", True),
        (["a"], "str", True),
        (["a"], "string", True),
        (["a"], "object", True),
        (["a"], "int", False),
        ([True], "bool", True),
        (pd.to_datetime(["2024-01-01"]), "datetime", True),
        (pd.Categorical(["a"]), "category", True),
        (pd.array([1, None], dtype="Int64"), "int", True),
        ([1], "no such type", False),
    ],
)
def test_a_type_is_a_name_of_pandas_or_a_family(values: object, wanted: str, matches: bool) -> None:
    report = validate_schema(pd.DataFrame({"c": values}), ["c"], required_types={"c": wanted})
    assert report["valid"] is matches


def test_a_schema_lists_what_differs_in_order() -> None:
    frame = pd.DataFrame({"z": [1], "a": [1], 3: [1]})
    report = validate_schema(frame, ["z", "y", "b", "y"], allow_extra_columns=False)
    assert (report["missing_columns"], report["extra_columns"]) == (["b", "y"], ["3", "a"])
    assert validate_schema(frame, ["z"])["extra_columns"] == []
    assert validate_schema(frame, ["z"])["valid"] is True
    assert validate_schema(pd.DataFrame(), [])["row_count"] == 0


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(TypeError, match="data is a list"):
        validate_schema([1], ["a"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pass a list of names"):
        validate_schema(pd.DataFrame({"a": [1]}), "a")
    with pytest.raises(ValueError, match="several columns of one name"):
        validate_schema(pd.DataFrame([[1, 2]], columns=["a", "a"]), ["a"])
