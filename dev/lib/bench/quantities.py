"""Quantities as Kubernetes writes them."""

from __future__ import annotations

import re

_FACTORS = {
    "m": 1e-3,
    "": 1.0,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
}
_QUANTITY = re.compile(r"([0-9.]+)([A-Za-z]*)")


def quantity(text: str) -> float:
    """Cores, bytes or a number; ValueError for a unit that nodes and Pods do not use."""
    match = _QUANTITY.fullmatch(text)
    if match is None or match[2] not in _FACTORS:
        raise ValueError(f"{text!r} is no quantity")
    return float(match[1]) * _FACTORS[match[2]]
