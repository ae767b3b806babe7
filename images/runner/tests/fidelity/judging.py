"""Says whether a value is the one that its source has."""

from __future__ import annotations

import datetime
import math
from collections.abc import Container, Sequence
from decimal import Decimal, InvalidOperation

import pandas as pd

from fidelity.making import Column

# What a reader takes for a missing value without being asked to.
MISSING = frozenset(
    {
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    }
)


def is_kept(text: str, value: object, missing: Container[str] = MISSING) -> bool:
    """Return whether a value is what a cell's text says, and no more than that.

    Args:
        text: the cell.
        value: what an engine has.
        missing: the texts that say that there is no value.
    """
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return text in missing
    if isinstance(value, bool):
        return text.strip().lower() == str(value).lower()
    if isinstance(value, str):
        return value == text
    if isinstance(value, (datetime.date, datetime.datetime)):
        return _is_time(text, value)
    if isinstance(value, (int, float)):
        return _is_number(text, value)
    raise AssertionError(f"a {type(value).__name__} is not expected")


def _is_number(text: str, value: float) -> bool:
    plain = text.strip()
    if isinstance(value, float) and math.isinf(value):
        return plain.lower() in ("inf", "+inf") if value > 0 else plain.lower() == "-inf"
    digits = plain.lstrip("-")
    if plain.startswith("+") or (digits[:1] == "0" and digits[1:2].isdigit()):
        return False
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return False
    if isinstance(value, int):
        return number == value
    # Digits beyond these are lost: 17 of them tell all doubles apart.
    return float(plain) == value and len(number.normalize().as_tuple().digits) <= 17


def _is_time(text: str, value: datetime.date) -> bool:
    if not isinstance(value, datetime.datetime):
        return text == value.isoformat()
    try:
        return datetime.datetime.fromisoformat(text) == value
    except (ValueError, TypeError):
        return False


def changed(column: Column, values: Sequence[object], missing: Container[str]) -> list[int]:
    """Return the rows whose values are not what the source has, from 1.

    Args:
        column: the column of the source.
        values: what an engine has.
        missing: the texts that say that there is no value.
    """
    if column.kind == "country" and "NA" in missing:
        # Namibia.
        missing = {""}
    return [
        row
        for row, (text, value) in enumerate(zip(column.cells, values, strict=True), start=1)
        if not is_kept(text, value, missing)
    ]
