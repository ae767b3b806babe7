"""JSON lines have the same table with and without a frame."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from assay_runner.snapshot.limits import LimitExceededError, Limits
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.records import blocks as json_blocks
from assay_runner.snapshot.reading.records import streaming as records_streaming
from assay_runner.snapshot.reading.records.streaming import write_records
from assay_runner.snapshot.table_names import table_names
from reading import read_json

SCALARS = (
    *("0", "-0", "7", "-12", "9007199254740993", "9223372036854775808", "18446744073709551616"),
    *("1.10", "2.5", "1e3", "1E400", "0.123456789012345678", "5e-324", "123456789012345678.25"),
    *(
        '"x"',
        '"02134"',
        '"1.10"',
        '"2024-01-02"',
        '""',
        '"é😀"',
        '"\\\\ud800"',
        '"NaN"',
        '"a\\\\n"',
    ),
    *("true", "false", "null", "null", "[]", "{}"),
)
TEMPERS = (
    ("1", "2", "null", "300"),
    ("1", "2.5", "null"),
    ("9007199254740993", "null"),
    ("18446744073709551615", "1"),
    ("-1", "9223372036854775808"),
    ("true", "false", "null"),
    ('"a"', '"b"', "null"),
    ("[1]", "[2.5, null]", "[]"),
    ('{"a": 1}', '{"b": "x"}', "null"),
    ('[{"a": [1]}]', '[{"a": []}, {"b": {"c": 1.50}}]'),
    ("null",),
    SCALARS,
)


def lines(chance: random.Random) -> str:
    """Return JSON lines with columns of all tempers, in which late values may differ."""
    names = [f"c{n}" for n in range(chance.randrange(1, 7))]
    tempers = {name: chance.choice(TEMPERS) for name in names}
    rows = []
    for _ in range(chance.randrange(1, 40)):
        members = []
        for name in names:
            if chance.random() < 0.1:
                continue
            values = SCALARS if chance.random() < 0.01 else tempers[name]
            members.append(f'"{name}":{chance.choice(("", " "))}{chance.choice(values)}')
        rows.append("{" + ", ".join(members) + "}" + chance.choice(("\n", "\r\n", "\n\n", "")))
    return "".join(rows)


@pytest.mark.parametrize("seed", range(200))
def test_the_table_is_the_same_with_and_without_a_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(json_blocks, "_BLOCK_BYTES", chance.choice((30, 300, 1 << 20)))
    monkeypatch.setattr(records_streaming, "_GROUP_ROWS", chance.choice((3, 1000)))
    source = lines(chance)
    framed = read_json(tmp_path, source, "ndjson")
    target = tmp_path / "frame.parquet"
    written = write_records(str(tmp_path / "source.ndjson"), {}, Limits(), str(target))
    assert (written.rows, written.notes, written.index) == (framed.rows, framed.notes, ())
    if not framed.columns:
        return
    stored = pq.read_table(target, use_threads=False)
    assert stored.num_rows == framed.rows
    names = table_names(column.name for column in framed.columns)
    for name, one, other in zip(names, framed.columns, written.columns, strict=True):
        assert (one.name, one.values.type, one.as_text, one.notes) == (
            other.name,
            other.values.type,
            other.as_text,
            other.notes,
        )
        assert stored[name].to_pylist() == one.values.to_pylist(), name


@pytest.mark.parametrize("seed", range(60))
def test_each_value_is_that_of_the_source(tmp_path: Path, seed: int) -> None:
    source = lines(random.Random(seed)).replace("}{", "}\n{")
    table = read_json(tmp_path, source, "ndjson")
    rows = [json.loads(line) for line in source.splitlines() if line]
    exact = [json.loads(x, parse_int=str, parse_float=str) for x in source.splitlines() if x]
    for column in table.columns:
        rounded = {str(note.code) for note in column.notes} & {"Rounded", "ReaderWarning"}
        for value, row, text in zip(column.values.to_pylist(), rows, exact, strict=True):
            wanted = row.get(column.name)
            if column.as_text and not isinstance(wanted, (list, dict)) and wanted is not None:
                wanted = text[column.name] if not isinstance(wanted, bool) else str(wanted).lower()
            if isinstance(wanted, (list, dict)) or rounded:
                continue
            assert value == wanted
            assert (value is None) == (wanted is None)


def test_an_empty_source_has_no_file(tmp_path: Path) -> None:
    (tmp_path / "source.ndjson").write_text("\n\n")
    target = tmp_path / "frame.parquet"
    table = write_records(str(tmp_path / "source.ndjson"), {}, Limits(), str(target))
    assert (table.rows, table.columns) == (0, ())
    assert not target.exists()


def test_errors_and_limits_are_those_with_a_frame(tmp_path: Path) -> None:
    path, target = tmp_path / "source.ndjson", tmp_path / "frame.parquet"
    path.write_text('{"a": 1, "b": 2}\n{"a": secret}\n')
    with pytest.raises(ReaderError, match=r"line 2, column 7") as error:
        write_records(str(path), {}, Limits(), str(target))
    assert "secret" not in str(error.value)
    path.write_text('{"a": 1, "b": 2}\n{"a": 1}\n')
    with pytest.raises(LimitExceededError, match="maxColumns"):
        write_records(str(path), {}, Limits(max_columns=1), str(target))
    with pytest.raises(LimitExceededError, match="maxRows"):
        write_records(str(path), {}, Limits(max_rows=1), str(target))
