"""JSON keeps its values: text stays text, numbers are exact, and what is not kept is named."""

from __future__ import annotations

import codecs
import json
import random
from datetime import datetime
from pathlib import Path

import pytest

from assay_runner.snapshot.limits import LimitExceededError, Limits
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.records import batches as json_batches
from assay_runner.snapshot.reading.records import blocks as json_blocks
from assay_runner.snapshot.reading.records import json_text
from assay_runner.snapshot.reading.records.reader import read_records
from reading import codes, columns, read_json, types


def test_text_stays_text(tmp_path: Path) -> None:
    source = '[{"zip": "02134", "card": "4111111111111111111111", "v": "1.10", "d": "2024-01-01"}]'
    assert columns(read_json(tmp_path, source)) == {
        "zip": ["02134"],
        "card": ["4111111111111111111111"],
        "v": ["1.10"],
        "d": ["2024-01-01"],
    }


def test_numbers_are_no_dates_because_of_their_names(tmp_path: Path) -> None:
    table = read_json(tmp_path, '[{"cycle_time": 31600000, "created_at": 1704067200}]')
    assert types(table) == {"cycle_time": "int64", "created_at": "int64"}


def test_ids_with_a_gap_are_exact(tmp_path: Path) -> None:
    table = read_json(tmp_path, '[{"id": 202501010000000003}, {}, {"id": 202501010000000013}]')
    assert columns(table) == {"id": [202501010000000003, None, 202501010000000013]}
    assert types(table) == {"id": "int64"}


@pytest.mark.parametrize(
    ("numbers", "data_type", "noted"),
    [
        ("9223372036854775807, -9223372036854775808", "int64", []),
        ("18446744073709551615, 0", "uint64", []),
        ("18446744073709551616, 0", "large_string", ["Beyond64Bits"]),
        ("-1, 9223372036854775808", "large_string", ["Beyond64Bits"]),
        ("1, 2.5", "double", []),
        ("9007199254740993, 0.5", "large_string", ["MixedValues"]),
        ("1152921504606846976, 0.5", "double", []),
        ("1e400, 1.50", "large_string", ["Beyond64Bits"]),
        ("-1e400, 1e400", "large_string", ["Beyond64Bits"]),
        ("1e308, 1e308", "double", []),
        ("0.1, 0.12345678901234567", "double", []),
        ("0.1, 0.123456789012345678", "double", ["Rounded"]),
        ("0.1, 123456789012345678.5", "double", ["Rounded"]),
        ("0.1, 0.1000000000000000000000000", "double", []),
        ("1" * 5000, "large_string", ["Beyond64Bits"]),
        ("null", "double", []),
    ],
)
def test_numbers_are_exact_or_named(
    tmp_path: Path, numbers: str, data_type: str, noted: list[str]
) -> None:
    texts = numbers.split(", ")
    table = read_json(tmp_path, "[" + ",".join(f'{{"n": {text}}}' for text in texts) + "]")
    assert types(table) == {"n": data_type}
    assert codes(table).get("n", []) == noted
    if data_type == "large_string":
        assert columns(table) == {"n": texts}
        assert table.columns[0].as_text
    else:
        assert columns(table) == {"n": [None if t == "null" else json.loads(t) for t in texts]}


def test_a_column_of_several_kinds_has_the_characters_of_the_source(tmp_path: Path) -> None:
    source = (
        '[{"a": 1.10}, {"a": "1.1"}, {"a": [1, 2.50]}, {"a": true}, {"a": {"b": 1e2}}, {"a": -0}]'
    )
    table = read_json(tmp_path, source)
    assert columns(table) == {"a": ["1.10", "1.1", "[1, 2.50]", "true", '{"b": 1e2}', "-0"]}
    assert table.columns[0].as_text


def test_a_note_names_three_rows_of_the_rarer_kind(tmp_path: Path) -> None:
    rows = [{"a": row if row % 3 else "x"} for row in range(1, 20)]
    (note,) = read_json(tmp_path, json.dumps(rows)).columns[0].notes
    assert note.message == "is text: it has texts among whole numbers, in rows 3, 6, 9 and others"
    assert (note.rows, note.first_row) == (6, 3)


