"""What the values of a column are: summaries of batches that add up to that of the column."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from typing import Any

from assay_runner.snapshot.reading.numbers import Characters, Rounded

MAX_MEMBERS = 1000
"""Members of objects beyond this are not looked at: no table has so many."""

_MAX_LEVELS = 8
_MAX_ROWS = 3
_EXACT_BITS = 53
_LOWEST, _HIGHEST, _HIGHEST_UNSIGNED = -(2**63), 2**63 - 1, 2**64 - 1


class Kind(StrEnum):
    """What a value is, in words for notes."""

    TRUTH = "truth values"
    WHOLE = "whole numbers"
    NUMBER = "numbers"
    TEXT = "texts"
    LIST = "lists"
    OBJECT = "objects"
    TIMESTAMP = "dates"
    TIME = "times"
    DURATION = "durations"


_KINDS: Mapping[type, Kind] = {
    bool: Kind.TRUTH,
    int: Kind.WHOLE,
    float: Kind.NUMBER,
    Rounded: Kind.NUMBER,
    Characters: Kind.NUMBER,
    str: Kind.TEXT,
    list: Kind.LIST,
    dict: Kind.OBJECT,
    datetime.datetime: Kind.TIMESTAMP,
    datetime.time: Kind.TIME,
    datetime.timedelta: Kind.DURATION,
}


@dataclass(frozen=True, slots=True)
class Seen:
    """How many values were seen, and the first three rows of them, from 1."""

    count: int = 0
    rows: tuple[int, ...] = ()

    def __add__(self, other: Seen) -> Seen:
        """Return both; the order does not matter."""
        if not other.count:
            return self
        rows = tuple(sorted(self.rows + other.rows)[:_MAX_ROWS])
        return Seen(self.count + other.count, rows)

    def __bool__(self) -> bool:
        return self.count > 0


_NONE = Seen()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What some values are.

    Attributes:
        kinds: the kinds of values other than None.
        low: the least whole number; None if there is none.
        high: the greatest.
        inexact: whole numbers that a double does not hold.
        unsigned: whole numbers that need all 64 bits.
        beyond: whole numbers of more than 64 bits.
        rounded: numbers of more than 17 significant digits.
        overflowed: numbers beyond the greatest double.
        items: what the items of lists are; None without lists.
        members: what the members of objects are, by name, in the order of their first appearance;
            None without objects.
        keys: how many members the objects have, with those of objects within.
        unknown: whether there are values too deep, or too many members, to look at.
    """

    kinds: Mapping[Kind, Seen] = field(default_factory=dict)
    low: int | None = None
    high: int | None = None
    inexact: Seen = _NONE
    unsigned: Seen = _NONE
    beyond: Seen = _NONE
    rounded: Seen = _NONE
    overflowed: Seen = _NONE
    items: Evidence | None = None
    members: Mapping[str, Evidence] | None = None
    keys: int = 0
    unknown: bool = False

    def __add__(self, other: Evidence) -> Evidence:
        """Return the evidence of both; members keep the order of this one."""
        kinds = dict(self.kinds)
        for kind, seen in other.kinds.items():
            kinds[kind] = kinds.get(kind, _NONE) + seen
        members, unknown = self.members, self.unknown or other.unknown
        if other.members is not None:
            members = _added(members or {}, other.members)
            if len(members) > MAX_MEMBERS:
                members, unknown = {}, True
        return Evidence(
            kinds,
            _extreme(min, self.low, other.low),
            _extreme(max, self.high, other.high),
            self.inexact + other.inexact,
            self.unsigned + other.unsigned,
            self.beyond + other.beyond,
            self.rounded + other.rounded,
            self.overflowed + other.overflowed,
            other.items if self.items is None else self.items + (other.items or Evidence()),
            members,
            self.keys + other.keys,
            unknown,
        )

    def has_numbers(self) -> bool:
        """Return whether there may be numbers, also within lists and objects."""
        if self.unknown or Kind.WHOLE in self.kinds or Kind.NUMBER in self.kinds:
            return True
        return any(each.has_numbers() for each in self._inner())

    def all_rounded(self) -> Seen:
        """Return the numbers that were rounded, also within lists and objects, without rows."""
        return sum((each.all_rounded() for each in self._inner()), self.rounded)

    def _inner(self) -> list[Evidence]:
        return [*(self.members or {}).values(), *([self.items] if self.items else [])]


def gather(values: Sequence[Any], first_row: int | None = None, level: int = 0) -> Evidence:
    """Return what values are.

    Args:
        values: the values of a batch.
        first_row: the row of the first of them, from 1; None if they are within others.
        level: how many lists and objects they are within.
    """
    types = set(map(type, values))
    types.discard(type(None))
    found = Evidence()
    for each in types:
        if len(types) == 1:
            of_type, seen = _only(values, first_row)
        else:
            of_type = [value for value in values if type(value) is each]
            seen = _where(values, first_row, partial(_is_of, each))
        found += _of_type(each, of_type, seen, values, first_row, level)
    return found


