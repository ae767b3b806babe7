"""The table of a snapshot, for SQL and Polars."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from assay_runner import snapshot_loading
from assay_runner.snapshot.table import write_table
from assay_runner.snapshot.table_names import table_names
from corpus.case import Case, text
from corpus.making import made
from corpus.typed import nested, parquet, rich


def table_of(case: Case, directory: Path) -> Mapping[str, Any]:
    result = made(case, directory)
    assert result.error_type is None, result
    description = json.loads((result.snapshot / "description.json").read_text())
    table: Mapping[str, Any] = description["table"]
    return table


def written(frame: pd.DataFrame, directory: Path) -> tuple[Any, dict[str, str | None]]:
    """Return the schema of the file and how each column is stored."""
    table = write_table(frame, str(directory))
    stored_as = {column.name: column.stored_as for column in table.columns}
    return pq.read_schema(directory / "frame.parquet"), stored_as


def test_a_table_is_written_beside_the_frame_and_described(tmp_path: Path) -> None:
    case = Case("data.csv", "csv", text("n,s,b\n1,x,True\n2,,\n"))
    assert table_of(case, tmp_path) == {
        "files": ["frame.parquet"],
        "hive": False,
        "columns": [
            {"name": "n", "type": "int64", "storedAs": None},
            {"name": "s", "type": "str", "storedAs": None},
            {"name": "b", "type": "object", "storedAs": None},
        ],
        "rows": 2,
    }
    path = str(tmp_path / "snapshot/frame.parquet")
    assert duckdb.execute("FROM read_parquet(?)", [path]).fetchall() == [
        (1, "x", True),
        (2, None, None),
    ]
    with pq.ParquetFile(path) as file:
        assert file.metadata.row_group(0).column(0).compression == "LZ4"


def test_a_parquet_source_without_options_is_its_own_table(tmp_path: Path) -> None:
    table = table_of(Case("data", "parquet", lambda: parquet(nested())), tmp_path)
    assert table["files"] == ["source.parquet"]
    assert [column["name"] for column in table["columns"]] == nested().column_names
    assert not (tmp_path / "snapshot/frame.parquet").exists()


@pytest.mark.parametrize("source_format", ["parquet", "feather"])
def test_whole_numbers_with_gaps_that_no_double_holds_stay_what_they_are(
    source_format: str, tmp_path: Path
) -> None:
    table = pa.table({"id": [2**53 + 1, None, 5], "n": [1, None, 3]})
    unsigned = pa.array([2**64 - 1, 1, None], pa.uint64())
    table = table.append_column("u", unsigned)
    data = io.BytesIO()
    write = pq.write_table if source_format == "parquet" else pa.feather.write_feather
    write(table, data)
    result = made(Case("a", source_format, data.getvalue), tmp_path)
    frame = snapshot_loading.load(str(result.snapshot))
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == {
        "id": "Int64",
        "n": "float64",
        "u": "UInt64",
    }
    assert [frame["id"][0], frame["u"][0]] == [2**53 + 1, 2**64 - 1]
    columns: Any = result.value["columns"]
    assert [len(column.get("notes", ())) for column in columns] == [1, 0, 1]


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (pa.table({"a": [1], "A": [2]}), ["a", "A_1"]),
        (pa.table({"": [1]}), ["column_1"]),
        (pa.table({"a": pa.array([1], pa.duration("ns"))}), ["a"]),
    ],
    ids=["case twins", "blank name", "duration"],
)
def test_a_parquet_source_that_engines_would_read_differently_gets_a_table(
    table: Any, names: list[str], tmp_path: Path
) -> None:
    described = table_of(Case("data", "parquet", lambda: parquet(table)), tmp_path)
    assert described["files"] == ["frame.parquet"]
    assert [column["name"] for column in described["columns"]] == names


def test_a_parquet_source_with_options_gets_a_table_of_what_they_leave(tmp_path: Path) -> None:
    case = Case("data", "parquet", lambda: parquet(rich()), {"columns": ["count"]})
    table = table_of(case, tmp_path)
    assert (table["files"], [column["name"] for column in table["columns"]]) == (
        ["frame.parquet"],
        ["key", "count"],
    )


@pytest.mark.parametrize(
    ("names", "unique"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "A", "a"], ["a", "A_1", "a_2"]),
        (["a", "a", "a_1", "A_2"], ["a", "a_3", "a_1", "A_2"]),
        (["", " ", "column_1"], ["column_1", "column_2", "column_1_1"]),
        ([0, 1, None, ("x", 1)], ["0", "1", "None", "('x', 1)"]),
        (["a\0b", "\ud800"], ["a\ufffdb", "\\ud800"]),
    ],
)
def test_names_of_columns_differ_in_more_than_case(names: list[object], unique: list[str]) -> None:
    assert table_names(names) == unique


def test_names_of_ten_thousand_equal_columns_are_found_at_once() -> None:
    assert len(set(table_names(["a"] * 10_000))) == 10_000


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, "x", None], ["1", "x", None]),
        ([True, 2, float("nan")], ["True", "2", None]),
        ([b"x", "x"], ["b'x'", "x"]),
        ([{"a": 1}, {"a": "é"}], ['{"a": 1}', '{"a": "é"}']),
        ([[1], [np.datetime64("2024-01-01")]], ["[1]", '["2024-01-01"]']),
        ([{}, {}], ["{}", "{}"]),
        ([{"a": 1, "A": 2}], ['{"a": 1, "A": 2}']),
        ([2**70, -1], ["1180591620717411303424", "-1"]),
        (["\ud800"], ["\\ud800"]),
        ([[[[[[[[[[[1]]]]]]]]]]], ["[[[[[[[[[[1]]]]]]]]]]"]),
    ],
)
def test_values_without_a_common_type_become_text_and_the_column_is_named(
    values: list[object], texts: list[object], tmp_path: Path
) -> None:
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object), "b": 1})
    _, stored_as = written(frame, tmp_path)
    assert stored_as == {"a": "string", "b": None}
    assert pq.read_table(tmp_path / "frame.parquet")["a"].to_pylist() == texts


def test_types_are_those_that_the_engines_have_in_common(tmp_path: Path) -> None:
    frame = rich().assign(
        offset=pd.to_datetime(["2024-01-01T00:00:00+01:00"] * 3),
        fine=pd.to_datetime(["2024-01-01T00:00:00.000000001"] * 3),
        nothing=pd.Series([None] * 3, dtype=object).array,
        floats=pd.array([1.5, None, 2.5], dtype="Float64"),
    )
    schema, stored_as = written(frame, tmp_path)
    assert {field.name: str(field.type) for field in schema} == {
        "key": "large_string",
        "kind": "large_string",
        "when": "timestamp[us, tz=Europe/Berlin]",
        "naive": "timestamp[us]",
        "took": "large_string",
        "count": "int64",
        "small": "int8",
        "half": "float",
        "flag": "bool",
        "name": "large_string",
        "offset": "timestamp[us, tz=UTC]",
        "fine": "timestamp[ns]",
        "nothing": "string",
        "floats": "double",
    }
    assert [name for name, how in stored_as.items() if how] == ["took"]


def test_missing_values_of_every_kind_are_null(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "nan": [1.0, np.nan],
            "arrow": pd.array([1.0, np.nan], dtype="double[pyarrow]"),
            "nat": pd.to_datetime(pd.Series(["2024-01-01", None])),
            "none": pd.Series([True, None], dtype=object),
            "mixed": pd.Series([False, np.nan], dtype=object),
            "na": pd.array(["x", pd.NA], dtype="string"),
        }
    )
    written(frame, tmp_path)
    table = pq.read_table(tmp_path / "frame.parquet")
    assert [column.null_count for column in table.columns] == [1] * 6


def test_an_index_with_labels_is_a_column_and_one_of_positions_is_not(tmp_path: Path) -> None:
    labels = pd.DataFrame({"index": [1, 2]}, index=["x", "y"])
    assert written(labels, tmp_path)[0].names == ["index", "index_1"]
    positions = pd.DataFrame({"a": [1, 2]}, index=[0, 1])
    assert written(positions, tmp_path)[0].names == ["a"]


def test_a_frame_without_columns_has_a_table_without_files(tmp_path: Path) -> None:
    table = write_table(pd.DataFrame(index=range(3)), str(tmp_path))
    assert (table.files, table.columns, table.rows) == ((), (), 3)


@pytest.mark.slow
def test_long_rows_are_written_in_smaller_groups(tmp_path: Path) -> None:
    written(pd.DataFrame({"a": ["x" * 50_000] * 9000}), tmp_path)
    with pq.ParquetFile(tmp_path / "frame.parquet") as file:
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert groups == [4096, 4096, 808]


def test_a_snapshot_made_before_there_were_tables_still_loads(tmp_path: Path) -> None:
    (tmp_path / "source.csv").write_text("a\n1\n")
    (tmp_path / "description.json").write_text('{"version": 1, "format": "csv", "frame": null}')
    assert snapshot_loading.load(str(tmp_path))["a"].tolist() == [1]
