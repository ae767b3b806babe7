"""Gathers the evidence of values, those within lists and objects included."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from typing import Any

from assay_runner.snapshot.reading.seen import MAX_ROWS, Seen
from assay_runner.snapshot.reading.typed.evidence import MAX_MEMBERS, Evidence, Kind
from assay_runner.snapshot.reading.typed.numbers import Characters, Rounded

_MAX_LEVELS = 8
_EXACT_BITS = 53
_LOWEST, _HIGHEST, _HIGHEST_UNSIGNED = -(2**63), 2**63 - 1, 2**64 - 1
_NONE = Seen()
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
    rows = range(first_row, first_row + min(len(values), MAX_ROWS))
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
    return Seen(count, tuple(islice(places, MAX_ROWS)))


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
