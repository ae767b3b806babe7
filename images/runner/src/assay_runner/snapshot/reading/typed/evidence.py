"""What the values of a column are: summaries of batches that add up to that of the column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from assay_runner.snapshot.reading.seen import NONE, Seen

MAX_MEMBERS = 1000
"""Members of objects beyond this are not looked at: no table has so many."""


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
    inexact: Seen = NONE
    unsigned: Seen = NONE
    beyond: Seen = NONE
    rounded: Seen = NONE
    overflowed: Seen = NONE
    items: Evidence | None = None
    members: Mapping[str, Evidence] | None = None
    keys: int = 0
    unknown: bool = False

    def __add__(self, other: Evidence) -> Evidence:
        """Return the evidence of both; members keep the order of this one."""
        kinds = dict(self.kinds)
        for kind, seen in other.kinds.items():
            kinds[kind] = kinds.get(kind, NONE) + seen
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
        return sum((each.all_rounded() + each.overflowed for each in self._inner()), self.rounded)

    def _inner(self) -> list[Evidence]:
        return [*(self.members or {}).values(), *([self.items] if self.items else [])]


def _added(left: Mapping[str, Evidence], right: Mapping[str, Evidence]) -> dict[str, Evidence]:
    both = dict(left)
    for name, evidence in right.items():
        both[name] = both[name] + evidence if name in both else evidence
    return both


def _extreme(choose: Callable[[int, int], int], left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return left if right is None else right
    return choose(left, right)
