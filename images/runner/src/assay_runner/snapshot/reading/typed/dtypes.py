"""The option `dtype`: the type that a source says a column has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.columns import ReadColumn
from assay_runner.snapshot.reading.notes import Code

TEXTS = ("str", "string")
"""Types that keep the characters of the source."""

_TYPES: Mapping[str, Any] = {
    "bool": pa.bool_(),
    **{f"int{bits}": getattr(pa, f"int{bits}")() for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": getattr(pa, f"uint{bits}")() for bits in (8, 16, 32, 64)},
    "float32": pa.float32(),
    "float64": pa.float64(),
}


def dtypes_of(options: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the types by column that options ask for."""
    given = options.get("dtype")
    return given if isinstance(given, dict) else {}


def cast_column(column: ReadColumn, dtype: str) -> ReadColumn:
    """Return a column as one of the types of the option `dtype`.

    A category keeps the type of its values, and text must have been read as text.

    Raises:
        ReaderError: if a value does not fit; the message has the row of the first.
    """
    if dtype in TEXTS or dtype == "category":
        return column
    target = _TYPES["bool" if dtype == "boolean" else dtype.lower()]
    is_nullable = dtype == "boolean" or dtype[0].isupper() or pa.types.is_floating(target)
    misfits = []
    if column.values.null_count and not is_nullable:
        misfits.append(next(row for row, v in enumerate(column.values, 1) if not v.is_valid))
    values = _cast(column.values, target)
    if values is None:
        misfits.append(first_misfit(column.values, lambda some: _cast(some, target) is not None))
    if misfits:
        raise ReaderError(
            ValueError(),
            f"The column {column.name!r} is not {dtype}: see row {min(misfits)} of the data.",
        )
    notes = tuple(note for note in column.notes if note.code == Code.ROUNDED)
    return replace(column, values=values, as_text=False, notes=notes)


def _cast(values: Any, target: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return values of another type; None if one does not fit."""
    is_rounding = pa.types.is_floating(target) and not pa.types.is_large_string(values.type)
    try:
        return values.cast(target, safe=not is_rounding)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def first_misfit(values: Any, fit: Callable[[Any], bool]) -> int:  # noqa: ANN401
    """Return the row of the first value that does not fit, of which there is one, from 1."""
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        if fit(values.slice(low, middle - low)):
            low = middle
        else:
            high = middle
    return low + 1
