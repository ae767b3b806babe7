"""Sources that are made to be read slowly, in much memory, or otherwise than they look."""

from __future__ import annotations

import io
import json
import time
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from assay_runner.options import OptionRefusedError, check
from assay_runner.snapshot.inspection import inspect
from assay_runner.snapshot.limits import LimitExceededError, Limits
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading import sources
from assay_runner.snapshot.reading.delimited.layout import ParserError, unique_names
from assay_runner.snapshot.reading.encoding import Utf8
from assay_runner.snapshot.reading.notes import Code
from assay_runner.snapshot.reading.stored_integers import keep_integers
from assay_runner.snapshot.source import SourceRefusedError
from assay_runner.snapshot_files import read_source

FEW = Limits(max_rows=100, max_columns=50)


def read(directory: Path, text: str, source_format: str = "csv", **options: object) -> Any:
    path = directory / "source"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return sources.read(str(path), source_format, options, Limits.NONE)


def workbook(directory: Path, sheet: bytes) -> str:
    """Write a workbook whose sheet is this part."""
    book = io.BytesIO()
    openpyxl.Workbook().save(book)
    path = directory / "book.xlsx"
    with zipfile.ZipFile(book) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for part in source.infolist():
            is_sheet = part.filename == "xl/worksheets/sheet1.xml"
            new.writestr(part.filename, sheet if is_sheet else source.read(part))
    return str(path)


SHEET = '<worksheet><sheetData><row r="{}"><c r="{}"><v>1</v></c></row></sheetData></worksheet>'


@pytest.mark.parametrize(
    "sheet",
    [
        SHEET.format("2000", "CV2000").encode(),
        SHEET.format("200&#48;", "CV2000").encode(),
        SHEET.format("2", "C&#86;2").encode(),
        SHEET.format("2000", "CV2000").encode("utf-16"),
        ('<?xml version="1.0" encoding="UTF-16LE"?>' + SHEET).encode("utf-16-le"),
        b'<?xml version="1.0" encoding="cp037"?>' + SHEET.encode(),
        b'<worksheet><sheetData><row r="1"><c x="' + b"x" * 2_000_000 + b'" r="XFD1"/></row>',
    ],
    ids=["plain", "row", "cell", "utf-16", "no mark", "declared", "long"],
)
def test_a_workbook_cannot_hide_its_extent(sheet: bytes, tmp_path: Path) -> None:
    with pytest.raises(SourceRefusedError):
        inspect(workbook(tmp_path, sheet), "excel", {}, FEW)


