"""How often something was seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MAX_ROWS = 3
"""Rows that are told of each kind of values."""


@dataclass(frozen=True, slots=True)
class Seen:
    """How many values were seen, and the first three rows of them, from 1."""

    count: int = 0
    rows: tuple[int, ...] = ()

    @staticmethod
    def of(rows: np.ndarray) -> Seen:
        """Return the values in these rows."""
        return Seen(len(rows), tuple(int(row) for row in np.sort(rows)[:MAX_ROWS]))

    @property
    def first(self) -> int | None:
        """The first row."""
        return self.rows[0] if self.rows else None

    def __add__(self, other: Seen) -> Seen:
        """Return both; the order does not matter."""
        if not other.count:
            return self
        rows = tuple(sorted(self.rows + other.rows)[:MAX_ROWS])
        return Seen(self.count + other.count, rows)

    def __bool__(self) -> bool:
        return self.count > 0


NONE = Seen()
"""Nothing was seen."""
