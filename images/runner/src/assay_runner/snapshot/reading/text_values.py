"""The values of a column of texts: what they mean, and what they are by the type of the column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assay_runner.options import Options
from assay_runner.snapshot.reading.text_types import Decision

MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
"""What pandas reads as a missing value."""

# A text that is nothing but a text.
_NO_NUMBER = "-"


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
        return Meaning(
            tuple(dict.fromkeys(missing)),
            options.get("decimal", "."),
            options.get("thousands"),
            tuple(options.get("true_values", ())),
            tuple(options.get("false_values", ())),
        )

    def missing_in(self, values: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return which texts mean that a value is missing."""
        return pc.is_in(values, pa.array(self.missing, values.type))

    def understood(self, values: Any) -> Any:  # noqa: ANN401
        """Return texts in the notation in which `text_kinds` knows numbers and booleans."""
        if pc.any(pc.match_substring_regex(values, r"^\s+[-+.0-9]|[0-9.]\s+$")).as_py():
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
        rest = pc.if_else(other, pa.scalar(_NO_NUMBER, values.type), values)
        return pc.if_else(is_number, plain, rest)


def present(values: Any, missing: Any) -> Any:  # noqa: ANN401
    """Return texts with null in place of those that are missing."""
    return pc.if_else(missing, pa.scalar(None, values.type), values)


def typed(values: Any, meaning: Meaning, decision: Decision) -> Any:  # noqa: ANN401
    """Return texts as values of the type of their column, null where they are missing."""
    missing = meaning.missing_in(values)
    if decision.type == pa.large_string():
        return present(values, missing)
    understood = present(meaning.understood(values), missing)
    if decision.type == pa.bool_():
        return pc.equal(pc.utf8_lower(understood), "true")
    return pc.cast(understood, decision.type)


def _literal(text: str) -> str:
    return "".join(f"\\x{{{ord(character):x}}}" for character in text)