def test_all_batches_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_batches, "_BATCH_CHARACTERS", 20)
    monkeypatch.setattr(json_text, "_WINDOW", 20)
    monkeypatch.setattr(json_blocks, "_BLOCK_BYTES", 20)
    values = ["1", "2", "3.50", "null", '"x"', "9007199254740993"]
    rows = [f'{{"a": {value}}}' for value in values]
    expected = {"a": ["1", "2", "3.50", None, "x", "9007199254740993"]}
    assert columns(read_json(tmp_path, f"[{', '.join(rows)}]")) == expected
    assert columns(read_json(tmp_path, "\n".join(rows), "ndjson")) == expected
    late = read_json(tmp_path, "\n".join([*rows[:3], '{"late": 1}', *rows[3:]]), "ndjson")
    assert columns(late)["late"] == [None, None, None, 1, None, None, None]


@pytest.mark.parametrize("separator", [",", ", ", ",\n  ", " , "])
def test_items_that_are_parsed_together_are_those_of_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, separator: str
) -> None:
    chance = random.Random(separator)
    rows = [
        {"a": [{"b": "}, {"}, {"b": row}], "c": "},{" * chance.randrange(3), "d": {"e": [{}, {}]}}
        for row in range(200)
    ]
    source = f"[{separator.join(map(json.dumps, rows))}]"
    expected = columns(read_json(tmp_path, source))
    assert expected["c"] == [row["c"] for row in rows]
    for window in (1, 30, 100, 5000):
        monkeypatch.setattr(json_text, "_WINDOW", window)
        monkeypatch.setattr(json_batches, "_BATCH_CHARACTERS", window)
        assert columns(read_json(tmp_path, source)) == expected
    with pytest.raises(ReaderError, match="more behind the value"):
        read_json(tmp_path, source + source)


@pytest.mark.parametrize(
    "source",
    ['{"a": 1}, {"a": 2}\n{"a": 3}', '{"a": [{"b": 1}\n{"b": 2}]}', '{"a": "}\n{"}', '{"a": 1},\n'],
)
def test_lines_with_commas_between_objects_are_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(ReaderError, match="not valid JSON"):
        read_json(tmp_path, source, "ndjson")


def test_lists_and_objects_are_typed_where_that_changes_no_value(tmp_path: Path) -> None:
    table = read_json(
        tmp_path,
        """[{"list": [1, 2], "mixed": [1, "x"], "big": [9007199254740993, 0.5], "o": {"a": 1}},
            {"list": [null, 2.5], "mixed": [], "big": [], "o": {"b": [{}]}},
            {"o": {"a": 2, "b": []}}]""",
    )
    assert types(table) == {
        "list": "list<item: double>",
        "mixed": "large_string",
        "big": "large_string",
        "o": "large_string",
    }
    assert columns(table)["big"] == ["[9007199254740993, 0.5]", "[]", None]
    assert columns(table)["o"] == ['{"a": 1}', '{"b": [{}]}', '{"a": 2, "b": []}']


def test_an_object_with_a_member_twice_is_named(tmp_path: Path) -> None:
    table = read_json(tmp_path, '[{"a": 1}, {"a": 1, "a" : 2}, {"b": {"c": "\\":", "c": 1}}]')
    assert columns(table)["a"] == [1, 2, None]
    (note,) = table.notes
    assert (str(note.code), note.rows, note.first_row) == ("ReaderWarning", 2, 2)


def test_colons_in_texts_are_no_members(tmp_path: Path) -> None:
    rows = [{"a": '{"x":1,"y" : 2}', "b:": 'c\\":', "d": {"e": [{"f": "::"}]}}]
    for separators in ((",", ":"), (", ", ": "), (", ", " : ")):
        table = read_json(tmp_path, json.dumps(rows, separators=separators))
        assert table.notes == ()
        assert columns(table)["a"] == ['{"x":1,"y" : 2}']