@pytest.mark.parametrize("tag", [b"<c ", b"<mergeCell "])
def test_tags_without_an_end_take_no_quadratic_time(tag: bytes, tmp_path: Path) -> None:
    path = workbook(tmp_path, b"<worksheet>" + tag * 400_000)
    began = time.process_time()
    inspect(path, "excel", {}, Limits())
    with pytest.raises((SourceRefusedError, ReaderError)):
        sources.read(path, "excel", {}, Limits())
    # In quadratic time, it would be some minutes.
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    ("text", "source_format"),
    [
        (f"[{json.dumps([1] * 9000)}{',[]' * 20_000}]", "json"),
        ("".join(f'{{"k{i % 9000}":1}}\n' for i in range(20_000)), "ndjson"),
        (json.dumps({f"c{i}": {f"r{i}": 1} for i in range(12_000)}), "json"),
        (json.dumps({"columns": [str(i) for i in range(9000)], "data": [[]] * 20_000}), "json"),
    ],
    ids=["lists", "objects", "columns", "split"],
)
def test_rows_and_columns_of_json_span_a_limited_number_of_cells(
    text: str, source_format: str, tmp_path: Path
) -> None:
    orient = {"orient": "split"} if '"data"' in text else {}
    with pytest.raises(LimitExceededError, match="more than 100000000 cells"):
        read(tmp_path, text, source_format, **orient)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('a,b\n1",x\n2,"y\n3,z\n', {}),
        ('a,b\n1,"x\n2,y\n3,z\n', {"skipinitialspace": True}),
        ('a,b\n1,"x\n2,y\n3,z\n', {"comment": "#"}),
    ],
)
def test_a_quotation_mark_that_is_never_closed_takes_no_rows(
    text: str, options: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(ParserError, match="is never closed"):
        read(tmp_path, text, **options)


@pytest.mark.parametrize(
    ("text", "options", "rows"),
    [
        ('a,b\n"x\\"",z\nq,r\n', {"escapechar": "\\"}, [('x"', "z"), ("q", "r")]),
        ('a,b\n1,"x\n#y"\n2,z\n', {"comment": "#"}, [(1, "x\n#y"), (2, "z")]),
        ('a,b\n1,"x""#y"#z\n', {"comment": "#"}, [(1, 'x"#y')]),
        ('a,b\n1,5" x # c\n', {"comment": "#"}, [(1, '5" x ')]),
        ('a\nx\n""\ny\n', {"skipinitialspace": True}, [("x",), (None,), ("y",)]),
        ("a::b\n  x::y\n", {"sep": "::"}, [("  x", "y")]),
    ],
)
def test_marks_and_comments_are_what_they_are_for_the_reader(
    text: str, options: dict[str, Any], rows: list[tuple[object, ...]], tmp_path: Path
) -> None:
    table = read(tmp_path, text, **options)
    columns = [column.values.to_pylist() for column in table.columns]
    assert list(zip(*columns, strict=True)) == rows


def test_lines_beyond_the_head_cannot_be_skipped_one_by_one(tmp_path: Path) -> None:
    text = "a,b\n" + "0123456,x\n" * 500_000
    for line in (450_000, 419_430):
        with pytest.raises(ParserError, match="within the first 4 MiB"):
            read(tmp_path, text, skiprows=[line])
    assert read(tmp_path, "a\n1\n2\n", skiprows=[2, 9]).rows == 1
    with pytest.raises(ParserError, match="no header"):
        read(tmp_path, "a\n1\n", skiprows=2**31 - 1)


def test_thousands_and_the_decimal_point_differ(tmp_path: Path) -> None:
    with pytest.raises(OptionRefusedError, match="thousands and decimal are the same"):
        read(tmp_path, "a;b\n1.5;x\n", sep=";", thousands=".")


@pytest.mark.parametrize("options", [{"names": ["a", "a"]}, {"usecols": []}])
def test_names_that_no_table_can_have_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(OptionRefusedError):
        check("csv", options)


@pytest.mark.parametrize(
    ("text", "source_format"),
    [("v\n1e-400\n", "csv"), ('[{"v":1e-400}]', "json"), ('[{"v":[1e999]}]', "json")],
)
def test_numbers_that_a_double_cannot_hold_have_a_note(
    text: str, source_format: str, tmp_path: Path
) -> None:
    (column,) = read(tmp_path, text, source_format).columns
    assert [note.code for note in column.notes] == [Code.ROUNDED]


@pytest.mark.parametrize("value", ["today", "now", "10:30", "10:30:00 PM"])
def test_no_date_depends_on_the_day_of_the_load(value: str, tmp_path: Path) -> None:
    (column,) = read(tmp_path, f"a\n2024-01-01\n{value}\n", parse_dates=["a"]).columns
    assert column.values.to_pylist() == ["2024-01-01", value]
    assert [(note.code, note.first_row) for note in column.notes] == [(Code.DATES_NOT_PARSED, 2)]
    text = json.dumps([{"a": value}])
    (column,) = read(tmp_path, text, "json", convert_dates=["a"]).columns
    assert column.values.to_pylist() == [value]


def test_nanoseconds_with_a_gap_are_kept(tmp_path: Path) -> None:
    text = '[{"a":1700000000123456789},{"a":null}]'
    (column,) = read(tmp_path, text, "json", convert_dates=["a"]).columns
    assert column.values.cast(pa.int64()).to_pylist() == [1_700_000_000_123_456_789, None]


@pytest.mark.parametrize("source_format", ["parquet", "feather"])
def test_large_integers_in_lists_with_gaps_are_kept(source_format: str, tmp_path: Path) -> None:
    table = pa.table({"ids": [[9007199254740993, None], None]})
    path = str(tmp_path / "file")
    if source_format == "parquet":
        pq.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path)
    frame = read_source(path, source_format, {})
    keep_integers(frame, path, source_format, {})
    assert list(frame["ids"][0]) == [9007199254740993, None]


def test_a_year_that_python_lacks_is_text(tmp_path: Path) -> None:
    (column,) = read(tmp_path, "a\n0000-01-01\n2024-01-01\n").columns
    assert column.values.to_pylist() == ["0000-01-01", "2024-01-01"]


def test_a_name_with_half_a_surrogate_pair_is_escaped(tmp_path: Path) -> None:
    (column,) = read(tmp_path, '{"\\ud83d":1}\n', "ndjson").columns
    assert column.name == "\\ud83d"


def test_an_error_does_not_name_the_keys_of_the_source(tmp_path: Path) -> None:
    text = '{"alice@example.com":[{"x":1}],"bob@example.com":[{"x":1}]}'
    with pytest.raises(ReaderError, match="has 2 lists of objects") as refused:
        read(tmp_path, text, "json")
    assert "alice" not in str(refused.value)


def test_a_member_that_is_given_twice_is_noted_whatever_the_spaces(tmp_path: Path) -> None:
    assert read(tmp_path, '{"a":1,"a":2,"b"  :3}\n', "ndjson").notes


def test_nesting_is_counted_in_the_encoding_of_the_mark(tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_text('["\\"", ' + "[" * 80 + "]" * 80 + "]", encoding="utf-16")
    with pytest.raises(LimitExceededError, match="maxNesting"):
        inspect(str(path), "json", {}, Limits())


def test_a_column_of_the_name_sep_is_no_separator(tmp_path: Path) -> None:
    assert [column.name for column in read(tmp_path, "sep=\n1\n").columns] == ["sep="]


def test_bytes_that_are_no_text_are_named_by_the_slower_reader(tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(b"a,b\n\xff,1\n")
    with pytest.raises(UnicodeDecodeError):
        sources.read(str(path), "csv", {"skipinitialspace": True}, Limits.NONE)


def test_names_and_lines_take_no_quadratic_time(tmp_path: Path) -> None:
    began = time.process_time()
    assert len(unique_names(["x"] * 200_000)) == 200_000
    path = tmp_path / "long"
    path.write_bytes(b"x" * 64 * 1024 * 1024)
    with Utf8(str(path), "utf-8") as source:
        assert [len(line) for line in source.lines()] == [64 * 1024 * 1024]
    assert time.process_time() - began < 20
