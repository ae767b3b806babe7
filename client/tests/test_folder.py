from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay_client import _folder
from assay_client._errors import AssayError


def files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text("a\n1\n")


def names(folder: Path) -> dict[str, str]:
    return {t.name: t.file.name for t in _folder.read(folder).tables.values()}


def test_each_table_has_the_name_of_its_file(tmp_path: Path) -> None:
    files(tmp_path, "Sales 2025.csv", "cars.json", "flights.parquet", "README.md")
    read = _folder.read(tmp_path)
    assert names(tmp_path) == {
        "Sales 2025": "Sales 2025.csv",
        "cars": "cars.json",
        "flights": "flights.parquet",
    }
    assert read.tables.keys() == {"sales-2025", "cars", "flights"}
    assert [s.partition(":")[0] for s in read.not_offered] == ["README.md"]


def test_a_folder_with_spaces_and_umlauts_in_its_path_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "Meine Umsätze"
    folder.mkdir()
    files(folder, "Umsätze.csv")
    assert names(folder) == {"Umsatze": "Umsätze.csv"}


def test_a_name_that_a_dataset_cannot_have_is_the_nearest_that_it_can(tmp_path: Path) -> None:
    files(tmp_path, "Umsätze.csv", "Umsatze.json", "sales (1).csv", "-x-.csv", "数据2024.csv")
    assert names(tmp_path) == {
        "Umsatze": "Umsatze.json",
        "Umsatze.csv": "Umsätze.csv",
        "sales _1": "sales (1).csv",
        "x": "-x-.csv",
        "2024": "数据2024.csv",
    }


def test_of_two_files_of_one_name_the_second_keeps_its_ending(tmp_path: Path) -> None:
    files(tmp_path, "sales.csv", "sales.parquet", "SALES.tsv")
    assert names(tmp_path) == {
        "SALES": "SALES.tsv",
        "sales.csv": "sales.csv",
        "sales.parquet": "sales.parquet",
    }


def test_a_file_keeps_its_own_name_whichever_others_are_near(tmp_path: Path) -> None:
    files(tmp_path, "._sales.csv", "#sales.csv", "_sales.csv", "sales.csv", "~$sales.xlsx")
    assert names(tmp_path) == {"sales": "sales.csv", "sales.csv": "#sales.csv"}
    (sentence,) = _folder.read(tmp_path).not_offered
    assert sentence.startswith("_sales.csv: rename it; a dataset's name has")


def test_what_cannot_be_offered_has_a_sentence_each(tmp_path: Path) -> None:
    files(tmp_path, "数据.csv")
    (tmp_path / "folder.csv").mkdir()
    try:
        (tmp_path / "link.csv").symlink_to("数据.csv")
    except OSError:
        pytest.skip("this system does not let this user create links")
    read = _folder.read(tmp_path)
    assert not read.tables
    assert sorted(read.not_offered)[:2] == [
        "folder.csv: not a regular file, or a symbolic link",
        "link.csv: not a regular file, or a symbolic link",
    ]
    assert "数据.csv: rename it" in sorted(read.not_offered)[2]


def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path, "secret.csv", "open.csv")
    # Permissions have no meaning for an administrator, who may run this.
    monkeypatch.setattr(os, "access", lambda file, mode: file.name != "secret.csv")
    read = _folder.read(tmp_path)
    assert read.tables.keys() == {"open"}
    assert read.not_offered == ["secret.csv: it cannot be read: change its permissions"]


@pytest.mark.slow
def test_of_ten_thousand_files_the_first_are_offered(tmp_path: Path) -> None:
    files(tmp_path, *(f"t{i:04d}.csv" for i in range(10_000)))
    read = _folder.read(tmp_path)
    assert len(read.tables) == 300
    assert "t0299" in read.tables
    (sentence,) = read.not_offered
    assert sentence.startswith("9700 more files: a folder offers the first 300 by name. Name a")


def test_of_other_files_as_many_are_named_as_a_line_holds(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    files(tmp_path, "b.txt", *"cdefghijkl")
    (sentence,) = _folder.read(tmp_path).not_offered
    assert sentence.startswith("a/, b.txt, c,")
    assert "j, and 2 more: only files directly in the folder" in sentence


def test_control_characters_in_the_name_of_a_file_are_escapes(tmp_path: Path) -> None:
    try:
        files(tmp_path, "a\x1b[31m.txt")
    except OSError:
        pytest.skip("this system has no such names")
    assert _folder.read(tmp_path).not_offered[0].startswith("a\\x1b[31m.txt: ")


@pytest.mark.parametrize("missing", ["nowhere", "file.csv"])
def test_what_is_no_folder_is_an_error(tmp_path: Path, missing: str) -> None:
    files(tmp_path, "file.csv")
    with pytest.raises(AssayError, match=r"--data: .* is not a folder that can be read"):
        _folder.read(tmp_path / missing)


@pytest.mark.parametrize(
    "text",
    [
        "sales_2024",
        "Sales-2024",
        "dataset://sales_2024",
        "/workspace/sales_2024.csv",
        "./sales_2024.csv",
        "sales_2024.csv",
        " sales 2024 ",
    ],
)
def test_all_forms_of_a_name_find_its_table(tmp_path: Path, text: str) -> None:
    files(tmp_path, "sales_2024.csv", "other.csv")
    found = _folder.read(tmp_path).find(text)
    assert found is not None
    assert found.name == "sales_2024"


@pytest.mark.parametrize("text", ["", "nope", "/etc/passwd", "../sales.csv", "assay://runs/a/b"])
def test_other_texts_find_none(tmp_path: Path, text: str) -> None:
    files(tmp_path, "sales.csv")
    assert _folder.read(tmp_path).find(text) is None


def test_patterns_and_words_of_sql_find_tables(tmp_path: Path) -> None:
    files(tmp_path, "sales_1.csv", "sales_2.xlsx", "Big Table.csv", "other.csv")
    folder = _folder.read(tmp_path)
    assert [t.name for t in folder.matching("sales_*")] == ["sales_1", "sales_2"]
    assert [t.name for t in folder.matching("/workspace/sales_*.xlsx")] == ["sales_2"]
    sql = """SELECT sales_1 FROM "big_table" JOIN other o join 'sales_2.xlsx' FROM (SELECT 1)"""
    assert [t.name for t in folder.in_sql(sql)] == ["Big Table", "other", "sales_2"]