def test_half_a_surrogate_pair_is_an_escape_that_is_named(tmp_path: Path) -> None:
    table = read_json(tmp_path, '[{"a": "x"}, {"a": "\\ud800"}, {"a": "\\ud83d\\ude00"}]')
    assert columns(table) == {"a": ["x", "\\ud800", "😀"]}
    (note,) = table.columns[0].notes
    assert (str(note.code), note.rows, note.first_row) == ("ReaderWarning", 1, 2)


@pytest.mark.parametrize("source_format", ["json", "ndjson"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_the_mark_of_an_encoding_is_known(
    tmp_path: Path, mark: bytes, encoding: str, source_format: str
) -> None:
    table = read_json(
        tmp_path, mark + '{"a": "Łódź"}\n{"a": "é"}\n'.encode(encoding), source_format
    )
    assert columns(table) == {"a": ["Łódź", "é"]}


def test_another_encoding_is_an_option(tmp_path: Path) -> None:
    source = '[{"a":\n "é"}]'.encode("latin-1")
    assert columns(read_json(tmp_path, source, encoding="latin-1")) == {"a": ["é"]}
    with pytest.raises(ReaderError, match="not utf-8 at byte 9, in line 2"):
        read_json(tmp_path, source)
    with pytest.raises(ReaderError, match="not utf-16-le"):
        read_json(tmp_path, codecs.BOM_UTF16_LE + b"[\0]\0\0")


@pytest.mark.parametrize(
    ("source", "expected", "names"),
    [
        ("[]", {}, None),
        ("{}", {}, None),
        ('{"a": 1, "b": "x"}', {"a": [1], "b": ["x"]}, None),
        ('{"a": 1, "b": {"c": [2]}}', {"a": [1], "b": [{"c": [2]}]}, None),
        ('{"id": 1, "tags": ["x", "y"]}', {"id": [1], "tags": [["x", "y"]]}, None),
        ('{"a": 1}{"a": 2}\n\n{"a": 3}', {"a": [1, 2, 3]}, None),
        ('{"a": [1, 2], "b": ["x", null]}', {"a": [1, 2], "b": ["x", None]}, None),
        ('{"a": {"0": 1, "1": 2}, "b": {"1": "x"}}', {"a": [1, 2], "b": [None, "x"]}, None),
        ('{"a": {"x": 1, "y": 2}}', {None: ["x", "y"], "a": [1, 2]}, None),
        ('{"a": {"10": 1, "20": 2}}', {None: [10, 20], "a": [1, 2]}, None),
        ('{"a": {"010": 1, "20": 2}}', {None: ["010", "20"], "a": [1, 2]}, None),
        ('[["x", 1], ["y"]]', {0: ["x", "y"], 1: [1, None]}, None),
        ("[1, 2]", {0: [1, 2]}, None),
        ('{"meta": {"page": 1}, "items": [{"id": 1}, {"id": 2}]}', {"id": [1, 2]}, "items"),
        ('{"meta": 1, "items": []}', {}, "items"),
        ('{"r": {"n": 1, "docs": [{"id": 1}]}}', {"id": [1]}, "r.docs"),
        (
            '{"type": "FeatureCollection", "bbox": [1], "crs": [{"a": 1}],'
            ' "features": [{"id": 1}, {"id": 2}]}',
            {"id": [1, 2]},
            "features",
        ),
    ],
)
def test_records_are_found(
    tmp_path: Path, source: str, expected: dict[object, list[object]], names: str | None
) -> None:
    table = read_json(tmp_path, source)
    assert columns(table) == expected
    assert table.index == ((0,) if None in expected else ())
    assert [note.message for note in table.notes] == (
        [f"was read from the list '{names}' of the source"] if names else []
    )


def test_numbers_that_are_names_are_those_of_their_values(tmp_path: Path) -> None:
    source = '{"columns": [1, 1.50], "data": [[1.10, 2], ["x", 3]]}'
    table = read_json(tmp_path, source, orient="split")
    assert columns(table) == {1: ["1.10", "x"], 1.5: [2, 3]}


def test_several_lists_of_records_are_an_error(tmp_path: Path) -> None:
    source = '{"orders": [{"a": 1}], "returns": [{"a": 2}]}'
    with pytest.raises(ReaderError, match="2 lists of objects"):
        read_json(tmp_path, source)
    assert columns(read_json(tmp_path, source, orient="columns")) == {
        "orders": [{"a": 1}],
        "returns": [{"a": 2}],
    }


@pytest.mark.parametrize(
    ("orient", "source", "expected"),
    [
        (
            "split",
            '{"columns": ["a", "a"], "index": ["x"], "data": [[1, "2"]]}',
            {None: ["x"], "a": [1], "a.1": ["2"]},
        ),
        ("split", '{"columns": ["a"], "index": [0, 1], "data": [[1], [2]]}', {"a": [1, 2]}),
        ("split", '{"columns": ["a", "b"], "data": []}', {"a": [], "b": []}),
        (
            "index",
            '{"x": {"a": 1}, "y": {"b": 2}}',
            {None: ["x", "y"], "a": [1, None], "b": [None, 2]},
        ),
        ("values", "[[1, 2]]", {0: [1], 1: [2]}),
        ("records", '[{"a": 1}]', {"a": [1]}),
        (
            "table",
            '{"schema": {"fields": [{"name": "index", "type": "integer"}, {"name": "zip"},'
            ' {"name": "d", "type": "datetime"}], "primaryKey": ["index"]},'
            ' "data": [{"index": 0, "zip": "02134", "d": "2024-01-02T00:00:00.000"}]}',
            {"zip": ["02134"], "d": [datetime(2024, 1, 2)]},
        ),
    ],
)
def test_each_orient_is_read(
    tmp_path: Path, orient: str, source: str, expected: dict[object, list[object]]
) -> None:
    assert columns(read_json(tmp_path, source, orient=orient)) == expected


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "is empty"),
        ("7", "single value"),
        ('"secret"', "single value"),
        ('[{"a": 1},\n {"a": "secret",}]', r"line 2, column 17"),
        ('[{"a": 1}] secret', r"more behind the value \(line 1, column 12\)"),
        ('[{"a": 1}, {"a": "secret', r"a text has no end \(line 1, column 18\)"),
        ('[{"a": 1} {"a": 2}]', r"',' is expected \(line 1, column 11\)"),
        ('[{"a": "\\ud8secret"}]', r"an escape .* \(line 1, column 10\)"),
        ('[{"a": "NaN"},\n{"a": NaN}]', r"write null \(line 2, column 7\)"),
        ('[{"a": -Infinity}]', "write null"),
        ("<html>secret</html>", r"a value is expected \(line 1, column 1\)"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('[{"a": 1}, [2]]', "Rows 1 and 2 are not both objects"),
        ('[{"a": 1}, null]', "Rows 1 and 2 are not both objects"),
        ('{"a": 1}\n[2]', "Rows 1 and 2 are not both objects"),
        ('{"a": [1], "b": [1, 2]}', "differ in length"),
        ('{"a": 1}\n{"a" 2}', r"':' is expected \(line 2, column 6\)"),
    ],
)
def test_an_error_has_its_place_and_not_the_data(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(ReaderError, match=message) as error:
        read_json(tmp_path, source)
    assert "secret" not in str(error.value)


def test_rows_of_all_batches_are_of_one_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_blocks, "_BLOCK_BYTES", 9)
    for lines in ('{"a": 1}\n{"a": 2}\n[3]', "[1]\n[2, 3]\n4\n", '1\n2\n3\n{"a": 1}'):
        with pytest.raises(ReaderError, match="are not both objects"):
            read_json(tmp_path, lines, "ndjson")


