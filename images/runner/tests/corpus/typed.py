"""Parquet, Feather and workbooks."""

from __future__ import annotations

import datetime
import decimal
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from corpus.case import Case


def rich() -> pd.DataFrame:
    """A frame of many types, with a non-default index."""
    return pd.DataFrame(
        {
            "kind": pd.Categorical(["b", "a", "b"], categories=["b", "a", "z"], ordered=True),
            "when": pd.date_range("2024-01-01", periods=3, tz="Europe/Berlin"),
            "naive": pd.to_datetime(pd.Series(["2024-01-01", None, "2024-01-03"]).array),
            "took": pd.to_timedelta(pd.array([1, None, 3], dtype="Int64"), unit="s"),
            "count": pd.array([1, None, 3], dtype="Int64"),
            "small": np.array([1, 2, 3], dtype="int8"),
            "half": np.array([1, 2, 3], dtype="float32"),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "name": ["x", None, "zé😀"],
        },
        index=pd.Index(["x", "y", "z"], name="key"),
    )


def nested() -> pa.Table:
    """Lists, structs, maps, decimals, bytes and times, as only Arrow has them."""
    return pa.table(
        {
            "list": pa.array([[1, 2], [], None]),
            "struct": pa.array([{"a": 1, "b": "x"}, {"a": None, "b": None}, None]),
            "map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
            "decimal": pa.array([decimal.Decimal("1.10"), None, decimal.Decimal("-2.00")]),
            "bytes": pa.array([b"\x00\xff", b"", None]),
            "day": pa.array([datetime.date(2024, 2, 29), None, datetime.date(1, 1, 1)]),
            "time": pa.array([datetime.time(1, 2, 3), None, datetime.time(0, 0)]),
            "unsigned": pa.array([2**64 - 1, None, 0], pa.uint64()),
            "nothing": pa.nulls(3),
        }
    )


def parquet(table: pa.Table | pd.DataFrame, **options: Any) -> bytes:  # noqa: ANN401
    """Return a table as a Parquet file."""
    file = io.BytesIO()
    if isinstance(table, pd.DataFrame):
        table.to_parquet(file, **options)
    else:
        pq.write_table(table, file, **options)
    return file.getvalue()


def feather(frame: pd.DataFrame, **options: Any) -> bytes:  # noqa: ANN401
    """Return a frame as a Feather file."""
    file = io.BytesIO()
    frame.to_feather(file, **options)
    return file.getvalue()


def workbook(fill: Callable[[openpyxl.Workbook], object]) -> bytes:
    """Return a workbook as a file."""
    book = openpyxl.Workbook()
    book.properties.created = book.properties.modified = datetime.datetime(2024, 1, 1)
    fill(book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _rows(book: openpyxl.Workbook) -> None:
    sheet = book.active
    for row in (
        ("name", "when", "n", "share", "flag", None),
        ("Ann", datetime.datetime(2024, 1, 31, 12, 30), 1, 0.25, True, None),
        (None, datetime.date(2024, 2, 29), 2, None, False, None),
        ("Cy", datetime.time(8, 15), "three", 1e300, "=1+1", "edge"),
    ):
        sheet.append(row)
    other = book.create_sheet("Other sheet")
    other.append(("code", "d"))
    other.append(("007", "2024-01-01"))
    book.create_sheet("Empty")


def _report(book: openpyxl.Workbook) -> None:
    sheet = book.active
    for row in (("Report",), (), ("a", "b"), (1, "-"), (2, "secret"), (None, None), (3, "x")):
        sheet.append(row)
    sheet.merge_cells("A1:B1")


def _xlsx(
    name: str,
    fill: Callable[[openpyxl.Workbook], object],
    **options: Any,  # noqa: ANN401
) -> Case:
    return Case(f"{name}.xlsx", "excel", lambda: workbook(fill), options)


def _flat() -> pd.DataFrame:
    return rich().reset_index()


def _with_attributes() -> pd.DataFrame:
    frame = pd.DataFrame({"a": [1, 2]})
    frame.attrs["unit"] = "kg"
    return frame


def _two_levels() -> pd.DataFrame:
    index = pd.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", 1)], names=["k", "n"])
    return pd.DataFrame({"a": [1.5, None, 2.5]}, index=index)


def _of_arrow() -> pd.DataFrame:
    return pd.DataFrame({"a": pd.array([1, None], dtype="int64[pyarrow]")})


def _duplicate_columns() -> pa.Table:
    return pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])


CASES = (
    Case("rich.parquet", "parquet", lambda: parquet(rich())),
    Case("nested.parquet", "parquet", lambda: parquet(nested())),
    Case("two levels of index.parquet", "parquet", lambda: parquet(_two_levels())),
    Case("attributes.parquet", "parquet", lambda: parquet(_with_attributes())),
    Case("arrow types.parquet", "parquet", lambda: parquet(_of_arrow())),
    Case("no rows.parquet", "parquet", lambda: parquet(rich().iloc[:0])),
    Case("no columns.parquet", "parquet", lambda: parquet(pd.DataFrame(index=range(3)))),
    Case("some columns.parquet", "parquet", lambda: parquet(rich()), {"columns": ["count"]}),
    Case("no such column.parquet", "parquet", lambda: parquet(rich()), {"columns": ["none"]}),
    Case("duplicate columns.parquet", "parquet", lambda: parquet(_duplicate_columns())),
    Case("many groups.parquet", "parquet", lambda: parquet(_flat(), row_group_size=1)),
    Case("zstd.parquet", "parquet", lambda: parquet(_flat(), compression="zstd")),
    Case("text.parquet", "parquet", lambda: b"a,b\nsecret,1\n"),
    Case("empty.parquet", "parquet", lambda: b""),
    Case("cut off.parquet", "parquet", lambda: parquet(rich())[:-100]),
    Case("plain.feather", "feather", lambda: feather(_flat())),
    Case("zstd.feather", "feather", lambda: feather(_flat(), compression="zstd")),
    Case("first version.feather", "feather", lambda: feather(_flat()[["name", "half"]], version=1)),
    Case("some columns.feather", "feather", lambda: feather(_flat()), {"columns": ["name"]}),
    Case("no such column.feather", "feather", lambda: feather(_flat()), {"columns": ["none"]}),
    Case("text.feather", "feather", lambda: b"a,b\nsecret,1\n"),
    Case("cut off.feather", "feather", lambda: feather(_flat())[:-100]),
    _xlsx("first sheet", _rows),
    _xlsx("sheet by name", _rows, sheet_name="Other sheet"),
    _xlsx("sheet by number", _rows, sheet_name=1, dtype={"code": "str"}, parse_dates=["d"]),
    _xlsx("empty sheet", _rows, sheet_name="Empty"),
    _xlsx("no such sheet", _rows, sheet_name="None"),
    _xlsx("report", _report, skiprows=2, na_values=["-"]),
    _xlsx("report without header", _report, header=None, names=["x", "y"], skiprows=3, nrows=2),
    _xlsx("no such column", _report, skiprows=2, usecols=["z"]),
    _xlsx("text as integer", _report, skiprows=2, dtype={"b": "int64"}),
)
