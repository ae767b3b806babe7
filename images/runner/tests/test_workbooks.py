"""A sheet of a workbook keeps its values, and what it does not show is named."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from assay_runner.snapshot.limits import LimitExceededError, Limits
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.columns import ReadTable
from assay_runner.snapshot.reading.workbook.reader import read_workbook
from assay_runner.snapshot.reading.workbook.reader_warnings import warning_notes
from reading import codes, columns, types

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(rows: Sequence[Sequence[Any]], merged: str = "", sheets: Sequence[str] = ()) -> Path:
        book = openpyxl.Workbook()
        sheet = book.active
        for row in rows:
            sheet.append(row)
        if merged:
            sheet.merge_cells(merged)
        for name in sheets:
            book.create_sheet(name)
        path = tmp_path / "source.excel"
        book.save(path)
        return path

    return made


def read(path: Path, **options: object) -> ReadTable:
    return read_workbook(str(path), options, Limits())


def test_text_cells_stay_text(make: Make) -> None:
    table = read(make([["zip", "id", "v"], ["02134", "1", 2.0], [2134, "2", 3], [None, None, 2.5]]))
    assert columns(table) == {
        "zip": ["02134", "2134", None],
        "id": ["1", "2", None],
        "v": [2.0, 3.0, 2.5],
    }
    assert codes(table) == {"zip": ["MixedValues"]}


def test_values_have_the_types_that_pandas_gives_them(make: Make) -> None:
    rows = [
        ["n", "x", "b", "d", "s", "none", "t"],
        [1, 2.5, True, datetime(2024, 1, 2), "a", None, time(10, 5)],
        [2, 3, False, datetime(2024, 1, 3, 10, 5), None, None, None],
    ]
    path = make(rows)
    table = read(path)
    assert types(table) == {
        "n": "int64",
        "x": "double",
        "b": "bool",
        "d": "timestamp[us]",
        "s": "large_string",
        "none": "double",
        "t": "time64[us]",
    }
    expected = pd.read_excel(path)
    for column in ("n", "x", "b", "d"):
        assert columns(table)[column] == list(expected[column])
    assert not codes(table)


def test_numbers_are_those_of_a_double(make: Make) -> None:
    table = read(make([["a"], [1e300], [2**53 + 2], [5]]))
    assert columns(table) == {"a": [1e300, 2.0**53 + 2, 5.0]}


def test_the_other_sheets_are_named(make: Make) -> None:
    path = make([["a"], [1]], sheets=["Jan", "Feb"])
    (note,) = read(path).notes
    assert note.option == '{"sheet_name": "Jan"}'
    assert note.message == "is one sheet; the others are 'Jan', 'Feb'"
    empty = read(path, sheet_name="Feb")
    assert (empty.rows, empty.columns) == (0, ())
    assert empty.notes[0].message == "is an empty sheet; the others are 'Sheet', 'Jan'"
    assert read(make([])).notes[0].message == "is an empty sheet, the only one of the workbook"
    assert not read(make([["a"], [1]])).notes


@pytest.mark.parametrize("name", ["Mar", 3, "jan"])
def test_a_sheet_that_is_not_there_names_those_that_are(make: Make, name: object) -> None:
    with pytest.raises(ReaderError, match=r"Its sheets are 'Sheet', 'Jan'\."):
        read(make([["a"], [1]], sheets=["Jan"]), sheet_name=name)


def test_a_formula_without_a_value_is_named(make: Make) -> None:
    table = read(make([["title"], ["a", "b"], [1, 2], [2, "=A3*2"], [3, "=A4*2"]]), skiprows=1)
    (note,) = table.columns[1].notes
    assert (str(note.code), note.rows, note.first_row) == ("FormulaWithoutValue", 2, 2)
    part = read(make([["a", "b"], [1, "=A2"]]), usecols=["b"])
    assert codes(part) == {"b": ["FormulaWithoutValue"]}


def test_an_error_in_a_cell_is_missing_and_named(make: Make) -> None:
    table = read(make([["a"], [1], ["#DIV/0!"]]))
    assert columns(table) == {"a": [1, None]}
    (note,) = table.columns[0].notes
    assert (str(note.code), note.rows, note.first_row) == ("MissingText", 1, 2)


@pytest.mark.parametrize(
    ("merged", "expected"),
    [
        ("A2:A3", {"a": ["MergedCells"]}),
        ("A2:B2", {"b": ["MergedCells"]}),
        ("A1:B1", {"a": ["MergedCells"], "Unnamed: 1": ["MergedCells"]}),
        ("D9:F20", {}),
    ],
)
def test_merged_cells_are_named(make: Make, merged: str, expected: dict[str, list[str]]) -> None:
    assert codes(read(make([["a", "b"], [1, 2], [3, 4]], merged))) == expected


def test_short_texts_that_are_read_as_missing_are_named(make: Make) -> None:
    rows = [["iso", "text", "n"], ["NA", "NA", "NA"], ["MX", "a long text", 1]]
    table = read(make(rows))
    assert columns(table) == {"iso": [None, "MX"], "text": [None, "a long text"], "n": [None, 1]}
    assert codes(table) == {"iso": ["MissingText"]}


def test_options_keep_their_meaning(make: Make) -> None:
    rows = [["title"], ["a", "b", "a"], ["x", 1, -9], ["2024-01-02", 2, 5]]
    path = make(rows)
    assert columns(read(path, skiprows=1)) == {
        "a": ["x", "2024-01-02"],
        "b": [1, 2],
        "a.1": [-9, 5],
    }
    assert columns(read(path, header=1, nrows=1))["b"] == [1]
    assert columns(read(path, skiprows=1, usecols=["b"])) == {"b": [1, 2]}
    assert columns(read(path, skiprows=2, header=None))[1] == [1, 2]
    assert columns(read(path, skiprows=1, names=["x", "y", "z"]))["z"] == [-9, 5]
    labelled = read(path, skiprows=1, names=["z"])
    assert labelled.index == (0, 1)
    assert [column.name for column in labelled.columns] == [None, None, "z"]
    assert labelled.columns[0].values.to_pylist() == ["x", "2024-01-02"]
    assert columns(read(path, skiprows=1, na_values=["-9"]))["a.1"] == [None, 5]
    assert types(read(path, skiprows=1, dtype={"b": "float32", "a.1": "str"}))["b"] == "float"
    dated = read(path, skiprows=1, parse_dates=["a"])
    assert codes(dated) == {"a": ["DatesNotParsed"]}
    with pytest.raises(ReaderError, match="parse_dates names no column"):
        read(path, skiprows=1, parse_dates=["c"])
    with pytest.raises(ReaderError, match="Usecols do not match"):
        read(path, skiprows=1, usecols=["c"])
    with pytest.raises(ReaderError, match="'a' is not int64: see row 1"):
        read(path, skiprows=1, dtype={"a": "int64"})
    assert types(read(make([["d"], ["2024-01-02"]]), parse_dates=["d"])) == {"d": "timestamp[us]"}


def test_lines_of_units_and_totals_are_left_out(make: Make) -> None:
    rows = [["title"], ["a", "b"], ["km", None], [1, 5], [2, "=A5*2"], ["total", "=A6*2"]]
    table = read(make(rows), skiprows=[0, 2], skipfooter=1)
    assert columns(table) == {"a": [1, 2], "b": [5, None]}
    assert [(note.rows, note.first_row) for note in table.columns[1].notes] == [(1, 2)]
    assert columns(read(make(rows), skiprows=1, skipfooter=9)) == {}


def test_limits_hold(make: Make) -> None:
    path = make([["a", "b"], [1, 2], [3, 4]])
    with pytest.raises(LimitExceededError, match="maxRows"):
        read_workbook(str(path), {}, Limits(max_rows=1))
    with pytest.raises(LimitExceededError, match="maxColumns"):
        read_workbook(str(path), {}, Limits(max_columns=1))


def test_warnings_are_notes_without_the_data() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(
            "Data Validation extension is not supported and will be removed", stacklevel=1
        )
        warnings.warn("Unknown extension is not supported and will be removed", stacklevel=1)
        warnings.warn("Workbook contains no default style, apply openpyxl's", stacklevel=1)
        warnings.warn("the secret 42 is odd", RuntimeWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    messages = [note.message for note in warning_notes(caught)]
    assert len(messages) == 3
    assert "secret" not in " ".join(messages)
    assert messages[2].startswith("was read with a RuntimeWarning")
