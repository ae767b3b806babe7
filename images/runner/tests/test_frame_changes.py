"""A stored frame whose columns are views of its file can do what the frame that was stored can.

That holds on each way to `df`: mapped from the directory of a snapshot, mapped by the link to it of
a warm Pod, copied because it is small, and copied in part because its columns are at so many
distances from each other.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from assay_runner import snapshot_files
from assay_runner.launcher.holder import hold
from frame_changes import CHANGES, READS, is_in_a_file, outcome, sample

# Enough for frames that are mapped.
_ROWS = 15_000
_ROWS_OF_COPIED = 2_000
_MANY_COLUMNS = 40


class Stored(NamedTuple):
    """A frame as it was stored, and the directory that code loads it from."""

    original: Path
    directory: Path

    def load(self) -> pd.DataFrame:
        return snapshot_files.load_frame(str(self.directory))


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(sample(_ROWS), tmp_path_factory.mktemp("narrow"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(sample(_ROWS_OF_COPIED), tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def irregular(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Between its numbers it has texts of different lengths, and so no two at the same distance."""
    frame = sample(_ROWS_OF_COPIED, _MANY_COLUMNS)
    for number in range(_MANY_COLUMNS):
        text = "x" * number
        frame.insert(frame.columns.get_loc(f"n{number}") + 1, f"s{number}", text)  # type: ignore[arg-type, operator]
    return store(frame, tmp_path_factory.mktemp("irregular"))


def store(frame: pd.DataFrame, directory: Path) -> Path:
    assert snapshot_files.store_frame(frame, str(directory))
    frame.to_pickle(directory / "frame.pickle")
    return directory


@pytest.fixture(scope="module")
def linked(narrow: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory as a warm Pod has it: its file is one that another process has open."""
    directory = tmp_path_factory.mktemp("linked")
    descriptor = os.open(narrow / snapshot_files.FRAME, os.O_RDONLY)
    holder = hold([descriptor], network=True)
    (directory / snapshot_files.FRAME).symlink_to(f"/proc/{holder}/fd/{descriptor}")
    os.close(descriptor)
    yield directory
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)


@pytest.fixture(scope="module", params=["mapped", "linked", "copied", "copied in part"])
def stored(
    request: pytest.FixtureRequest, narrow: Path, small: Path, irregular: Path, linked: Path
) -> Stored:
    ways = {
        "mapped": Stored(narrow, narrow),
        "linked": Stored(narrow, linked),
        "copied": Stored(small, small),
        "copied in part": Stored(irregular, irregular),
    }
    return ways[request.param]


@pytest.mark.parametrize("mapped", ["narrow", "linked"])
def test_numbers_and_times_are_in_the_file_until_they_are_changed(
    mapped: str, request: pytest.FixtureRequest
) -> None:
    directory = str(request.getfixturevalue(mapped))
    frame = snapshot_files.load_frame(directory)
    for name in ("i", "j", "f", "g", "h", "t", "d"):
        assert is_in_a_file(frame[name].array._ndarray), name
    frame.loc[0, "i"] = 1_000_000
    assert snapshot_files.load_frame(directory).loc[0, "i"] == 0


def test_numbers_of_a_small_frame_are_in_memory(small: Path) -> None:
    frame = snapshot_files.load_frame(str(small))
    for name in ("i", "f", "t"):
        assert not is_in_a_file(frame[name].array._ndarray), name


@pytest.mark.parametrize("types", ["qqd", "qd", "dddd", "qddqqqd", "qdfMm"])
def test_columns_of_a_type_are_one_block_in_the_file(types: str, tmp_path: Path) -> None:
    """Also where other types come between them, as in each frame with more than one type."""
    rows = 15_000
    names = [f"c{number}" for number in range(len(types) * 10)]
    kinds = {"M": "M8[ns]", "m": "m8[ns]"}
    columns = {
        name: (np.arange(rows) + number).astype(kinds.get(kind, kind))
        for number, (name, kind) in enumerate(zip(names, types * 10, strict=True))
    }
    stored = store(pd.DataFrame(columns), tmp_path)
    frame: Any = snapshot_files.load_frame(str(stored))
    # Of a period with two columns of a type, each is at the same distance as its like.
    assert len(frame._mgr.blocks) <= len(types)
    for name in names:
        assert is_in_a_file(frame[name].array._ndarray), name
    for position in range(len(names)):
        frame.iloc[0, position] = frame.iloc[1, position]
    pd.testing.assert_series_equal(frame.iloc[0], frame.iloc[1], check_names=False)
    assert snapshot_files.same(snapshot_files.load_frame(str(stored)), pd.DataFrame(columns))


def test_numbers_at_many_distances_are_copied_but_for_some(irregular: Path) -> None:
    frame = snapshot_files.load_frame(str(irregular))
    in_file = [is_in_a_file(frame[f"n{number}"].array._ndarray) for number in range(_MANY_COLUMNS)]
    assert any(in_file)
    assert not all(in_file)
    arrays = [block for block in frame._mgr.blocks if isinstance(block.values, np.ndarray)]
    assert len(arrays) < 30


@pytest.mark.parametrize("code", CHANGES + READS)
def test_code_does_with_it_what_it_does_with_the_frame_that_was_stored(
    code: str, stored: Stored
) -> None:
    before = (stored.original / snapshot_files.FRAME).read_bytes()
    expected = outcome(code, pd.read_pickle(stored.original / "frame.pickle"))
    assert outcome(code, stored.load()) == expected
    assert (stored.original / snapshot_files.FRAME).read_bytes() == before
