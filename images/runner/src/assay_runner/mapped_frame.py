"""Gives a frame that Arrow has read from a mapped file blocks as those that pandas makes.

Arrow returns columns without a copy only as one block for each, which is read-only. A frame that
pandas has read has one block for all columns of a type, to which it writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.internals import (  # type: ignore[import-not-found] # not in pandas-stubs
    create_dataframe_from_blocks,
)

# pandas warns of a fragmented frame when a column is added to one of over 100 blocks.
_MAX_BLOCKS = 24
# Of columns whose types repeat, such as two decimals after each whole number.
_MAX_PERIOD = 4


@dataclass(frozen=True)
class _Block:
    """Columns of one type, whose values are an array of numpy.

    Attributes:
        values: what pandas has as the values, a wrapper of the array if they are times.
        array: a row for each column.
        places: the positions of the columns.
        type: the name of their type.
        address: that of the first column.
        is_mapped: whether the array is a view of the file.
    """

    values: Any
    array: np.ndarray
    places: np.ndarray
    type: str
    address: int
    is_mapped: bool

    @property
    def has_zone(self) -> bool:
        """Whether they are times with a zone, each column of which pandas has as a block."""
        return isinstance(self.values.dtype, pd.DatetimeTZDtype)

    def holding(self, array: np.ndarray, places: np.ndarray, *, is_mapped: bool) -> _Block:
        """Other columns of the same type."""
        values: Any = self.values
        is_array = isinstance(values, np.ndarray)
        values = array if is_array else values._from_backing_data(array)
        return _Block(values, array, places, self.type, self.address, is_mapped)


def in_blocks(frame: pd.DataFrame, mapped: np.ndarray) -> pd.DataFrame:
    """Return a frame of the same columns in few blocks of numpy, which can be written to.

    Columns of a type that are at equal distances in the file become one block, a view of the file.
    If there are too many such blocks, those with the fewest columns are copied: all of a type into
    one. Values that are no arrays of numpy, such as text, stay as they are.

    Args:
        frame: has one block for each column, a view of the file where Arrow need not copy.
        mapped: the writable bytes of the file.
    """
    begin = _address(mapped)
    blocks: list[tuple[Any, np.ndarray]] = []
    views: list[_Block] = []
    copies: list[_Block] = []
    for block in frame._mgr.blocks:
        values, places = block.values, block.mgr_locs.as_array
        array = _array(values)
        if array is None:
            blocks.append((values, places))
            continue
        address = _address(array)
        is_mapped = array.flags.c_contiguous and (
            begin <= address <= begin + mapped.nbytes - array.nbytes
        )
        found = _Block(values, array, places, str(values.dtype), address, is_mapped)
        (views if is_mapped else copies).append(found)
    together = [_view(chain, mapped, begin) for chain in _chains(views)]
    blocks += [(block.values, block.places) for block in _few(together + copies)]
    result: pd.DataFrame = create_dataframe_from_blocks(
        blocks, index=frame.index, columns=frame.columns
    )
    result.attrs = frame.attrs
    return result


def _address(array: np.ndarray) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _array(values: Any) -> np.ndarray | None:  # noqa: ANN401 - values of any block
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray)):
        backed: Any = values
        array: np.ndarray = backed._ndarray
        return array
    return None


def _chains(blocks: Sequence[_Block]) -> Iterator[list[_Block]]:
    """Columns of a type at equal distances; as few as several distances of each type allow."""
    ordered = sorted(blocks, key=lambda block: (block.type, block.address))
    for _, of_type in groupby(ordered, key=lambda block: block.type):
        columns = list(of_type)
        if columns[0].has_zone:
            yield from ([column] for column in columns)
        else:
            distances = _distances([column.address for column in columns])
            yield from min((_at(distance, columns) for distance in distances), key=len)


def _distances(addresses: Sequence[int]) -> list[int]:
    """The most frequent one between columns, and between each and the second, third or fourth."""
    found = []
    for period in range(1, _MAX_PERIOD + 1):
        ahead = Counter(
            after - before for before, after in zip(addresses, addresses[period:], strict=False)
        )
        found += [distance for distance, _ in ahead.most_common(1)]
    # A column alone is at any distance.
    return found or [1]


def _at(distance: int, columns: Sequence[_Block]) -> list[list[_Block]]:
    """The columns, given by address, each with those that follow it at this distance."""
    chains: list[list[_Block]] = []
    by_next: dict[int, list[_Block]] = {}
    for column in columns:
        chain = by_next.pop(column.address, None)
        if chain is None:
            chain = []
            chains.append(chain)
        chain.append(column)
        by_next[column.address + distance] = chain
    return chains


def _view(chain: Sequence[_Block], mapped: np.ndarray, begin: int) -> _Block:
    """One writable block for columns at equal distances."""
    first = chain[0]
    rows = first.array.shape[-1]
    size = first.array.itemsize
    distance = chain[1].address - first.address if len(chain) > 1 else rows * size
    array: np.ndarray = np.ndarray(
        (len(chain), rows),
        first.array.dtype,
        buffer=mapped,
        offset=first.address - begin,
        strides=(distance, size),
    )
    return first.holding(array, _places(chain), is_mapped=True)


def _few(blocks: Sequence[_Block]) -> Iterator[_Block]:
    """Those that are worth a block, and the others in one block for each type."""
    rest = []
    for block in blocks:
        if block.has_zone:
            yield block
        else:
            rest.append(block)
    rest.sort(key=lambda block: (block.is_mapped, len(block.places)), reverse=True)
    yield from rest[:_MAX_BLOCKS]
    small = sorted(rest[_MAX_BLOCKS:], key=lambda block: block.type)
    for _, of_type in groupby(small, key=lambda block: block.type):
        together = list(of_type)
        array = np.concatenate([block.array for block in together])
        yield together[0].holding(array, _places(together), is_mapped=False)


def _places(blocks: Sequence[_Block]) -> np.ndarray:
    return np.concatenate([block.places for block in blocks])
