"""Numbers of JSON that are more than a float or an int can tell."""

from __future__ import annotations

from assay_runner.snapshot.reading.exactness import MAX_DIGITS

# Python refuses to convert more digits, since that takes quadratic time.
_MAX_WHOLE_DIGITS = 4000


class Characters:
    """A number whose characters in the source are not those that Python would write."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


class Rounded(float):
    """A number that a double does not hold: of more than 17 significant digits, or too small."""

    __slots__ = ()


def number(text: str) -> float:
    """Return a number that is not whole."""
    value = float(text)
    if (len(text) > MAX_DIGITS or not value) and (
        significant(text) > MAX_DIGITS or (not value and significant(text))
    ):
        return Rounded(text)
    return value


def whole(text: str) -> int:
    """Return a whole number; of one with thousands of digits, one that is beyond 64 bits too."""
    if len(text) <= _MAX_WHOLE_DIGITS:
        return int(text)
    return -(10**100) if text.startswith("-") else 10**100


def exact_number(text: str) -> float | Characters:
    """Return a number that is not whole, which as text is as in its source."""
    value = float(text)
    return value if repr(value) == text else Characters(text)


def exact_whole(text: str) -> int | Characters:
    """Return a whole number, which as text is as in its source."""
    return Characters(text) if text == "-0" or len(text) > _MAX_WHOLE_DIGITS else int(text)


def plain(value: object) -> object:
    """Return a number for one that has its characters; any other value is itself."""
    return float(value.text) if isinstance(value, Characters) else value


def is_long(text: str) -> bool:
    """Return whether a number has more digits than `float` or `int` take as they are."""
    if text.isdecimal():
        return len(text) > _MAX_WHOLE_DIGITS
    return significant(text) > MAX_DIGITS


def significant(text: str) -> int:
    """Return how many significant digits a number has; zeros at its end do not count."""
    mantissa = text.lower().partition("e")[0]
    return len(mantissa.replace(".", "").lstrip("+-0").rstrip("0"))
