"""What is known of a column of texts: enough to decide its type, whatever the number of rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay_runner.snapshot.reading.delimited.kinds import (
    NO_NUMBER,
    Group,
    Kind,
    bytes_in,
    groups,
)
from assay_runner.snapshot.reading.exactness import MAX_DIGITS, exact_in_double
from assay_runner.snapshot.reading.seen import NONE, Seen

MAX_EXACT = 2**53
_MAX_CODE = 3
_MAX_NAMED = 3
_MAX_INT64, _MAX_UINT64 = str(2**63 - 1), str(2**64 - 1)
_COMMA_NUMBER = r"^[-+]?[0-9]{1,3}(?:\.[0-9]{3})*,[0-9]+$|^[-+]?[0-9]+,[0-9]+$"


@dataclass
class Evidence:
    """What is known of one column.

    Attributes:
        rows: how many rows were looked at.
        present: how many have a value.
        missing_texts: rows whose text, such as `NA`, means that the value is missing.
        missing_text: the first of these texts.
        short: how many texts have at most three bytes, as codes have.
        kinds: rows by the kind of their texts.
        forms: dates by the form of their texts.
        least: the least whole number within 64 bits.
        most: the greatest.
        beyond: whole numbers of more than 64 bits.
        inexact: whole numbers that a double does not hold.
        rounded: decimals of more than 17 significant digits, or too small for a double.
        overflowing: numbers that are too large for a double.
        with_comma: texts such as `1.234,50`.
        texts: some of the texts that can be nothing else.
    """

    rows: int = 0
    present: int = 0
    missing_texts: Seen = NONE
    missing_text: str | None = None
    short: int = 0
    kinds: dict[Kind, Seen] = field(default_factory=dict)
    forms: Counter[str] = field(default_factory=Counter)
    least: int = 0
    most: int = 0
    beyond: Seen = NONE
    inexact: Seen = NONE
    rounded: Seen = NONE
    overflowing: Seen = NONE
    with_comma: int = 0
    texts: list[str] = field(default_factory=list)

    def of(self, kind: Kind) -> Seen:
        """Return the rows of a kind."""
        return self.kinds.get(kind, NONE)

    def count(self, *kinds: Kind) -> int:
        """Return how many rows are of these kinds."""
        return sum(self.of(kind).count for kind in kinds)

    def add(
        self,
        values: pa.StringArray,
        missing: pa.BooleanArray,
        numbers: Any = None,  # noqa: ANN401 - pyarrow has no types
    ) -> None:
        """Add the texts of further rows.

        Args:
            values: the texts, as they are to be understood.
            missing: which of them mean that the value is missing.
            numbers: the result of `plain_numbers`, null where a value is missing.
        """
        gone = missing.to_numpy(zero_copy_only=False)
        rows = np.arange(self.rows + 1, self.rows + len(values) + 1)
        self.rows += len(values)
        if gone.any():
            self._add_missing(values.filter(missing), rows[gone])
            values, rows = values.filter(pc.invert(missing)), rows[~gone]
        if not len(values):
            return
        self.present += len(values)
        self.short += pc.sum(pc.less_equal(pc.binary_length(values), _MAX_CODE)).as_py()
        for group in groups(values, numbers):
            self.kinds[group.kind] = self.of(group.kind) + Seen.of(rows[group.positions])
            self._add_group(group, rows)

    def _add_missing(self, values: Any, rows: np.ndarray) -> None:  # noqa: ANN401 - pyarrow
        written = pc.greater(pc.binary_length(values), 0)
        if not pc.any(written).as_py():
            return
        self.missing_texts += Seen.of(rows[written.to_numpy(zero_copy_only=False)])
        if self.missing_text is None:
            self.missing_text = values.filter(written)[0].as_py()

    def _add_group(self, group: Group, rows: np.ndarray) -> None:
        values, places = group.values, rows[group.positions]
        if group.kind is Kind.INTEGER:
            self._add_integers(group, places)
        elif group.kind in (Kind.DECIMAL, Kind.EXPONENT):
            self._add_decimals(group, places)
        elif group.kind is Kind.DATE:
            self.forms[str(group.form)] += len(values)
        elif group.kind is Kind.TEXT:
            self._add_texts(values)

    def _add_integers(self, group: Group, rows: np.ndarray) -> None:
        numbers = group.numbers
        if numbers is None:
            within = ~_beyond(group.values)
            if not within.all():
                self.beyond += Seen.of(rows[~within])
                self.inexact += Seen.of(rows[~within])
            rows = rows[within]
            numbers = _whole(group.values.filter(pa.array(within)))
        if not len(numbers):
            return
        extremes = pc.min_max(numbers).as_py()
        self.least = min(self.least, int(extremes["min"]))
        self.most = max(self.most, int(extremes["max"]))
        if self.most > MAX_EXACT or self.least < -MAX_EXACT:
            self.inexact += Seen.of(rows[~exact_in_double(numbers)])

    def _add_decimals(self, group: Group, rows: np.ndarray) -> None:
        values = group.values
        numbers = group.numbers
        if numbers is None:
            numbers = pc.cast(values, pa.float64())
        numbers = numbers.to_numpy()
        self.overflowing += Seen.of(rows[np.isinf(numbers)])
        zeros = numbers == 0
        if zeros.any():
            # What is too small for a double has other digits.
            digits = pc.match_substring_regex(values.filter(pa.array(zeros)), "^[^eE]*[1-9]")
            self.rounded += Seen.of(rows[zeros][digits.to_numpy(zero_copy_only=False)])
        long = _may_have_more_digits(values)
        if long.any():
            mantissas = pc.replace_substring_regex(values.filter(pa.array(long)), "[eE].*$", "")
            digits = pc.replace_substring_regex(mantissas, r"^-?0*\.?0*|\.|^-", "")
            digits = pc.replace_substring_regex(digits, r"0+$", "")
            many = pc.greater(pc.binary_length(digits), MAX_DIGITS)
            self.rounded += Seen.of(rows[long][many.to_numpy(zero_copy_only=False)])

    def _add_texts(self, values: Any) -> None:  # noqa: ANN401
        if bytes_in(values)[ord(",")]:
            self.with_comma += pc.sum(pc.match_substring_regex(values, _COMMA_NUMBER)).as_py() or 0
        if len(self.texts) < _MAX_NAMED:
            found = (
                text.rstrip(NO_NUMBER) for text in values[:1000].unique()[:_MAX_NAMED].to_pylist()
            )
            known = dict.fromkeys([*self.texts, *found])
            self.texts = list(known)[:_MAX_NAMED]


def _may_have_more_digits(values: Any) -> np.ndarray:  # noqa: ANN401 - pyarrow has no types
    """Return which decimals may have more significant digits than a double holds."""
    length = pc.binary_length(values).to_numpy()
    if length.max(initial=0) <= MAX_DIGITS:
        return np.zeros(len(values), bool)
    # Each has a point or an exponent; a leading zero is not significant.
    digits = length - 1 - pc.starts_with(values, "-").to_numpy(zero_copy_only=False)
    digits -= pc.starts_with(values, "0.").to_numpy(zero_copy_only=False)
    found: np.ndarray = digits > MAX_DIGITS
    return found


def _beyond(values: Any) -> np.ndarray:  # noqa: ANN401 - pyarrow has no types
    """Return which whole numbers have no type of 64 bits."""
    if pc.max(pc.binary_length(values)).as_py() < len(_MAX_INT64):
        return np.zeros(len(values), bool)
    negative = pc.starts_with(values, "-")
    digits = pc.utf8_ltrim(values, "-")
    length = pc.binary_length(digits)
    largest = pc.if_else(negative, _MAX_INT64[:-1] + "8", _MAX_UINT64)
    width = pc.if_else(negative, 19, 20)
    too_long = pc.greater(length, width)
    too_large = pc.and_(pc.equal(length, width), pc.greater(digits, largest))
    found: np.ndarray = pc.or_(too_long, too_large).to_numpy(zero_copy_only=False)
    return found


def _whole(values: Any) -> Any:  # noqa: ANN401
    """Return whole numbers as such, as decimals where they have no common type of 64 bits."""
    try:
        return pc.cast(values, pa.int64())
    except pa.ArrowInvalid:
        pass
    try:
        return pc.cast(values, pa.uint64())
    except pa.ArrowInvalid:
        return pa.array([Decimal(text) for text in values.to_pylist()], pa.decimal128(20))
