"""The columns of a result, as numbers, times and labels."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

MAX_COLUMNS = 32
"""How many columns of a result are looked at."""

NULL_LABEL = "(null)"
# Beyond, the width of a range is no finite number.
_MAX_NUMBER = 1e300
# In seconds, the years 1000 to 8999: axes have margins, and calendars end at 1 and 9999.
_CALENDAR = (-30_610_224_000, 221_845_392_000)

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class ChartError(Exception):
    """There is nothing to draw; the message says why, and what would be drawn."""


class Kind(enum.Enum):
    """What a column can be in a chart."""

    NUMBER = "number"
    TIME = "time"
    TEXT = "text"


class Column(NamedTuple):
    """A column with at least one value.

    Attributes:
        name: its name.
        kind: what it can be in a chart.
        numbers: of a number or a time, in seconds since 1970; NaN where there is none.
        codes: of a text, the position of each row's label.
        labels: of a text, its distinct values in order of appearance.
        whole: whether all numbers are whole.
    """

    name: str
    kind: Kind
    numbers: Floats
    codes: Codes
    labels: tuple[str, ...] = ()
    whole: bool = False


def read(path: str, time_zone: str | None = None) -> list[Column]:
    """Return the columns of a Parquet file that can be drawn.

    Args:
        path: the file.
        time_zone: in which times in UTC are drawn; others are in their own zone.

    Raises:
        ChartError: if it has no rows.
        OSError, pa.ArrowException: if it cannot be read.
    """
    with pq.ParquetFile(path) as file:
        if not file.metadata.num_rows:
            raise ChartError("the result has no rows to draw")
        fields = [field for field in file.schema_arrow if _kind(field.type) is not None]
        table = file.read(columns=[field.name for field in fields[:MAX_COLUMNS]])
    found = []
    for field, values in zip(table.schema, table.columns, strict=True):
        kind = _kind(field.type)
        # A text that is only null has no label to show.
        if kind is not None and values.null_count < len(values):
            column = _column(field.name, kind, _local(values, time_zone))
            if kind is Kind.TEXT or not np.isnan(column.numbers).all():
                found.append(column)
    return found


def _local(values: Any, time_zone: str | None) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return times with a zone as the clocks there show them."""
    zone = getattr(values.type, "tz", None)
    if zone is None:
        return values
    if time_zone is not None and zone == "UTC":
        values = values.cast(pa.timestamp(values.type.unit, time_zone))
    return pc.local_timestamp(values)


def _kind(data_type: Any) -> Kind | None:  # noqa: ANN401 - pyarrow has no types
    types = pa.types
    if types.is_dictionary(data_type):
        return _kind(data_type.value_type)
    if types.is_integer(data_type) or types.is_floating(data_type) or types.is_decimal(data_type):
        return Kind.NUMBER
    if types.is_timestamp(data_type) or types.is_date(data_type):
        return Kind.TIME
    if types.is_nested(data_type) or types.is_null(data_type):
        return None
    if types.is_binary(data_type) or types.is_large_binary(data_type):
        return None
    return None if types.is_fixed_size_binary(data_type) else Kind.TEXT


def _column(name: str, kind: Kind, values: Any) -> Column:  # noqa: ANN401
    nothing = np.array([], dtype=np.int64)
    if kind is Kind.TEXT:
        codes, labels = _encoded(values)
        return Column(name, kind, nothing.astype(np.float64), codes, labels)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if kind is Kind.TIME:
        seconds = pc.cast(pc.cast(values, pa.timestamp("us"), safe=False), pa.int64())
        times = _numbers(seconds) / 1e6
        times[(times < _CALENDAR[0]) | (times > _CALENDAR[1])] = np.nan
        return Column(name, kind, times, nothing)
    numbers = _numbers(values)
    present = numbers[~np.isnan(numbers)]
    return Column(name, kind, numbers, nothing, whole=bool((present == np.floor(present)).all()))


def _numbers(values: Any) -> Floats:  # noqa: ANN401
    floats = pc.cast(values, pa.float64(), safe=False)
    found = np.array(floats.to_numpy(zero_copy_only=False), dtype=np.float64)
    found[~(np.abs(found) < _MAX_NUMBER)] = np.nan
    return found


def _encoded(values: Any) -> tuple[Codes, tuple[str, ...]]:  # noqa: ANN401
    encoded = values.combine_chunks()
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode()
    labels = [_label(label) for label in encoded.dictionary]
    codes = np.array(encoded.indices.fill_null(len(labels)), dtype=np.int64)
    return codes, (*labels, NULL_LABEL)


def _label(value: Any) -> str:  # noqa: ANN401
    try:
        found = value.as_py()
    except UnicodeDecodeError:
        return bytes(value.cast(pa.binary()).as_py()).decode("utf-8", "replace")
    except ValueError:
        # Nanoseconds, which Python does not have without pandas.
        return str(value.cast(pa.string()).as_py())
    return str(found).lower() if isinstance(found, bool) else str(found)
