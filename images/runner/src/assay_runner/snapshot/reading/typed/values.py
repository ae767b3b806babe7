"""Columns of Python values: what each is stored as, and what that changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from assay_runner.snapshot.reading.columns import ReadColumn
from assay_runner.snapshot.reading.seen import Seen
from assay_runner.snapshot.reading.typed.gathering import gather
from assay_runner.snapshot.reading.typed.notes import notes_of
from assay_runner.snapshot.reading.typed.numbers import Characters
from assay_runner.snapshot.reading.typed.plans import TEXT, Plan, decide

Write = Callable[[Any], str]


class Converted(NamedTuple):
    """Values of a column as Arrow has them.

    Attributes:
        array: an array of the type of the plan.
        escaped: texts with halves of surrogate pairs, which no encoding has.
    """

    array: Any
    escaped: Seen = Seen()


def written(value: object) -> str:
    """Return a value other than None as JSON has it, numbers with the characters of their source.

    Text is itself, without quotes.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        return _json(value)
    return str(value)


def read_values(name: object, values: Sequence[Any], write: Write = written) -> ReadColumn:
    """Return a column of values: None, bool, int, float, str, datetime, list, dict and such.

    Args:
        name: its name.
        values: its values, all of them.
        write: returns the text of a value other than None in a column without a common type.
    """
    evidence = gather(values, 1)
    plan = decide(evidence)
    array, escaped = convert(plan, values, 1, write)
    return ReadColumn(
        name,
        pa.chunked_array([array], plan.type),
        as_text=plan.as_text or bool(escaped),
        notes=notes_of(evidence, plan, escaped),
    )


def convert(plan: Plan, values: Sequence[Any], first_row: int, write: Write = written) -> Converted:
    """Return values of a column as its plan says.

    Args:
        plan: what was decided by the evidence of all values of the column.
        values: some of them.
        first_row: the row of the first of these, from 1.
        write: returns the text of a value other than None.
    """
    if plan.type == TEXT:
        if set(map(type, values)) - {str, type(None)}:
            return _encoded([None if v is None else write(v) for v in values], plan, first_row)
        return _encoded(values, plan, first_row)
    if plan.type == pa.float64():
        # Arrow refuses whole numbers beyond 2^53, also those that a double holds.
        return Converted(pa.array(np.array(values, np.float64), from_pandas=True))
    try:
        return Converted(pa.array(values, plan.type))
    except UnicodeEncodeError:
        return _encoded(values, plan, first_row)


def _encoded(values: Sequence[Any], plan: Plan, first_row: int) -> Converted:
    try:
        return Converted(pa.array(values, plan.type))
    except UnicodeEncodeError:
        escaped = [_escaped(value) for value in values]
        rows = [
            row
            for row, (old, new) in enumerate(zip(values, escaped, strict=True), first_row)
            if old != new
        ]
        return Converted(pa.array(escaped, plan.type), Seen(len(rows), tuple(rows[:3])))


def _escaped(value: Any) -> Any:  # noqa: ANN401 - text, or lists and objects with it
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    if isinstance(value, dict):
        return {name: _escaped(member) for name, member in value.items()}
    return value


def _json(value: Any) -> str:  # noqa: ANN401 - whatever JSON holds
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        return _json_of_characters(value)


def _json_of_characters(value: Any) -> str:  # noqa: ANN401
    """Write JSON as `json.dumps` does, which knows no numbers that have their characters."""
    if isinstance(value, Characters):
        return value.text
    if isinstance(value, list):
        return f"[{', '.join(map(_json_of_characters, value))}]"
    if isinstance(value, dict):
        members = [
            f"{json.dumps(name, ensure_ascii=False)}: {_json_of_characters(item)}"
            for name, item in value.items()
        ]
        return f"{{{', '.join(members)}}}"
    return json.dumps(value, ensure_ascii=False)
