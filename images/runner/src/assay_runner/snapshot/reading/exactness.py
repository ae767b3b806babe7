"""Which numbers a double holds."""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_DIGITS = 17
"""Significant digits that a double tells apart."""


def exact_in_double(numbers: Any) -> np.ndarray:  # noqa: ANN401 - pyarrow has no types
    """Return which whole numbers a double holds."""
    array = numbers.to_numpy(zero_copy_only=False)
    if array.dtype == np.object_:
        return np.array([int(float(number)) == number for number in array], bool)
    with np.errstate(invalid="ignore"):
        # What rounds to more than the type holds is cast to another number.
        exact: np.ndarray = array.astype(np.float64).astype(array.dtype) == array
    return exact