def test_a_broken_line_has_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_blocks, "_BLOCK_BYTES", 20)
    good = '{"a": 1}\r\n' * 7
    with pytest.raises(ReaderError, match=r"line 8, column 6"):
        read_json(tmp_path, good + '{"a":secret}\n' + good, "ndjson")
    with pytest.raises(ReaderError, match=r"no end in its line \(line 8, column 13\)"):
        read_json(tmp_path, good + '{"a":"secret\n' + good, "ndjson")


def test_objects_may_span_lines_and_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_blocks, "_BLOCK_BYTES", 7)
    table = read_json(tmp_path, '{"a":\n 1,\n "b": "é"}\n\n{"a": 2}{"a": 3}', "ndjson")
    assert columns(table) == {"a": [1, 2, 3], "b": ["é", None, None]}


def test_tabs_within_texts_are_read(tmp_path: Path) -> None:
    for source_format in ("json", "ndjson"):
        assert columns(read_json(tmp_path, '{"a": "x\ty"}', source_format)) == {"a": ["x\ty"]}


def test_a_list_is_no_json_lines(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match="give the format json"):
        read_json(tmp_path, '[{"a": 1}]', "ndjson")


def test_types_are_applied(tmp_path: Path) -> None:
    source = '[{"n": 1.50, "i": "0042", "t": 1.10, "f": 2}, {"n": 2.0, "t": "x"}]'
    dtypes = {"i": "Int64", "t": "str", "f": "float32", "absent": "int8"}
    table = read_json(tmp_path, source, dtype=dtypes)
    assert columns(table) == {"n": [1.5, 2.0], "i": [42, None], "t": ["1.10", "x"], "f": [2, None]}
    assert types(table)["f"] == "float"
    for flag in (True, False):
        assert types(read_json(tmp_path, source, dtype=flag))["i"] == "large_string"


