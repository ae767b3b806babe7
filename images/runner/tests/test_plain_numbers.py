"""Numbers that are read without a pattern for each text are those that the patterns find."""

from __future__ import annotations

import random

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from assay_runner.snapshot.reading.delimited.evidence import Evidence
from assay_runner.snapshot.reading.delimited.kinds import Kind, bytes_in, groups, plain_numbers
from assay_runner.snapshot.reading.delimited.values import Meaning, Texts

_INTEGERS = ("0", "-0", "7", "-12", "100", "20", "9223372036854775807")
_DECIMALS = ("0.5", "-0.5", "5.", ".5", "-.5", "1.50", "1.5e3", "1.5E+20", "1.e5", "10.0", "0.0")
_OTHERS = (
    *("007", "00", "-01", "01.5", "-00.5", "+5", "+5.1", "-", ".", "1.2.3", "1-2", "2024-01-01"),
    *("1E5", "5e-05", "1.5e", "e", "9223372036854775808", "10.0.0.1", "1.5-", "--5", "e.5"),
)


def _found(texts: list[str | None]) -> object:
    values = pa.array(texts, pa.string())
    return plain_numbers(values, bytes_in(values))


@pytest.mark.parametrize(
    ("texts", "type_"), [(_INTEGERS, pa.int64()), (_DECIMALS, pa.float64())], ids=str
)
def test_plain_numbers_are_known_whatever_is_missing(
    texts: tuple[str, ...], type_: pa.DataType
) -> None:
    with_gaps = [None, *texts, None, None, texts[0], None]

    assert _found(with_gaps) == pc.cast(pa.array(with_gaps, pa.string()), type_)


@pytest.mark.parametrize("other", _OTHERS)
@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("texts", [("10", "20"), ("1.0", "2.0")], ids=str)
def test_one_text_of_another_kind_leaves_all_to_the_patterns(
    texts: tuple[str, ...], position: int, other: str
) -> None:
    assert _found([*texts[:position], other, *texts[position:]]) is None


def test_texts_of_any_characters_of_numbers_are_what_the_patterns_say() -> None:
    choice = random.Random(45)
    found = {Kind.INTEGER: 0, Kind.DECIMAL: 0}
    for _ in range(20_000):
        likely = choice.choice((_INTEGERS, _DECIMALS))
        texts = [
            choice.choice(likely)
            if choice.random() < 0.9
            else "".join(choice.choices("-+.0159eE", k=choice.randint(1, 5)))
            for _ in range(choice.randint(1, 3))
        ]
        # The buffer of the slice also holds a text before it and one after it.
        values = pa.array(["0", *texts, choice.choice(("0", "0.5"))], pa.string())
        values = values.slice(1, len(texts))
        used = bytes_in(values)
        numbers = plain_numbers(values, used)
        kinds = [group.kind for group in groups(values)]
        if numbers is None:
            # A point in another text of the buffer has integers take the patterns.
            is_plain = kinds == [Kind.DECIMAL] and all("." in text for text in texts)
            is_plain |= kinds == [Kind.INTEGER] and not used[ord(".")]
            assert not is_plain, texts
            continue
        kind = Kind.INTEGER if pa.types.is_integer(numbers.type) else Kind.DECIMAL
        assert kinds == [kind], texts
        assert numbers == pc.cast(values, numbers.type), texts
        found[kind] += 1
    assert min(found.values()) > 1000


@pytest.mark.parametrize(
    ("meaning", "texts", "values"),
    [
        (Meaning(), [" 5", "7 "], None),
        (Meaning(decimal=","), ["1,5", "2"], None),
        (Meaning(decimal=",", thousands="."), ["1.500", "2.000"], None),
        (Meaning(thousands="'"), ["1'500", "2"], None),
        (Meaning(true=("1",), false=("0",)), ["1", "0"], None),
        (Meaning(missing=("-1",)), ["-1", "2"], [None, 2]),
    ],
)
def test_numbers_are_what_texts_mean_by_the_options(
    meaning: Meaning, texts: list[str], values: list[int | None] | None
) -> None:
    numbers = Texts.of(pa.array(texts), meaning).numbers

    assert (numbers if numbers is None else numbers.to_pylist()) == values


@pytest.mark.parametrize(
    ("text", "rounded"),
    [
        ("0.12345678901234567", 0),
        ("-0.12345678901234567", 0),
        ("12.345678901234567", 0),
        ("12.3456789012345678", 1),
        ("0.123456789012345678", 1),
        ("-0.123456789012345678", 1),
        ("123456789012345678.", 1),
        ("123456789012345680.", 0),
        ("0.00000000000000000012345", 0),
        ("1.2345678901234567e-300", 0),
        ("1.23456789012345678e-300", 1),
    ],
)
def test_only_decimals_of_more_digits_than_a_double_holds_are_rounded(
    text: str, rounded: int
) -> None:
    values = pa.array([text])
    seen = Evidence()
    seen.add(values, pa.array([False]), plain_numbers(values, bytes_in(values)))

    assert seen.rounded.count == rounded
