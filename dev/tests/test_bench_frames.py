"""The parts of the measurement of frames that need neither pandas nor time."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from bench import frames
from bench.frames import Row


def test_a_row_of_the_table_has_the_medians_of_one_way() -> None:
    figures = {
        "df": 3.25,
        "first_scan": 12.6,
        "second_scan": 0.5,
        "anonymous": 0.0,
        "peak": 1234.5,
        "file": 95.4,
    }
    header, _, row = frames.table([Row("text", 100, "Parquet", figures)]).splitlines()
    assert header.count("|") == row.count("|")
    assert row == "| 100, text | Parquet | 3.2 | 13 | 0.5 | 0.0 | 1,234 | 95 |"


def test_a_file_outside_of_the_page_cache_is_still_what_was_written(tmp_path: Path) -> None:
    file = tmp_path / "frame.arrow"
    file.write_bytes(b"x" * 100_000)
    frames._evict(file)
    assert file.read_bytes() == b"x" * 100_000
