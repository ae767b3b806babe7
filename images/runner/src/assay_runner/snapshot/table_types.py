"""Types of a table: those that Parquet, DuckDB and Polars have in common."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

_MAX_DECIMAL_DIGITS = 38
# Beyond this, each row of a column of objects has fields for the keys of all others.
_MAX_FIELDS = 1000
# The time that DuckDB takes to open a file doubles with each list within a list.
MAX_LEVELS = 8

_WIDER = {pa.float16(): pa.float32(), pa.date64(): pa.date32(), pa.time32("s"): pa.time32("ms")}


def common_type(data_type: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the type that a table stores a type as, with the same values; None if there is none.

    Durations have no type in Parquet, and DuckDB reads decimals of more than 38 digits as doubles.
    """
    return _common(data_type, [_MAX_FIELDS], MAX_LEVELS)


def levels(data_type: Any) -> int:  # noqa: ANN401
    """Return how many lists and objects are within each other in a type."""
    deepest = 0
    pending = [(data_type, 0)]
    while pending:
        current, level = pending.pop()
        deepest = max(deepest, level)
        inner = [current.field(i).type for i in range(current.num_fields)]
        pending += [(other, level + 1) for other in inner]
    return deepest


def _common(data_type: Any, room: list[int], left: int) -> Any:  # noqa: ANN401
    room[0] -= 1
    types = pa.types
    if room[0] < 0 or left < 0 or types.is_duration(data_type) or types.is_interval(data_type):
        return None
    if types.is_null(data_type):
        return pa.string()
    if types.is_dictionary(data_type):
        return _common(data_type.value_type, room, left)
    if types.is_timestamp(data_type):
        return data_type if _has_name(data_type.tz) else pa.timestamp(data_type.unit, "UTC")
    if types.is_decimal(data_type):
        return data_type if data_type.precision <= _MAX_DECIMAL_DIGITS else None
    if types.is_struct(data_type) or types.is_map(data_type) or _is_list(data_type):
        return _nested(data_type, room, left - 1)
    if data_type.num_fields or isinstance(data_type, pa.BaseExtensionType):
        return None
    return _WIDER.get(data_type, data_type)


def _nested(data_type: Any, room: list[int], left: int) -> Any:  # noqa: ANN401
    fields = [data_type.field(i) for i in range(data_type.num_fields)]
    inner = [_common(field.type, room, left) for field in fields]
    if not inner or None in inner:
        return None
    if pa.types.is_map(data_type):
        return pa.map_(inner[0].field("key").type, inner[0].field("value").type)
    if pa.types.is_struct(data_type):
        names = [field.name for field in fields]
        if len({name.lower() for name in names}) != len(names) or not all(map(str.strip, names)):
            return None
        return pa.struct(
            [field.with_type(common) for field, common in zip(fields, inner, strict=True)]
        )
    return pa.list_(fields[0].with_type(inner[0]))


def _is_list(data_type: Any) -> bool:  # noqa: ANN401
    return bool(
        pa.types.is_list(data_type)
        or pa.types.is_large_list(data_type)
        or pa.types.is_fixed_size_list(data_type)
    )


def _has_name(zone: str | None) -> bool:
    """Return whether a time zone is one of the database, or none, and not an offset."""
    return zone is None or not zone.startswith(("+", "-"))
