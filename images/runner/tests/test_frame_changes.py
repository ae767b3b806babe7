"""A stored frame whose columns are views of its file can do what the frame that was stored can.

That holds on each way to `df`: mapped from the directory of a snapshot, mapped by the link to it of
a warm Pod, and copied because it has too many columns.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from assay_runner import snapshot_files
from assay_runner.launcher.holder import hold
from frame_changes import CHANGES, READS, is_in_a_file, outcome, sample

# Enough for frames that are mapped.
_ROWS = 15_000
_ROWS_OF_COPIED = 2_000
_COLUMNS_OF_COPIED = 14


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
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(sample(_ROWS_OF_COPIED, _COLUMNS_OF_COPIED), tmp_path_factory.mktemp("wide"))


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


@pytest.fixture(scope="module", params=["mapped", "linked", "copied"])
def stored(request: pytest.FixtureRequest, narrow: Path, wide: Path, linked: Path) -> Stored:
    ways = {
        "mapped": Stored(narrow, narrow),
        "linked": Stored(narrow, linked),
        "copied": Stored(wide, wide),
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


def test_numbers_of_many_columns_are_in_memory(wide: Path) -> None:
    frame = snapshot_files.load_frame(str(wide))
    for name in ("i", "f", "t", "n0"):
        assert not is_in_a_file(frame[name].array._ndarray), name


@pytest.mark.parametrize("code", CHANGES + READS)
def test_code_does_with_it_what_it_does_with_the_frame_that_was_stored(
    code: str, stored: Stored
) -> None:
    before = (stored.original / snapshot_files.FRAME).read_bytes()
    expected = outcome(code, pd.read_pickle(stored.original / "frame.pickle"))
    assert outcome(code, stored.load()) == expected
    assert (stored.original / snapshot_files.FRAME).read_bytes() == before
