"""A stored frame whose columns are views of its file can do what the frame that was stored can.

That holds on each way to `df`: mapped from the directory of a snapshot, mapped by the link to it of
a warm Pod, and copied because it is small or would have too many blocks.
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

pytestmark = pytest.mark.slow

# Enough for frames that are mapped.
_ROWS = 15_000
_ROWS_OF_SMALL = 2_000
_ROWS_OF_WIDE = 3_000
_MANY_COLUMNS = 60


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
    return store(sample(_ROWS_OF_SMALL), tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Has whole numbers and decimals in turn, each of which would be a block."""
    frame = sample(_ROWS_OF_WIDE, _MANY_COLUMNS, "qd")
    return store(frame, tmp_path_factory.mktemp("mixed"))


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(sample(_ROWS_OF_WIDE, _MANY_COLUMNS), tmp_path_factory.mktemp("wide"))


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


@pytest.fixture(scope="module", params=["narrow", "linked", "wide", "small", "mixed"])
def stored(request: pytest.FixtureRequest, linked: Path) -> Stored:
    name = "narrow" if request.param == "linked" else request.param
    original = request.getfixturevalue(name)
    return Stored(original, linked if request.param == "linked" else original)


@pytest.mark.parametrize("mapped", ["narrow", "linked"])
def test_numbers_and_times_are_in_the_file_until_they_are_changed(
    mapped: str, request: pytest.FixtureRequest
) -> None:
    directory = str(request.getfixturevalue(mapped))
    frame = snapshot_files.load_frame(directory)
    for name in ("i", "j", "f", "g", "h", "t", "d"):
        assert is_in_a_file(frame[name].array._ndarray), name
    # What pandas allocates for a block is as large as one column.
    assert len(frame._mgr.blocks) == frame.shape[1]
    frame.loc[0, "i"] = 1_000_000
    assert snapshot_files.load_frame(directory).loc[0, "i"] == 0


@pytest.mark.parametrize("copied", ["small", "mixed"])
def test_numbers_of_a_frame_that_is_small_or_has_many_blocks_are_in_memory(
    copied: str, request: pytest.FixtureRequest
) -> None:
    frame = snapshot_files.load_frame(str(request.getfixturevalue(copied)))
    for name in ("i", "f", "t"):
        assert not is_in_a_file(frame[name].array._ndarray), name
    arrays = [block for block in frame._mgr.blocks if isinstance(block.values, np.ndarray)]
    assert len(arrays) < _MANY_COLUMNS


def test_neighboring_columns_of_a_dtype_are_one_block_in_the_file(wide: Path) -> None:
    frame = snapshot_files.load_frame(str(wide))
    numbers = frame.loc[:, "n0":]
    (block,) = numbers._mgr.blocks
    assert block.values.shape == (_MANY_COLUMNS, _ROWS_OF_WIDE)
    assert block.values.flags.c_contiguous
    assert block.values.flags.writeable
    assert is_in_a_file(block.values)


@pytest.mark.parametrize("dtype", ["int64", "float64", "float32", "int8", "M8[s]", "m8[ns]"])
@pytest.mark.parametrize("rows", [30_001, 40_000])
def test_rows_of_a_frame_of_one_dtype_are_those_of_its_columns(
    dtype: str, rows: int, tmp_path: Path
) -> None:
    """pandas takes rows from the values of a block alone, if the frame has no other."""
    values = np.arange(rows * 40).reshape(40, rows) % 127
    original = pd.DataFrame({f"c{n}": row.astype(dtype) for n, row in enumerate(values)})
    frame: Any = snapshot_files.load_frame(str(store(original, tmp_path)))
    pd.testing.assert_series_equal(frame.iloc[7], original.iloc[7])
    pd.testing.assert_frame_equal(frame.T.iloc[:, :3], original.T.iloc[:, :3])
    frame.iloc[0, 39] = frame.iloc[1, 0]
    assert frame["c39"].iloc[0] == original["c0"].iloc[1]
    assert frame["c38"].equals(original["c38"])


@pytest.mark.parametrize("code", CHANGES + READS)
def test_code_does_with_it_what_it_does_with_the_frame_that_was_stored(
    code: str, stored: Stored
) -> None:
    before = (stored.original / snapshot_files.FRAME).read_bytes()
    expected = outcome(code, pd.read_pickle(stored.original / "frame.pickle"))
    assert outcome(code, stored.load()) == expected
    assert (stored.original / snapshot_files.FRAME).read_bytes() == before
