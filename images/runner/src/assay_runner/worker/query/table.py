"""A result as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Statistics(NamedTuple):
    """Statistics of a column; None is what its values do not have.

    Attributes:
        is_estimate: whether the distinct values were estimated, not counted.
    """

    nulls: int
    distinct: int | None
    minimum: object
    maximum: object
    mean: object
    is_estimate: bool = False


class Column(NamedTuple):
    """A column of a result.

    Attributes:
        name: its name.
        type: its type, as the library of the value writes it.
        values: returns the values from one position to before another.
        statistics: computes those of all values.
        arrow: returns the same values as an array of Arrow, where they have a type of their own.
        has_nan: whether NaN is a value; in pandas it is what a missing one looks like.
    """

    name: str
    type: str
    values: Callable[[int, int], Sequence[Any]]
    statistics: Callable[[], Statistics | None]
    arrow: Callable[[int, int], Any] | None = None
    has_nan: bool = False


class Table(NamedTuple):
    """A result.

    Attributes:
        columns: its columns.
        total_rows: how many rows it has.
        engine: the library of the value.
        aggregation: whether it is one value, or what an aggregation has returned.
        warnings: sentences about what is missing.
    """

    columns: Sequence[Column]
    total_rows: int
    engine: str = "pandas"
    aggregation: bool = False
    warnings: tuple[str, ...] = ()


class ResultError(TypeError):
    """A value that is no result; the message says what to return instead."""


# As it is shown to the caller.
ResultError.__module__ = "builtins"
