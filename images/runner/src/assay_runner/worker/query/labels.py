"""Which indexes of pandas say something of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def has_labels(index: pd.Index[Any], row_numbers: int) -> bool:
    """Return whether an index has labels rather than numbers of rows.

    Labels are kept where the two cannot be told apart: years that count up from 2020 look like
    the last rows of a long frame.

    Args:
        index: the index.
        row_numbers: below which numbers may be those of rows of another frame, as filtering and
            sorting leave them; 0 if there is none.
    """
    if index.nlevels > 1 or index.name is not None:
        return True
    if not len(index):
        return False
    if not pd.api.types.is_integer_dtype(index.dtype) or index.hasnans:
        return True
    numbers = index.to_numpy()
    counts_up = bool((np.diff(numbers) == 1).all())
    if counts_up and numbers[0] == 0:
        return False
    if counts_up and len(index) > 1:
        # Unless they are the last rows.
        return bool(numbers[-1] != row_numbers - 1)
    return not 0 <= numbers.min() <= numbers.max() < row_numbers
