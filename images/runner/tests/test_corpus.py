"""Each file of the corpus is read in a run as pandas reads it outside, or refused as there."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assay_runner import snapshot_files, snapshot_loading
from assay_runner.snapshot.reading import sources
from corpus import CASES, Case
from corpus.__main__ import main
from corpus.engines import differences
from corpus.fingerprint import fingerprint
from corpus.making import Made, made

pytestmark = pytest.mark.slow


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_a_file_is_read_in_a_run_as_pandas_reads_it_outside(case: Case, tmp_path: Path) -> None:
    result = made(case.as_pandas(), tmp_path)
    # What is refused for the harm that it does is not given to pandas here either.
    expected = case.outside() if case.refused is None else None
    if expected is None:
        assert (result.error_type, result.message[-1:]) == (case.refused, "."), result
    elif isinstance(expected, Exception):
        assert result.error_type == type(expected).__name__, (result, expected)
    else:
        assert result.error_type is None, (result, expected)
        loaded = snapshot_loading.load(str(result.snapshot))
        pd.testing.assert_frame_equal(loaded, expected, check_exact=True)
        assert snapshot_files.same(loaded, expected)
        check_is_described(result, expected)
        assert differences(result.snapshot, expected) == []
    if result.error_type is not None:
        assert os.listdir(result.snapshot) == []
        assert not case.secret or case.secret not in result.message


KEPT = [case for case in CASES if sources.keeps(case.format, case.options)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", KEPT, ids=lambda case: case.file)
def test_what_differs_from_pandas_is_named(case: Case, tmp_path: Path) -> None:
    result = made(case, tmp_path)
    expected = case.outside(exact=True) if case.refused is None else None
    if result.error_type is not None:
        # What pandas reads with values that the source does not have is refused with what to do.
        says_what = " option" in result.message or "(line " in result.message
        assert not isinstance(expected, pd.DataFrame) or says_what, result
        assert not case.secret or case.secret not in result.message
        return
    assert not isinstance(expected, Exception) or case.file in READ_HERE_ONLY
    if not isinstance(expected, pd.DataFrame):
        return
    loaded = snapshot_loading.load(str(result.snapshot))
    assert loaded.columns.equals(expected.columns)
    pd.testing.assert_index_equal(loaded.index, expected.index)
    notes = {column["name"]: column["notes"] for column in described(result.snapshot)}
    for position, name in enumerate(loaded.columns):
        ours, theirs = (
            table.iloc[:, [position]].reset_index(drop=True) for table in (loaded, expected)
        )
        theirs.columns = ours.columns
        named = notes[str(name)] or case.file in KEPT_HERE_ONLY
        # A column without values has None or NaN.
        named = named or (ours.isna().all(axis=None) and theirs.isna().all(axis=None))
        assert named or snapshot_files.same(ours, theirs), name


READ_HERE_ONLY = {
    "utf-16 taken for utf-8.csv",
    "scalars.json",
    "beyond 2^64.json",
    "byte order mark.json",
}
KEPT_HERE_ONLY = {"zero bytes.csv", "sheet by name.xlsx"}
"""pandas takes a text that begins with a zero byte for a missing value, and text for a number."""


def described(snapshot: Path) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = json.loads((snapshot / "description.json").read_text())[
        "columns"
    ]
    return columns


def check_is_described(result: Made, expected: pd.DataFrame) -> None:
    value = result.value
    assert (value["rows"], value["columnCount"]) == expected.shape
    columns = value["columns"]
    assert isinstance(columns, list)
    assert len(json.dumps(value, ensure_ascii=False).encode()) <= 255 * 1024
    nulls = [int(expected.iloc[:, i].isna().sum()) for i in range(len(columns))]
    assert [column["nulls"] for column in columns] == nulls
    for position, column in enumerate(columns):
        values = expected.iloc[:, position].dropna().iloc[:1000]
        distinct = {cut(str(values.iloc[i])): None for i in range(len(values))}
        assert column["samples"] in (list(distinct)[:3], [])


def cut(text: str) -> str:
    """Return an example as a description has it."""
    return text if len(text) <= 64 else text[:63] + "…"


def test_the_table_of_the_corpus_is_printed_and_its_files_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [case for case in CASES if case.file in ("plain.csv", "two files.zip", "empty.csv")]
    assert main(tmp_path, cases) == 0
    table = capsys.readouterr().out
    assert "| plain.csv | csv | 2 | 2 | as pandas, by arrow |" in table
    assert "3 files, 0 that differ" in table
    expectations = json.loads((tmp_path / "cases.json").read_text())
    for case, expected in zip(cases, expectations, strict=True):
        assert (tmp_path / case.file).read_bytes() == case.data
        assert expected["source"] == case.as_pandas().source
    assert [expected.get("error") for expected in expectations] == [
        None,
        "EmptyDataError",
        "SourceRefusedError",
    ]


def test_a_file_that_is_read_differently_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = dataclasses.replace(CASES[0], refused="LimitExceededError")
    assert main(tmp_path, [wrong]) == 1
    assert "DIFFERS: as pandas, by arrow" in capsys.readouterr().out


@pytest.mark.parametrize(
    "other",
    [
        pd.DataFrame({"a": [1.0, 2.0]}),
        pd.DataFrame({"b": [1, 2]}),
        pd.DataFrame({"a": [1, 2]}, index=[1, 0]),
        pd.DataFrame({"a": pd.array([1, 2], dtype="Int64")}),
        pd.DataFrame({"a": pd.Series([1, "2"], dtype=object)}),
    ],
)
def test_frames_that_differ_have_other_fingerprints(other: pd.DataFrame) -> None:
    assert fingerprint(other) == fingerprint(other.copy())
    assert fingerprint(other) != fingerprint(pd.DataFrame({"a": [1, 2]}))


def test_each_file_of_the_corpus_has_a_name_of_its_own() -> None:
    assert len({case.file for case in CASES}) == len(CASES) > 200
