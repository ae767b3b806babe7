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


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT region FROM sales", ["sales"]),
        ("FROM sales s, regions AS r WHERE s.a IN (x, y)", ["sales", "regions"]),
        ("FROM main.sales JOIN db.main.regions USING (id), c", ["sales", "regions", "c"]),
        ('FROM "a ""1" JOIN "./a.csv" ON f(a, b), c', ['a "1', "./a.csv", "c"]),
        ("SELECT a FROM (SELECT b, c FROM t, u) v, w ORDER BY a, b", ["t", "u", "w"]),
        ("FROM (a JOIN b ON a.x = b.y), LATERAL (SELECT 1), c", ["a", "b", "c"]),
        ("FROM sales SELECT region, units", ["sales"]),
        ("SELECT extract(year FROM day), trim(x FROM y) FROM t", ["t"]),
        ("SELECT a IS DISTINCT FROM b, [c, d] FROM t", ["t"]),
        ("SELECT * FROM read_csv('x'), unnest([1, 2]) u, t", ["t"]),
        ("SELECT 'x FROM y', $$ FROM z $$ -- FROM a\nFROM /* FROM b */ t", ["t"]),
        ("WHERE x IN (FROM t) UNION FROM u; SUMMARIZE v", ["t", "u", "v"]),
        ("FROM (PIVOT t ON year) UNPIVOT (v FOR k IN (a, b))", ["t"]),
        ("SELECT describe, pivot FROM t", ["t"]),
        ("FROM", []),
        ("FROM ((, ) . ] ' FROM", []),
    ],
)
def test_the_sources_of_a_query_stand_after_from_join_and_commas(
    sql: str, expected: list[str]
) -> None:
    assert _names.sources(sql) == expected


@pytest.mark.parametrize("unclosed", ["/*", "$a$ ", '"', "' ", "(", "FROM a, "])
def test_a_long_query_is_read_once(unclosed: str) -> None:
    # Quadratic time would be hours.
    _names.sources(unclosed * (256 * 1024 // len(unclosed)))


def test_the_datasets_of_a_query_have_the_names_of_tables_or_files() -> None:
    names = ["Sales 2024", "regions.csv", "other", "a"]
    sql = """SELECT a FROM sales_2024, '/workspace/other.parquet', "regions_csv", b, 'x/a.csv'"""
    assert _names.in_sql(sql, names) == ["Sales 2024", "other", "regions.csv"]
