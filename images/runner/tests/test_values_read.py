"""A column of Python values keeps them, or is text, or has a note."""

from __future__ import annotations

import random
from datetime import datetime, time, timedelta
from typing import Any

import pytest

from assay_runner.snapshot.reading.typed.evidence import Evidence
from assay_runner.snapshot.reading.typed.gathering import gather
from assay_runner.snapshot.reading.typed.plans import decide
from assay_runner.snapshot.reading.typed.values import read_values

CASES: list[tuple[list[Any], str, list[Any]]] = [
    ([None, None], "double", [None, None]),
    ([], "double", []),
    ([True, None], "bool", [True, None]),
    ([1, None], "int64", [1, None]),
    ([2**64 - 1, 0], "uint64", [2**64 - 1, 0]),
    ([2**64, 0], "large_string", ["18446744073709551616", "0"]),
    ([-1, 2**63], "large_string", ["-1", "9223372036854775808"]),
    ([1, 2.5, None], "double", [1.0, 2.5, None]),
    ([2**53 + 1, 0.5], "large_string", ["9007199254740993", "0.5"]),
    ([2**60, 0.5], "double", [2.0**60, 0.5]),
    ([True, 1], "large_string", ["true", "1"]),
    (["a", None], "large_string", ["a", None]),
    (["a", 1, [1, "b"]], "large_string", ["a", "1", '[1, "b"]']),
    ([[1], [2.5]], "list<item: double>", [[1.0], [2.5]]),
    ([[1], ["x"]], "large_string", ["[1]", '["x"]']),
    ([[2**53 + 1, 0.5]], "large_string", ["[9007199254740993, 0.5]"]),
    ([[2**64]], "large_string", ["[18446744073709551616]"]),
    ([{"a": 1}, {"b": "x"}], "struct<a: int64, b: string>", None),  # type: ignore[list-item]
    ([{"a": 1, "A": 2}], "large_string", ['{"a": 1, "A": 2}']),
    ([{}], "large_string", ["{}"]),
    ([[], None], "list<item: string>", [[], None]),
    ([datetime(2024, 1, 2), None], "timestamp[us]", [datetime(2024, 1, 2), None]),
    ([time(10, 5)], "time64[us]", [time(10, 5)]),
    ([timedelta(hours=30)], "duration[us]", [timedelta(hours=30)]),
    ([datetime(2024, 1, 2), "x"], "large_string", ["2024-01-02 00:00:00", "x"]),
]


@pytest.mark.parametrize(("values", "data_type", "expected"), CASES)
def test_each_kind_of_values_has_its_type(
    values: list[Any], data_type: str, expected: list[Any] | None
) -> None:
    column = read_values("x", values)
    assert str(column.values.type) == data_type
    if expected is not None:
        assert column.values.to_pylist() == expected


def test_an_object_with_very_many_members_is_text() -> None:
    wide = {f"m{n}": n for n in range(1001)}
    column = read_values("x", [wide, {"m0": 1}])
    assert column.as_text
    deep: list[Any] = []
    for _ in range(50):
        deep = [deep]
    assert read_values("x", [deep]).values.to_pylist() == ["[" * 51 + "]" * 51]


def test_members_keep_the_order_in_which_they_appear() -> None:
    values = [{"b": 1}, {"a": 2}, {"c": 3, "a": 4}]
    assert [field.name for field in read_values("x", values).values.type] == ["b", "a", "c"]


@pytest.mark.parametrize("seed", range(100))
def test_evidence_of_batches_adds_up_to_that_of_all(seed: int) -> None:
    chance = random.Random(seed)
    pool: list[Any] = [
        *(None, 1, -5, 2**53 + 1, 2**63, 2**64, 2.5, 1e300, "x", "", True, [1], [2.5, None]),
        *({"a": 1}, {"b": [1.5]}, {"a": "x"}, [], {}),
    ]
    chosen = chance.sample(pool, chance.randrange(1, 6))
    values = [chance.choice(chosen) for _ in range(chance.randrange(1, 60))]
    total, start = Evidence(), 0
    while start < len(values):
        size = chance.randrange(1, 20)
        total += gather(values[start : start + size], start + 1)
        start += size
    assert total == gather(values, 1)
    assert decide(total) == decide(gather(values, 1))


def test_rows_of_notes_are_those_of_the_source() -> None:
    (note,) = read_values("x", [None, 1, "a", 2, None, "b", 3]).notes
    assert note.message == "is text: it has texts among whole numbers, in rows 3, 6"
    assert (note.rows, note.first_row) == (2, 3)
