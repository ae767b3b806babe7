"""Delimited text is read so that each value is kept, or named."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from assay_runner import snapshot_files
from assay_runner.snapshot.limits import LimitExceededError, Limits
from assay_runner.snapshot.reading import sources
from assay_runner.snapshot.reading.columns import ReadTable
from assay_runner.snapshot.reading.delimited.explicit_types import DtypeError
from assay_runner.snapshot.reading.delimited.layout import ParserError
from assay_runner.snapshot.reading.delimited.reader import read_delimited, write_delimited
from assay_runner.snapshot.reading.frame import frame_table
from assay_runner.snapshot.reading.notes import Code

NAN = math.nan


def read(tmp_path: Path, text: str | bytes, options: Mapping[str, Any] | None = None) -> ReadTable:
    path = tmp_path / "source.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return sources.read(str(path), "csv", options or {}, Limits.NONE)


def frame(table: ReadTable) -> pd.DataFrame:
    return snapshot_files.as_frame(frame_table(table))


def notes(table: ReadTable) -> dict[str, list[Code]]:
    return {str(c.name): [note.code for note in c.notes] for c in table.columns if c.notes}


@pytest.mark.parametrize(
    ("cells", "values", "dtype", "codes"),
    [
        (["1", "-2", "0"], [1, -2, 0], "int64", []),
        (["1", "", "3"], [1.0, NAN, 3.0], "float64", []),
        (["1.5", "2", "-.5", "5."], [1.5, 2.0, -0.5, 5.0], "float64", []),
        ([" 1", "2 "], [1, 2], "int64", []),
        (["0.1", "0.30000000000000004"], [0.1, 0.30000000000000004], "float64", []),
        (["true", "FALSE"], [True, False], "bool", []),
        (["True", ""], [True, NAN], "object", []),
        (["x", "", "NA", "y"], ["x", NAN, NAN, "y"], "str", [Code.MISSING_TEXT]),
        (["Norway", "NA"], ["Norway", NAN], "str", []),
        (["", "NA"], [NAN, NAN], "float64", [Code.MISSING_TEXT]),
        (["02134", "10115"], ["02134", "10115"], "str", [Code.LEADING_ZEROS]),
        (["1"] * 9 + ["007"], ["1"] * 9 + ["007"], "str", [Code.LEADING_ZEROS]),
        (["0123.45", "1"], ["0123.45", "1"], "str", [Code.LEADING_ZEROS]),
        (["+4917012345", "1"], ["+4917012345", "1"], "str", [Code.LEADING_ZEROS]),
        (["1E5", "2E7"], ["1E5", "2E7"], "str", [Code.EXPONENTS]),
        (["1E5", "2.5"], [1e5, 2.5], "float64", []),
        (["1e-5", "1E5"], [1e-5, 1e5], "float64", []),
        (["1", "-", "3"], ["1", "-", "3"], "str", [Code.MIXED_VALUES]),
        (["1", "2", "total"], ["1", "2", "total"], "str", [Code.MIXED_VALUES]),
        (["a", "1", "b"], ["a", "1", "b"], "str", []),
        (["1.234,50", "99,00"], ["1.234,50", "99,00"], "str", [Code.OTHER_NUMBERS]),
        (["9223372036854775808", "1"], [2**63, 1], "uint64", []),
        ([str(2**64), "1"], [str(2**64), "1"], "str", [Code.BEYOND_64_BITS]),
        (["-1", str(2**64 - 1)], ["-1", str(2**64 - 1)], "str", [Code.BEYOND_64_BITS]),
        (["9007199254740993", ""], [2**53 + 1, None], "Int64", [Code.NULLABLE_INTEGERS]),
        (["18446744073709551615", ""], [2**64 - 1, None], "UInt64", [Code.NULLABLE_INTEGERS]),
        (["9007199254740992", ""], [2.0**53, NAN], "float64", []),
        (["9007199254740993", "0.5"], [2.0**53, 0.5], "float64", [Code.ROUNDED]),
        (["0.1000000000000000055511151231257827"], [0.1], "float64", [Code.ROUNDED]),
        (["1e400", "1.5"], ["1e400", "1.5"], "str", [Code.BEYOND_64_BITS]),
        (["1.5", "inf", "-inf"], [1.5, math.inf, -math.inf], "float64", []),
        (["0x1F", "1_000"], ["0x1F", "1_000"], "str", []),
        (["2024-01-31", "2024-02-01"], ["2024-01-31", "2024-02-01"], "str", []),
        (["2024-02-30", "2024-02-01"], ["2024-02-30", "2024-02-01"], "str", []),
    ],
)  # fmt: skip
def test_all_values_of_a_column_decide_its_type(
    cells: list[str], values: list[object], dtype: str, codes: list[Code], tmp_path: Path
) -> None:
    lines = [f'"{cell}",x' for cell in cells]
    table = read(tmp_path, "\n".join(["v,w", *lines, ""]))
    found = frame(table)["v"]
    assert str(found.dtype) == dtype
    missing = [value is None or value != value for value in values]
    assert found.isna().tolist() == missing
    assert [v for v in found.tolist() if not pd.isna(v)] == [
        v for v in values if v not in (None, NAN)
    ]
    assert notes(table).get("v", []) == codes


def test_a_note_says_how_many_rows_it_is_about_the_first_and_what_avoids_it(tmp_path: Path) -> None:
    table = read(tmp_path, "zip,n\n1,1\n02134,-\n07030,3\n")
    assert [note.described() for column in table.columns for note in column.notes] == [
        {
            "code": "LeadingZeros",
            "message": "is text: 2 values with a zero or a plus in front, the first in row 2",
            "rows": 2,
            "firstRow": 2,
            "option": '{"dtype": {"zip": "float64"}}',
        },
        {
            "code": "MixedValues",
            "message": "is text: 1 value is not numeric (row 2)",
            "rows": 1,
            "firstRow": 2,
            "option": '{"na_values": ["-"]}',
        },
    ]


def test_what_is_no_number_in_a_notation_is_named_as_it_is(tmp_path: Path) -> None:
    text = "a;b\n1.234,5;1\n2,5;2\n10.12.2024;3\n"
    table = read(tmp_path, text, {"sep": ";", "decimal": ",", "thousands": "."})
    assert [note.option for note in table.columns[0].notes] == ['{"na_values": ["10.12.2024"]}']
    assert frame(table)["a"].tolist() == ["1.234,5", "2,5", "10.12.2024"]


def test_a_value_far_down_decides_as_well(tmp_path: Path) -> None:
    table = read(tmp_path, "zip\n" + "2134\n" * 600_000 + "SW1A 1AA\n")
    found = frame(table)["zip"]
    assert (str(found.dtype), found.nunique()) == ("str", 2)
    assert table.columns[0].notes[0].first_row == 600_001


@pytest.mark.parametrize(
    ("text", "options", "records", "code"),
    [
        ("sep=;\na;b\n1;2\n", {}, [{"a": 1, "b": 2}], Code.OTHER_SEPARATOR),
        ("a,b\n1,2,\n", {}, [{"a": 1, "b": 2}], Code.OTHER_SEPARATOR),
        ("a;b\n1;2\n", {}, [{"a;b": "1;2"}], Code.OTHER_SEPARATOR),
        ("a,b\n1,2\n3\n", {"on_bad_lines": "skip"}, [{"a": 1, "b": 2}], Code.LINES_LEFT_OUT),
        ("t,v\nUTC,mm\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3\n", {}, None, Code.HEADER_LINES),
        ('[{"a":1}]', {}, [], Code.OTHER_FORMAT),
        ("a,b\n1,2\n", {}, [{"a": 1, "b": 2}], None),
    ],
)
def test_a_note_on_the_table_says_what_is_about_more_than_a_column(
    text: str,
    options: dict[str, Any],
    records: list[dict[str, object]] | None,
    code: Code | None,
    tmp_path: Path,
) -> None:
    table = read(tmp_path, text, options)
    if records is not None:
        assert frame(table).to_dict("records") == records
    assert [note.code for note in table.notes] == ([] if code is None else [code])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n\n3\n", "Line 4 has 1 cell, and the header has 2."),
        ('a,b\n"x\ny",2\n1,2,3\n', "Line 4 has 3 cells, and the header has 2."),
        ("D;T\n1;13,6\n2;2,6\n3;1\n", 'the options {"sep": ";", "decimal": ","}'),
        ("S,G\n\nC,D,E,F\n1,2,3,4\n5,6,7,8\n", 'begin in line 3: give the options {"skiprows": 2}'),
        ("Konto;DE02\n\nTag;An;Betrag\n1.2.;B;-3,50\n2.2.;C;2,00\n",
         'the options {"sep": ";", "skiprows": 2, "decimal": ","}'),
        ("Sales\n\na,b\n1,2\n3,4\n", 'begin in line 3: give the options {"skiprows": 2}'),
        ("Sales\n1,2\n3,4\n", 'give the options {"index_col": 0} if the first cells are labels'),
        ("a,b\nx,1,2\ny,3,4\n", 'give the options {"index_col": 0} if the first cells are labels'),
        ('a,b\n1,"x\n2,3\n', "The quotation mark that begins in line 2 is never closed"),
        ("a,b\n1,2,\n3,4,5\n", "Some rows have one cell more than the header"),
        ("", "The source has no header"),
        ("x" * 5_000_000 + "\n1\n", "The header is not within the first 4 MiB of the source"),
    ],
)  # fmt: skip
def test_rows_of_another_length_are_an_error_that_says_what_to_do(
    text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ParserError) as refused:
        read(tmp_path, text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "options", "records"),
    [
        ("a b  c\n1 2  3\n", {"sep": r"\s+"}, [{"a": 1, "b": 2, "c": 3}]),
        ("a||b\n1||x\n", {"sep": r"\|\|"}, [{"a": 1, "b": "x"}]),
        ("a;b#x\n#y\n1;2 #z\n", {"sep": ";", "comment": "#"}, [{"a": 1, "b": 2}]),
        ("a, b\n1, x\n", {"skipinitialspace": True}, [{"a": 1, "b": "x"}]),
        ("a,b\n1,x\\,y\n", {"escapechar": "\\"}, [{"a": 1, "b": "x,y"}]),
        ("u\na\nmm\n1\n", {"skiprows": [0, 2]}, [{"a": 1}]),
        ("a\n1\n2\nsum\n", {"skipfooter": 1}, [{"a": 1}, {"a": 2}]),
        ("a\n1\n2\n3\n", {"nrows": 1}, [{"a": 1}]),
        ("a,b,c\n1,2,3\n", {"usecols": ["c", "a"]}, [{"a": 1, "c": 3}]),
        ("1,2\n", {"header": None}, [{0: 1, 1: 2}]),
        ("x,y\n1,2\n", {"names": ["p", "q"], "header": 0}, [{"p": 1, "q": 2}]),
        ("a,a,,b\n1,2,3,4\n", {}, [{"a": 1, "a.1": 2, "Unnamed: 2": 3, "b": 4}]),
        ("a\n1.234,5\n10.12.2024\n", {"decimal": ",", "thousands": ".", "sep": ";"},
         [{"a": "1.234,5"}, {"a": "10.12.2024"}]),
        ("a;b\n1.234,5;01.02.2024\n", {"decimal": ",", "thousands": ".", "sep": ";"},
         [{"a": 1234.5, "b": "01.02.2024"}]),
        ("a\nyes\nno\n", {"true_values": ["yes"], "false_values": ["no"]},
         [{"a": True}, {"a": False}]),
        ("a\nNA\nb\n", {"keep_default_na": False}, [{"a": "NA"}, {"a": "b"}]),
        ("a\n?\n1\n", {"na_values": ["?"]}, [{"a": NAN}, {"a": 1.0}]),
    ],
)  # fmt: skip
def test_options_mean_what_they_mean_in_pandas(
    text: str, options: dict[str, Any], records: list[dict[Any, object]], tmp_path: Path
) -> None:
    found = frame(read(tmp_path, text, options)).to_dict("records")
    assert str(found) == str(records)


def test_dates_are_dates_in_the_table_and_text_in_the_frame(tmp_path: Path) -> None:
    table = read(tmp_path, "d,t,z\n2024-01-31,2024-01-31 10:00:00,2024-01-31T10:00:00Z\n")
    assert [str(c.values.type) for c in table.columns] == [
        *("date32[day]", "timestamp[us]", "timestamp[us, tz=UTC]")
    ]
    assert [c.form for c in table.columns] == [
        "%Y-%m-%d",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M:%SZ",
    ]
    assert frame(table).iloc[0].tolist() == [
        *("2024-01-31", "2024-01-31 10:00:00", "2024-01-31T10:00:00Z")
    ]


@pytest.mark.parametrize(
    ("cells", "options", "code", "option"),
    [
        (["03/04/2025", "25/04/2025"], {}, Code.DATES_NOT_PARSED, {"dayfirst": True}),
        (["03/04/2025", "05/04/2025"], {}, Code.AMBIGUOUS_DATES, {"dayfirst": True}),
        (["03/04/25"], {"dayfirst": True}, Code.AMBIGUOUS_DATES, {"dayfirst": False}),
        (["04/25/2025", "05/04/2025"], {}, None, None),
        (["2025-04-25", "x"], {}, Code.DATES_NOT_PARSED, None),
    ],
)  # fmt: skip
def test_a_note_says_how_dates_were_parsed_or_why_not(
    cells: list[str],
    options: dict[str, Any],
    code: Code | None,
    option: object,
    tmp_path: Path,
) -> None:
    options = {**options, "parse_dates": ["d"]}
    column = read(tmp_path, "\n".join(["d", *cells, ""]), options).columns[0]
    assert [note.code for note in column.notes] == ([] if code is None else [code])
    if code is not None:
        assert column.notes[0].option == (None if option is None else json.dumps(option))


def test_types_that_are_asked_for_are_given_or_refused_with_the_row(tmp_path: Path) -> None:
    options = {"dtype": {"z": "Int64", "s": "str", "f": "float32", "c": "category", "b": "boolean"}}
    found = frame(read(tmp_path, "z,s,f,c,b\n007,1,1.5,x,true\n,2,2,y,\n", options))
    assert {name: str(kind) for name, kind in found.dtypes.items()} == {
        "z": "Int64",
        "s": "str",
        "f": "float32",
        "c": "category",
        "b": "boolean",
    }
    for text, dtype, message in (
        ("z\n1\nx\n", "int64", "see row 2 of the data"),
        ("z,y\n1,1\n,2\n", "int64", "row 2 of the data has no value, which Int64 allows"),
        ("z\n300\n", "uint8", "see row 1 of the data"),
    ):
        with pytest.raises(DtypeError, match=message):
            read(tmp_path, text, {"dtype": {"z": dtype}})


def test_a_note_says_that_a_mark_named_the_encoding(tmp_path: Path) -> None:
    data = "a\n1\n".encode("utf-16")
    assert [note.code for note in read(tmp_path, data).notes] == [Code.READER_WARNING]
    assert read(tmp_path, data, {"encoding": "utf-16"}).notes == ()
    assert read(tmp_path, "a\n1\n".encode("utf-8-sig")).notes == ()


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("é,b\n1,2\n".encode("utf-16"), None),
        ("é,b\n1,2\n".encode("utf-8-sig"), None),
        ("é,b\n1,2\n".encode("utf-32"), None),
        ("é,b\n1,2\n".encode("cp1252"), "cp1252"),
        ("é,b\r1,2\r".encode(), None),
    ],
)
def test_encodings_are_known_by_their_mark_or_given(
    data: bytes, encoding: str | None, tmp_path: Path
) -> None:
    options = {} if encoding is None else {"encoding": encoding}
    assert frame(read(tmp_path, data, options)).to_dict("records") == [{"é": 1, "b": 2}]


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Tag;Filiale\n2025-01-02;Nord\n", {"sep": ";"}),
        ("a\tb\n1\t2\n", {"sep": "\t"}),
        ("a|b\n", {"sep": "|"}),
        ('"Smith; Co"\n1\n', None),
        ("a\nb;c\n", None),
    ],
)
def test_one_column_that_looks_like_several_is_named(
    text: str, option: dict[str, str] | None, tmp_path: Path
) -> None:
    found = [json.loads(note.option or "") for note in read(tmp_path, text).notes]
    assert found == ([] if option is None else [option])


def test_a_cell_of_any_size_is_read(tmp_path: Path) -> None:
    long = "x" * 3_000_000
    found = frame(read(tmp_path, f'a,b\n1,2\n"{long}",3\n'))
    assert found["a"].str.len().tolist() == [1, 3_000_000]


def test_similar_names_are_named(tmp_path: Path) -> None:
    table = read(tmp_path, "price,PRICE,hall ,x\n1,2,3,4\n")
    assert notes(table) == {name: [Code.SIMILAR_NAMES] for name in ("price", "PRICE", "hall ")}


def test_limits_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    for limits in (Limits(max_rows=1), Limits(max_columns=1)):
        with pytest.raises(LimitExceededError):
            read_delimited(str(path), "csv", {}, limits)
        with pytest.raises(LimitExceededError):
            write_delimited(str(path), "csv", {}, limits, str(tmp_path / "t.parquet"))


def test_a_file_of_any_size_is_read_by_the_same_rules(tmp_path: Path) -> None:
    text = (
        "zip,n,d,s,id,art\n" + "02134,1,2024-01-01,x,,1E5\n,2.5,2024-01-02,NA,9007199254740993,1\n"
    )
    path = str(tmp_path / "source.csv")
    (tmp_path / "source.csv").write_text(text)
    table = read_delimited(path, "csv", {}, Limits.NONE)
    target = tmp_path / "table.parquet"
    written = write_delimited(path, "csv", {}, Limits.NONE, str(target))
    assert [(c.name, c.form, c.notes) for c in written.columns] == [
        (c.name, c.form, c.notes) for c in table.columns
    ]
    assert (written.rows, written.notes) == (table.rows, table.notes)
    stored = pq.read_table(target)
    for column, found in zip(table.columns, stored.columns, strict=True):
        assert found.type == column.values.type
        assert found.to_pylist() == column.values.to_pylist()
