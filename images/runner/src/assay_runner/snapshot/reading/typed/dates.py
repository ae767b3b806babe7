"""The option `convert_dates`: columns of JSON that are dates."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from assay_runner.options import Options
from assay_runner.snapshot.reading.columns import ReadColumn
from assay_runner.snapshot.reading.date_texts import may_be_of_either_order, without_day
from assay_runner.snapshot.reading.notes import Code, Note

# As pandas has it: smaller numbers are no seconds since 1970.
_MIN_STAMP = 31_536_000


def is_date(name: object, options: Options, further: Sequence[object] = ()) -> bool:
    """Return whether a column is to be dates.

    Args:
        name: its name.
        options: the options of the source.
        further: names of columns that are dates whatever the options.
    """
    wanted = options.get("convert_dates")
    if name in further:
        return wanted is not False
    if isinstance(wanted, list):
        return name in wanted
    if wanted is not True or not isinstance(name, str):
        return False
    # The names by which pandas chooses.
    lower = name.lower()
    return (
        lower.endswith(("_at", "_time"))
        or lower in {"modified", "date", "datetime"}
        or lower.startswith("timestamp")
    )


def with_dates(column: ReadColumn, is_named: bool) -> ReadColumn:
    """Return a column with its values as dates, as pandas converts them.

    Args:
        column: the column.
        is_named: whether the options name it: then a note says if it cannot be done.
    """
    values = column.values
    if len(values) == values.null_count or pa.types.is_timestamp(values.type):
        return column
    found = _dates(values)
    if found is not None:
        notes = tuple(note for note in column.notes if note.code == Code.ROUNDED)
        return replace(column, values=found, as_text=False, notes=notes + _ambiguity(values))
    if not is_named:
        return column
    row = _first_without(values)
    note = Note(
        Code.DATES_NOT_PARSED,
        f"was not read as dates: pandas cannot convert the value in row {row}",
        first_row=row,
    )
    return replace(column, notes=(*column.notes, note))


def _ambiguity(values: Any) -> tuple[Note, ...]:  # noqa: ANN401
    """Return a note on texts of which none tells day from month."""
    if not pa.types.is_large_string(values.type) or not may_be_of_either_order(values):
        return ()
    message = "was read as month before day; no value tells whether it is day before month"
    return (Note(Code.AMBIGUOUS_DATES, message),)


def _dates(values: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return values as timestamps; None if pandas cannot convert them."""
    numbers = _numbers(values)
    with warnings.catch_warnings():
        # That no format could be inferred is no concern of dates that were read.
        warnings.simplefilter("ignore", UserWarning)
        found = _of_texts(values) if numbers is None else _of_numbers(numbers)
    if found is None:
        return None
    array = pa.Array.from_pandas(found)
    chunks = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    if chunks.type.unit in ("s", "ms"):
        try:
            return chunks.cast(pa.timestamp("us", chunks.type.tz))
        except pa.ArrowInvalid:
            return None
    return chunks


def _numbers(values: Any) -> Any:  # noqa: ANN401
    """Return numbers, also those that are all written as text; None if they are not."""
    if pa.types.is_large_string(values.type):
        try:
            return values.cast(pa.int64())
        except pa.ArrowInvalid:
            return None
    is_number = pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
    return values if is_number else None


def _of_texts(values: Any) -> pd.Series[Any] | None:  # noqa: ANN401
    if not pa.types.is_large_string(values.type) or pc.any(without_day(values)).as_py():
        return None
    series = pd.Series(values.to_pandas(), dtype="str")
    for notation in (None, "iso8601", "mixed"):
        try:
            return _naive_or_zoned(pd.to_datetime(series, errors="raise", format=notation))
        except (ValueError, TypeError, OverflowError):
            continue
    return None


def _of_numbers(values: Any) -> pd.Series[Any] | None:  # noqa: ANN401
    if values.null_count and pa.types.is_integer(values.type):
        # As doubles, nanoseconds would be others.
        series = pd.Series(pd.array(values.to_pylist(), dtype="Int64"))
    else:
        series = values.to_pandas()
    if not (series.isna() | (series > _MIN_STAMP)).all():
        return None
    for unit in ("s", "ms", "us", "ns"):
        try:
            found = pd.to_datetime(series, errors="raise", unit=unit)
            # Raises for what is not within the range of nanoseconds.
            found.dt.as_unit("ns")
        except (ValueError, OverflowError, TypeError):
            continue
        return _naive_or_zoned(found)
    return None


def _naive_or_zoned(found: pd.Series[Any]) -> pd.Series[Any] | None:
    """Return dates; None for objects, which pandas makes of dates in several zones."""
    return found if hasattr(found, "dt") and found.dtype != object else None


def _first_without(values: Any) -> int:  # noqa: ANN401
    """Return the row of the first value that is no date by itself; 1 if all are."""
    for row, value in enumerate(values, 1):
        if value.is_valid and _dates(pa.chunked_array([[value.as_py()]], values.type)) is None:
            return row
    return 1