def members_of(
    objects: Sequence[dict[str, Any]], shapes: Collection[Sequence[str]] | None = None
) -> dict[str, Sequence[Any]]:
    """Return the values of each member by name; those that an object does not have are None.

    Args:
        objects: the objects.
        shapes: the names of their members, in each order that there is, if that is known.
    """
    shapes = dict.fromkeys(map(tuple, objects)) if shapes is None else shapes
    if len(shapes) == 1:
        names = next(iter(shapes))
        return {name: list(map(itemgetter(name), objects)) for name in names}
    return {name: [each.get(name) for each in objects] for name in names_of(shapes)}


def names_of(objects: Iterable[Iterable[str]]) -> dict[str, None]:
    """Return the names of members in the order of their first appearance."""
    return dict.fromkeys(chain.from_iterable(objects))


def _is_of(each: type, value: object) -> bool:
    return type(value) is each


def _only(values: Sequence[Any], first_row: int | None) -> tuple[Sequence[Any], Seen]:
    """Return the values of a sequence with a single type and None."""
    gaps = values.count(None)
    if gaps:
        return [v for v in values if v is not None], _where(
            values, first_row, lambda value: value is not None, len(values) - gaps
        )
    if first_row is None:
        return values, Seen(len(values))
    rows = range(first_row, first_row + min(len(values), _MAX_ROWS))
    return values, Seen(len(values), tuple(rows))


def _where(
    values: Sequence[Any],
    first_row: int | None,
    accept: Callable[[Any], bool],
    count: int | None = None,
) -> Seen:
    """Return which values are accepted; `count` is how many, if that is known."""
    if count is None:
        count = sum(map(accept, values))
    if first_row is None:
        return Seen(count)
    places = (place for place, value in enumerate(values, first_row) if accept(value))
    return Seen(count, tuple(islice(places, _MAX_ROWS)))


def _of_type(
    each: type,
    values: Sequence[Any],
    seen: Seen,
    column: Sequence[Any],
    first_row: int | None,
    level: int,
) -> Evidence:
    kinds = {_KINDS[each]: seen}
    if each is int:
        return _whole(values, kinds, column, first_row)
    if each is float:
        overflowed = _NONE
        if not math.isfinite(sum(values)):
            overflowed = _where(column, first_row, lambda v: type(v) is float and math.isinf(v))
        return Evidence(kinds, overflowed=overflowed)
    if each is Rounded:
        infinite = _where(column, first_row, lambda v: type(v) is Rounded and math.isinf(v))
        return Evidence(kinds, rounded=seen, overflowed=infinite)
    if each is list:
        if level == _MAX_LEVELS:
            return Evidence(kinds, items=Evidence(), unknown=True)
        items = gather(list(chain.from_iterable(values)), None, level + 1)
        return Evidence(kinds, items=items, keys=items.keys)
    if each is dict:
        return _objects(values, kinds, level)
    return Evidence(kinds)


def _whole(
    values: Sequence[int], kinds: Mapping[Kind, Seen], column: Sequence[Any], first_row: int | None
) -> Evidence:
    low, high = min(values), max(values)
    inexact = unsigned = beyond = _NONE

    def where(accept: Callable[[int], bool]) -> Seen:
        return _where(column, first_row, lambda value: type(value) is int and accept(value))

    if low < -(2**_EXACT_BITS) or high > 2**_EXACT_BITS:
        inexact = where(lambda value: not _is_exact(value))
    if high > _HIGHEST:
        unsigned = where(lambda value: _HIGHEST < value <= _HIGHEST_UNSIGNED)
    if low < _LOWEST or high > _HIGHEST_UNSIGNED:
        beyond = where(lambda value: not _LOWEST <= value <= _HIGHEST_UNSIGNED)
    return Evidence(kinds, low, high, inexact, unsigned, beyond)


def _is_exact(value: int) -> bool:
    """Return whether a double holds a whole number."""
    bits = value.bit_length()
    return bits <= _EXACT_BITS or (
        bits <= 1024 and bits - (value & -value).bit_length() < _EXACT_BITS
    )


def _objects(values: Sequence[dict[str, Any]], kinds: Mapping[Kind, Seen], level: int) -> Evidence:
    keys = sum(map(len, values))
    shapes = dict.fromkeys(map(tuple, values))
    if level == _MAX_LEVELS or len(names_of(shapes)) > MAX_MEMBERS:
        return Evidence(kinds, members={}, keys=keys, unknown=True)
    members = {
        name: gather(inner, None, level + 1) for name, inner in members_of(values, shapes).items()
    }
    keys += sum(each.keys for each in members.values())
    return Evidence(kinds, members=members, keys=keys)


def _added(left: Mapping[str, Evidence], right: Mapping[str, Evidence]) -> dict[str, Evidence]:
    both = dict(left)
    for name, evidence in right.items():
        both[name] = both[name] + evidence if name in both else evidence
    return both


def _extreme(choose: Callable[[int, int], int], left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return left if right is None else right
    return choose(left, right)
