"""Whether a reply has the answer of a task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Cell = str | int | float

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
# Between the cells of a row: more than names, quotes and indentation of a row of JSON take, and
# less than the table below them.
_GAP = 250
_RELATIVE_TOLERANCE = 0.0005
_ALTERNATIVES = "|"


@dataclass(frozen=True)
class Answer:
    """What a reply has to contain.

    Attributes:
        rows: each is found where its cells stand one after the other. A text may have
            alternatives, separated by `|`; case does not count.
        tolerance: absolute, of numbers with a fraction; None for a small part of the number.
            Integers are exact.
    """

    rows: Sequence[Sequence[Cell]]
    tolerance: float | None = None

    def missing(self, text: str) -> Sequence[Cell] | None:
        """The first row that a text does not have; None if it has all of them."""
        return next((row for row in self.rows if not self._has(text, row)), None)

    def _has(self, text: str, row: Sequence[Cell]) -> bool:
        ends: set[int] | None = None
        for cell in row:
            spans = self._spans(text, cell)
            ends = {
                end
                for begin, end in spans
                if ends is None or any(0 <= begin - before <= _GAP for before in ends)
            }
        return bool(ends)

    def _spans(self, text: str, cell: Cell) -> list[tuple[int, int]]:
        if isinstance(cell, str):
            words = "|".join(re.escape(word) for word in cell.split(_ALTERNATIVES))
            pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
            return [match.span() for match in pattern.finditer(text)]
        return [
            match.span()
            for match in _NUMBER.finditer(text)
            if abs(float(match.group()) - cell) <= self._allowed(cell)
        ]

    def _allowed(self, cell: int | float) -> float:
        if isinstance(cell, int):
            return 0
        return abs(cell) * _RELATIVE_TOLERANCE if self.tolerance is None else self.tolerance


def answer(rows: Any, tolerance: float | None) -> Answer:
    """Of the JSON of a file; ValueError if it is no list of rows."""
    if not isinstance(rows, list) or not rows or not all(map(_is_row, rows)):
        raise ValueError(f"expected rows of texts and numbers, not {rows!r:.200}")
    return Answer(tuple(tuple(row) for row in rows), tolerance)


def _is_row(row: object) -> bool:
    return (
        isinstance(row, list) and bool(row) and all(isinstance(c, str | int | float) for c in row)
    )
