"""What texts of dates do not say: whether the day comes first, or of which day a time is."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_DAY_AND_MONTH = r"^\s*(?P<a>[0-9]{1,2})[./-](?P<b>[0-9]{1,2})[./-][0-9]{2,4}(?:[^0-9]|$)"
_MONTHS = 12
# pandas takes the present day, or even the present time, for what they leave out.
_TIME = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]*)?)?\s*(?:[ap]m)?"
_WITHOUT_DAY = rf"(?i)^\s*(?:now|today|{_TIME})\s*$"


def without_day(texts: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return which texts name no day, such as `10:30` and `today`; null where one is missing."""
    return pc.match_substring_regex(texts, _WITHOUT_DAY)


def may_be_of_either_order(texts: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    """Return whether all dates are valid with the day first and with the month first.

    Args:
        texts: the dates, null where a value is missing.
    """
    parts = pc.extract_regex(texts, _DAY_AND_MONTH)
    present = pc.drop_null(parts)
    if not len(present) or parts.null_count > texts.null_count:
        return False
    return all(
        pc.max(pc.cast(pc.struct_field(present, part), pa.int64())).as_py() <= _MONTHS
        for part in ("a", "b")
    )
