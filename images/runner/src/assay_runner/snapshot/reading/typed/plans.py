"""Decides by the evidence of a column what its values are stored as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from assay_runner.snapshot.reading.typed.evidence import Evidence, Kind
from assay_runner.snapshot.table_types import common_type

_EXACT = 2**53
_HIGHEST = 2**63 - 1
_NUMBERS = {Kind.WHOLE, Kind.NUMBER}
_SIMPLE = {
    Kind.TRUTH: pa.bool_(),
    Kind.TIMESTAMP: pa.timestamp("us"),
    Kind.TIME: pa.time64("us"),
    Kind.DURATION: pa.duration("us"),
}
TEXT = pa.large_string()


@dataclass(frozen=True)
class Plan:
    """What the values of a column are stored as.

    Attributes:
        type: an Arrow type.
        as_text: whether they are text because they have no common type.
        exact: whether that takes the characters of numbers in the source.
    """

    type: Any
    as_text: bool = False
    exact: bool = False


def decide(evidence: Evidence, as_text: bool = False) -> Plan:
    """Return the plan for the values of a column.

    Args:
        evidence: what all of its values are.
        as_text: whether the caller wants text, whatever they are.
    """
    kinds = set(evidence.kinds)
    if kinds == {Kind.TEXT}:
        return Plan(TEXT)
    if as_text:
        return Plan(TEXT, as_text=False, exact=bool(kinds))
    data_type = _type(evidence, kinds)
    if data_type is not None and pa.types.is_nested(data_type):
        data_type = common_type(data_type)
    if data_type is None:
        return Plan(TEXT, as_text=True, exact=evidence.has_numbers())
    return Plan(data_type)


def _type(evidence: Evidence, kinds: set[Kind]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the type of a column, None for text."""
    if not kinds:
        return pa.float64()
    if len(kinds) == 1 and (simple := _SIMPLE.get(next(iter(kinds)))):
        return simple
    if kinds == {Kind.WHOLE}:
        return _whole(evidence)
    if kinds <= _NUMBERS:
        changed = evidence.overflowed or evidence.inexact
        return None if changed else pa.float64()
    return _nested(evidence)


def _whole(evidence: Evidence) -> Any:  # noqa: ANN401
    low, high = evidence.low or 0, evidence.high or 0
    if evidence.beyond or (low < 0 and high > _HIGHEST):
        return None
    return pa.uint64() if high > _HIGHEST else pa.int64()


def _nested(evidence: Evidence) -> Any:  # noqa: ANN401
    """Return the type of lists or objects, or of what is within them; None if there is none."""
    kinds = set(evidence.kinds)
    if evidence.unknown or evidence.overflowed or evidence.beyond:
        return None
    if not kinds:
        return pa.null()
    if kinds == {Kind.TEXT}:
        return pa.string()
    if kinds == {Kind.LIST} and evidence.items is not None:
        inner = _nested(evidence.items)
        return None if inner is None else pa.list_(inner)
    if kinds == {Kind.OBJECT} and evidence.members is not None:
        return _struct(evidence)
    if kinds == _NUMBERS:
        # Arrow takes no larger ones among doubles.
        low, high = evidence.low or 0, evidence.high or 0
        return pa.float64() if low >= -_EXACT and high <= _EXACT else None
    if len(kinds) > 1:
        return None
    return _type(evidence, kinds)


def _struct(evidence: Evidence) -> Any:  # noqa: ANN401
    fields = []
    for name, member in (evidence.members or {}).items():
        inner = _nested(member)
        if inner is None or not _is_encodable(name):
            return None
        fields.append(pa.field(name, inner))
    return pa.struct(fields)


def _is_encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
