"""The values of a column of texts: what they mean, and what they are by the type of the column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay_runner.options import OptionRefusedError, Options
from assay_runner.snapshot.reading.delimited.kinds import NO_NUMBER, bytes_in, plain_numbers
from assay_runner.snapshot.reading.delimited.types import Decision
from assay_runner.snapshot.reading.missing import MISSING

_SPACES = list(b" \t")
# One of them is in each text that means a missing value.
_OF_MISSING = list(b"#<Nn")
_AROUND = r"^[ \t]+[-+.0-9]|[0-9.][ \t]+$"


@dataclass(frozen=True)
class Meaning:
    """What texts mean by the options of the source.

    Attributes:
        missing: texts that mean that a value is missing.
        decimal: the decimal point.
        thousands: what groups digits.
        true: texts that mean true, beside `true`.
        false: texts that mean false, beside `false`.
    """

    missing: tuple[str, ...] = MISSING
    decimal: str = "."
    thousands: str | None = None
    true: tuple[str, ...] = ()
    false: tuple[str, ...] = ()

    @staticmethod
    def of(options: Options) -> Meaning:
        """Return what texts mean by the options of a source."""
        missing: Iterable[str] = options.get("na_values", ())
        if options.get("keep_default_na", True):
            missing = (*MISSING, *missing)
        if options.get("thousands") == options.get("decimal", "."):
            raise OptionRefusedError(
                "The options thousands and decimal are the same: give both, such as"
                ' {"decimal": ",", "thousands": "."}.'
            )
        return Meaning(
            tuple(dict.fromkeys(missing)),
            options.get("decimal", "."),
            options.get("thousands"),
            tuple(options.get("true_values", ())),
            tuple(options.get("false_values", ())),
        )

    def missing_in(self, values: Any, used: np.ndarray) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return which texts mean that a value is missing."""
        if self.missing == MISSING and not used[_OF_MISSING].any():
            return pc.equal(pc.binary_length(values), 0)
        return pc.is_in(values, pa.array(self.missing, values.type))

    def understood(self, values: Any, used: np.ndarray) -> Any:  # noqa: ANN401
        """Return texts in the notation in which `kinds` knows numbers and booleans."""
        has_spaces = used[_SPACES].any()
        if has_spaces and pc.any(pc.match_substring_regex(values, _AROUND)).as_py():
            trimmed = pc.utf8_trim_whitespace(values)
            numeric = pc.match_substring_regex(trimmed, r"^[-+.0-9][0-9.eE+-]*$")
            values = pc.if_else(numeric, trimmed, values)
        if self.decimal != "." or self.thousands is not None:
            values = self._numbers(values)
        for texts, meaning in ((self.true, "true"), (self.false, "false")):
            if texts:
                named = pc.is_in(values, pa.array(texts, values.type))
                values = pc.if_else(named, pa.scalar(meaning, values.type), values)
        return values

    def _numbers(self, values: Any) -> Any:  # noqa: ANN401
        point = _literal(self.decimal)
        whole = "[0-9]+"
        if self.thousands is not None:
            whole = f"[0-9]{{1,3}}(?:{_literal(self.thousands)}[0-9]{{3}})+|[0-9]*"
        number = f"^[-+]?(?:{whole})(?:{point}[0-9]*)?(?:[eE][-+]?[0-9]+)?$"
        is_number = pc.match_substring_regex(values, number)
        plain = values
        if self.thousands is not None:
            plain = pc.replace_substring(plain, self.thousands, "")
        plain = pc.replace_substring(plain, self.decimal, ".")
        # What is a number in another notation, such as 1.5 with a decimal comma, is none here.
        other = pc.match_substring_regex(values, r"^[-+.0-9][0-9.,]*$")
        marked = pc.binary_join_element_wise(values, "", NO_NUMBER)
        rest = pc.if_else(other, marked, values)
        return pc.if_else(is_number, plain, rest)


@dataclass(frozen=True)
class Texts:
    """Texts of some rows of a column.

    Attributes:
        values: the texts.
        missing: which of them mean that the value is missing.
        understood: the same in the notation of `kinds`.
        used: which bytes are in the texts.
    """

    values: Any
    missing: Any
    understood: Any
    used: np.ndarray

    @staticmethod
    def of(values: Any, meaning: Meaning) -> Texts:  # noqa: ANN401 - pyarrow has no types
        """Return what texts mean."""
        used = bytes_in(values)
        missing = meaning.missing_in(values, used)
        return Texts(values, missing, meaning.understood(values, used), used)

    @cached_property
    def numbers(self) -> Any | None:  # noqa: ANN401
        """The numbers that the texts are, null where missing; None unless `plain_numbers` has any.

        They decide the type of most columns, and are their values then.
        """
        return plain_numbers(self.present_as_understood(), self.used)

    def present(self) -> Any:  # noqa: ANN401
        """Return the texts, null where they mean that the value is missing."""
        return _present(self.values, self.missing)

    def present_as_understood(self) -> Any:  # noqa: ANN401
        """Return what `understood` has, null where the value is missing."""
        return _present(self.understood, self.missing)

    def typed(self, decision: Decision) -> Any:  # noqa: ANN401
        """Return the values as those of a type that all of their column have."""
        if self.numbers is not None and self.numbers.type == decision.type:
            return self.numbers
        if decision.type == pa.large_string():
            return pc.cast(self.present(), decision.type)
        if decision.type == pa.bool_():
            return pc.equal(pc.utf8_lower(self.present_as_understood()), "true")
        return pc.cast(self.present_as_understood(), decision.type)


def _present(values: Any, missing: Any) -> Any:  # noqa: ANN401
    if not pc.any(missing).as_py():
        return values
    return pc.if_else(missing, pa.scalar(None, values.type), values)


def _literal(text: str) -> str:
    return "".join(f"\\x{{{ord(character):x}}}" for character in text)
