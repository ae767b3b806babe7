"""The page on datasets and the code agree."""

from __future__ import annotations

import re

from assay_runner.options import DTYPES, FORMATS, OPTIONS
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.reading import sources
from messages import SCHEMAS

PAGE = (SCHEMAS.parents[2] / "docs" / "datasets.md").read_text()


def rows(title: str) -> list[list[str]]:
    start = PAGE.index(f"## {title}\n")
    section = PAGE[start : PAGE.find("\n## ", start)]
    table = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]
    ]


def option_rows() -> list[list[str]]:
    """Return the table as the code has it: a row for each option and kind of value."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for source_format, options in OPTIONS.items():
        for name, kind in options.items():
            words = kind.description.split(", each one of ")[0]
            kinds.setdefault((name, words), []).append(source_format)
    return [
        [f"`{name}`", ", ".join(formats), words.replace("|", "\\|")]
        for (name, words), formats in kinds.items()
    ]


def test_the_page_lists_each_format() -> None:
    assert [row[0].strip("`") for row in rows("Formats")] == list(FORMATS)


def test_the_page_lists_each_option_of_each_format_and_its_values() -> None:
    expected = option_rows()
    assert rows("Options") == expected, "\n".join("| " + " | ".join(r) + " |" for r in expected)


def test_the_page_lists_each_type_of_column() -> None:
    line = next(line for line in PAGE.splitlines() if line.startswith("Types of columns"))
    assert re.findall(r"`(\w+)`", line)[1:] == list(DTYPES)


def test_the_page_tells_the_limits_by_default() -> None:
    documented = [int(row[1].split(" ")[0].replace(",", "")) for row in rows("Limits")]
    limits = Limits()
    assert documented == [
        limits.max_bytes,
        limits.max_rows,
        limits.max_columns,
        limits.max_nesting,
        limits.frame_bytes,
    ]


def test_the_page_lists_the_options_without_a_frame() -> None:
    line = next(line for line in PAGE.splitlines() if line.startswith("| options | of CSV and TSV"))
    assert re.findall(r"`(\w+)`", line) == list(sources.WITHOUT_FRAME)
