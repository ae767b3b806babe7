"""Realistic and malicious files that snapshots must handle correctly.

`python -m corpus DIRECTORY` writes them out. Each is made by code, or taken from a package of test
data, and is the same each time.
"""

from __future__ import annotations

from corpus import delimited, documents, hostile, real, typed
from corpus.case import Case

CASES: tuple[Case, ...] = (
    *delimited.CASES,
    *documents.CASES,
    *typed.CASES,
    *real.CASES,
    *hostile.CASES,
)

__all__ = ["CASES", "Case"]
