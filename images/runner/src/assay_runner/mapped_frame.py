"""Makes a frame whose columns are the bytes of a file that is mapped into memory.

Arrow returns columns without copying them only if each is a block of its own, which is read-only.
pandas writes to its blocks, and is slow with many: it has one for all columns of a dtype.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.internals import (  # type: ignore[import-not-found] # not in pandas-stubs
    create_dataframe_from_blocks,
)

# pandas warns of a fragmented frame when a column is added to one of over 100 blocks. This leaves
# room for the columns that code adds.
_MAX_BLOCKS = 24


@dataclass(frozen=True)
class _Column:
    """A column whose values are an array of numpy.

    Attributes:
        values: those of its block, which wraps the array if they are times.
        array: one row.
        position: of the column in the frame.
        is_mapped: whether the array is a view of the file.
    """

    values: Any
    array: np.ndarray
    position: int
    is_mapped: bool

    @property
    def begin(self) -> int:
        """The address of the first value."""
        return self.array.ctypes.data

    def is_followed_by(self, other: _Column) -> bool:
        """Whether both belong to one contiguous block."""
        return (
            self.is_mapped
            and other.is_mapped
            and other.position == self.position + 1
            and other.begin == self.begin + self.array.nbytes
            and other.values.dtype == self.values.dtype
            # pandas has each column of such times as a block.
            and not isinstance(self.values.dtype, pd.DatetimeTZDtype)
        )


def map_columns(table: pa.Table, mapped: np.ndarray) -> pd.DataFrame | None:
    """Return the table as a writable frame, copying only the columns that Arrow has to convert.

    Each column is a block, so that what pandas allocates for a block is small. In a frame of more
    than 24 columns, neighboring columns of a dtype are one, if they are beside each other in the
    file.

    Args:
        table: has been read from the file.
        mapped: the writable bytes of the file.

    Returns:
        None if the frame would have more than 24 blocks of arrays of numpy.
    """
    if sum(map(_is_converted, table.columns)) > _MAX_BLOCKS:
        return None
    frame = table.to_pandas(split_blocks=True)
    columns = []
    blocks = []
    for block in frame._mgr.blocks:
        array = _array(block.values)
        placement = block.mgr_locs.as_array
        if array is None:
            blocks.append((block.values, placement))
        else:
            is_mapped = array.flags.c_contiguous and _contains(mapped, array)
            columns.append(_Column(block.values, array, int(placement[0]), is_mapped))
    is_wide = len(columns) > _MAX_BLOCKS
    groups = list(_groups(columns)) if is_wide else [[column] for column in columns]
    if len(groups) > _MAX_BLOCKS:
        return None
    for group in groups:
        placement = np.arange(group[0].position, group[0].position + len(group))
        blocks.append((_values(group, mapped), placement))
    result: pd.DataFrame = create_dataframe_from_blocks(
        blocks, index=frame.index, columns=frame.columns
    )
    result.attrs = frame.attrs
    return result


def _is_converted(column: pa.ChunkedArray) -> bool:
    """Return whether Arrow has to make an array of numpy of it; it has other arrays for text."""
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind):
        return False
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    is_time = pa.types.is_timestamp(kind) or pa.types.is_duration(kind)
    return column.null_count > 0 or not (is_number or is_time)


def _array(values: Any) -> np.ndarray | None:  # noqa: ANN401 - values of any block
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray)):
        backed: Any = values
        array: np.ndarray = backed._ndarray
        return array
    return None


def _contains(mapped: np.ndarray, array: np.ndarray) -> bool:
    offset = array.ctypes.data - mapped.ctypes.data
    return 0 <= offset <= mapped.nbytes - array.nbytes


def _groups(columns: Sequence[_Column]) -> Iterator[list[_Column]]:
    """Yield the columns of each block."""
    group: list[_Column] = []
    for column in sorted(columns, key=lambda column: column.position):
        if group and not group[-1].is_followed_by(column):
            yield group
            group = []
        group.append(column)
    if group:
        yield group


def _values(group: Sequence[_Column], mapped: np.ndarray) -> Any:  # noqa: ANN401 - of any block
    """Return the values of one block, writable if they are mapped."""
    first = group[0]
    if not first.is_mapped:
        return first.values
    offset = first.begin - mapped.ctypes.data
    content = mapped[offset : offset + first.array.nbytes * len(group)]
    array = content.view(first.array.dtype).reshape(len(group), -1)
    return array if isinstance(first.values, np.ndarray) else first.values._from_backing_data(array)
