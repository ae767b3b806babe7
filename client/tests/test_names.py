from __future__ import annotations

import pytest

from assay_client import _names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("sales", "sales"),
        ("Umsätze", "Umsatze"),
        ("Umsa\u0308tze", "Umsatze"),
        ("sales (1)", "sales _1"),
        ("Q1 & Q2", "Q1 _ Q2"),
        ("-x-", "x"),
        ("数据2024", "2024"),
        ("数据", ""),
        ("", ""),
        ("a" * 100, "a" * 63),
        ("a" * 62 + "__b", "a" * 62),
        ("ﬁle", "file"),
    ],
)
def test_the_name_of_a_file_becomes_the_nearest_that_a_dataset_can_have(
    text: str, name: str
) -> None:
    assert _names.nearest(text) == name
    assert not name or _names.is_valid(name)


@pytest.mark.parametrize("name", ["", "_a", "a_", "a" * 64, "ä", "a/b", "a\n"])
def test_names_beyond_the_rule_are_invalid(name: str) -> None:
    assert not _names.is_valid(name)


def test_names_that_differ_in_case_or_separators_are_one_dataset() -> None:
    assert {_names.resource_name(n) for n in ("Sales_2024", "sales-2024", "SALES 2024")} == {
        "sales-2024"
    }


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("a.csv", _names.FileType("csv", None, "a")),
        ("a.b.CSV.GZ", _names.FileType("csv", "gzip", "a.b")),
        ("a.jsonl", _names.FileType("ndjson", None, "a")),
        ("a.xlsx", _names.FileType("excel", None, "a")),
        ("a.parquet.zip", _names.FileType("parquet", "zip", "a")),
        ("a.gz", None),
        ("a.txt", None),
        ("csv", None),
    ],
)
def test_the_endings_of_a_file_say_how_it_is_read(
    file: str, expected: _names.FileType | None
) -> None:
    assert _names.file_type(file) == expected
