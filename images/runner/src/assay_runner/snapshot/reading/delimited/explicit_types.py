"""Columns whose types the options of a source give."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from assay_runner.options import Options
from assay_runner.snapshot.reading.columns import ReadColumn
from assay_runner.snapshot.reading.date_texts import may_be_of_either_order, without_day
from assay_runner.snapshot.reading.notes import Code, Note
from assay_runner.snapshot.reading.typed.dtypes import TEXTS, first_misfit
from assay_runner.snapshot.source import SourceRefusedError

# By the types without missing values, those with them.
_NULLABLE = {
    "bool": "boolean",
    **{
        f"{sign}int{bits}": f"{sign.upper()}Int{bits}"
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
}


class DtypeError(SourceRefusedError):
    """A column is not of the type that an option gives it; the message names the row."""


def as_dtype(name: Any, texts: Any, understood: Any, dtype: str) -> ReadColumn:  # noqa: ANN401 - pyarrow has no types
    """Return a column of a type that pandas knows.

    Args:
        name: of the column.
        texts: its texts, null where a value is missing.
        understood: the same, with numbers and booleans in the notation of Python.
        dtype: one of `options.DTYPES`, but `category`.

    Raises:
        DtypeError: if a text is not of the type.
    """
    if dtype in TEXTS:
        return ReadColumn(name, texts, dtype=dtype)
    nullable = _NULLABLE.get(dtype)
    if nullable is not None and texts.null_count:
        row = pc.index(pc.is_null(texts), True).as_py() + 1
        raise DtypeError(
            f"The column {str(name)!r} is not {dtype}: row {row} of the data has no value, which"
            f" {nullable} allows."
        )
    convert = _booleans if "bool" in dtype else _floats if "loat" in dtype else _integers
    values = convert(understood, dtype)
    if values is None:
        row = first_misfit(understood, lambda some: convert(some, dtype) is not None)
        raise DtypeError(f"The column {str(name)!r} is not {dtype}: see row {row} of the data.")
    return ReadColumn(name, values, dtype=dtype)


def as_dates(name: Any, texts: Any, options: Options) -> ReadColumn:  # noqa: ANN401
    """Return a column of dates as pandas parses them, or its texts with a note why it cannot."""
    given: str | None = options.get("date_format")
    day_first: bool = options.get("dayfirst", False)
    series: pd.Series[Any] = texts.to_pandas()
    dayless = pc.fill_null(without_day(texts), False)
    if given is None and pc.any(dayless).as_py():
        # Those without a day are no dates.
        series = series.mask(dayless.to_numpy(), "")
        return ReadColumn(name, texts, notes=(_not_parsed(series, given, day_first),))
    try:
        with warnings.catch_warnings():
            # What it warns of is said in notes.
            warnings.simplefilter("ignore")
            dates = pd.to_datetime(series, format=given, dayfirst=day_first)
        values = pa.chunked_array([pa.Array.from_pandas(dates)])
    except (ValueError, TypeError, OverflowError):
        return ReadColumn(name, texts, notes=(_not_parsed(series, given, day_first),))
    notes = () if given else _ambiguous(texts, day_first)
    return ReadColumn(name, values, notes=notes, dtype=str(dates.dtype))


def _integers(values: Any, dtype: str) -> Any:  # noqa: ANN401
    wanted = pa.type_for_alias(dtype.lower())
    plain = pc.replace_substring_regex(values, r"^(-?)\+?0*([0-9])", r"\1\2")
    if dtype[0] in "IU":
        plain = pc.replace_substring_regex(plain, r"\.0*$", "")
    if not _all(pc.match_substring_regex(plain, r"^-?[0-9]+$")):
        return None
    return _cast(plain, wanted)


def _floats(values: Any, dtype: str) -> Any:  # noqa: ANN401
    numbers = _cast(pc.replace_substring_regex(values, r"^\+", ""), pa.float64())
    return (
        None if numbers is None else pc.cast(numbers, pa.type_for_alias(dtype.lower()), safe=False)
    )


def _booleans(values: Any, _: str) -> Any:  # noqa: ANN401
    lower = pc.utf8_lower(values)
    if not _all(pc.is_in(pc.drop_null(lower), pa.array(["true", "false"], lower.type))):
        return None
    return pc.equal(lower, "true")


def _cast(values: Any, wanted: Any) -> Any:  # noqa: ANN401
    try:
        return pc.cast(values, wanted)
    except pa.ArrowInvalid:
        return None


def _all(found: Any) -> bool:  # noqa: ANN401
    return pc.all(found).as_py() in (True, None)


def _not_parsed(series: pd.Series[Any], given: str | None, day_first: bool) -> Note:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = pd.to_datetime(series, format=given, dayfirst=day_first, errors="coerce")
        bad = (parsed.isna() & series.notna()).to_numpy().nonzero()[0]
    except ValueError:
        # Their time zones differ.
        bad = series.iloc[:0].to_numpy()
    first = int(bad[0]) + 1 if len(bad) else None
    where = "" if first is None else f": see row {first}"
    option = None
    if given is None and not day_first and _is_day_first(series):
        option = json.dumps({"dayfirst": True})
    message = f"is text: parse_dates could not be done for all of its values{where}"
    return Note(Code.DATES_NOT_PARSED, message, len(bad), first, option)


def _is_day_first(series: pd.Series[Any]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(pd.to_datetime(series, dayfirst=True).notna().any())
    except (ValueError, TypeError, OverflowError):
        return False


def _ambiguous(texts: Any, day_first: bool) -> tuple[Note, ...]:  # noqa: ANN401
    """Return a note if each date could as well be of the other order."""
    if not may_be_of_either_order(texts):
        return ()
    order = "day/month" if day_first else "month/day"
    other = "month/day" if day_first else "day/month"
    message = f"was read as {order}, and all of its dates are valid as {other}, too"
    option = json.dumps({"dayfirst": not day_first})
    count = len(texts) - texts.null_count
    return (Note(Code.AMBIGUOUS_DATES, message, count, 1, option),)