@pytest.mark.parametrize(("dtype", "row"), [("int64", 2), ("Int64", 3), ("int8", 2), ("Int8", 3)])
def test_a_value_that_does_not_fit_its_type_has_its_row(
    tmp_path: Path, dtype: str, row: int
) -> None:
    source = '[{"n": 1.0}, {}, {"n": 2.5}, {"n": 3}]'
    with pytest.raises(ReaderError, match=f"'n' is not {dtype}: see row {row} of"):
        read_json(tmp_path, source, dtype={"n": dtype})


def test_dates_are_what_convert_dates_names(tmp_path: Path) -> None:
    source = (
        '[{"d": "2024-01-02", "created_at": 1704067200}, {"d": null, "created_at": 1704067201}]'
    )
    assert types(read_json(tmp_path, source, convert_dates=False))["d"] == "large_string"
    named = read_json(tmp_path, source, convert_dates=["d"])
    assert columns(named)["d"] == [datetime(2024, 1, 2), None]
    assert types(named)["created_at"] == "int64"
    by_name = read_json(tmp_path, source, convert_dates=True)
    assert types(by_name)["d"] == "large_string"
    assert columns(by_name)["created_at"][0] == datetime(2024, 1, 1)


def test_dates_that_may_be_of_another_month_are_named(tmp_path: Path) -> None:
    for second, noted in (("03/04/2024", ["AmbiguousDates"]), ("03/14/2024", [])):
        source = f'[{{"d": "01/02/2024"}}, {{"d": null}}, {{"d": "{second}"}}]'
        table = read_json(tmp_path, source, convert_dates=["d"])
        assert columns(table)["d"][0] == datetime(2024, 1, 2)
        assert codes(table).get("d", []) == noted


def test_dates_that_pandas_cannot_convert_are_named(tmp_path: Path) -> None:
    source = '[{"d": "2024-01-02"}, {"d": "2024-02-30"}]'
    (column,) = read_json(tmp_path, source, convert_dates=["d"]).columns
    assert column.values.to_pylist() == ["2024-01-02", "2024-02-30"]
    assert [(str(note.code), note.first_row) for note in column.notes] == [("DatesNotParsed", 2)]


def test_limits_hold(tmp_path: Path) -> None:
    path = tmp_path / "source.json"
    path.write_text('[{"a": 1}, {"b": 2}, {"c": 3}]')
    with pytest.raises(LimitExceededError, match="maxRows"):
        read_records(str(path), "json", {}, Limits(max_rows=2))
    with pytest.raises(LimitExceededError, match="maxColumns"):
        read_records(str(path), "json", {}, Limits(max_columns=2))
