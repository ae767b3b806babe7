"""JSON documents whose rows are not a list of objects: the orients of pandas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from assay_runner.snapshot.limits import Limits, check_cells
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.records.batches import Batch, Values, seen_repeats
from assay_runner.snapshot.reading.records.json_text import (
    JsonError,
    parse,
    parser,
    skip,
)
from assay_runner.snapshot.reading.records.marks import has_long_numbers
from assay_runner.snapshot.reading.seen import Seen
from assay_runner.snapshot.reading.typed.gathering import members_of, names_of
from assay_runner.snapshot.reading.typed.numbers import plain

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Label:
    """The key of a column that is part of the index, with its name in pandas."""

    name: str | None
    position: int = 0


@dataclass(frozen=True)
class ColumnsBatch(Batch):
    """All rows of a source as columns."""

    named: Mapping[Any, Sequence[Any]] | None = None

    @property
    def kind(self) -> type:
        """Return what the rows are."""
        return object

    def columns(self, limits: Limits) -> dict[Any, Sequence[Any]]:
        """Return the values of each column by name; names of the index are `Label`."""
        found = dict(self.named or {})
        limits.check_columns(len(found))
        return found

    def repeated_members(self, keys: int) -> Seen:
        """Return whether any object has a member twice, without its row."""
        del keys
        return Seen(self.repeated().count)


def is_by_label(value: Mapping[str, Any]) -> bool:
    """Return whether an object has columns, each an object of values by the label of the row.

    They have the same labels, and more than one column, or labels that count the rows.
    """
    inner = list(value.values())
    if not inner:
        return True
    if not all(isinstance(each, dict) for each in inner):
        return False
    labels = set(inner[0])
    if any(isinstance(item, dict | list) for each in inner for item in each.values()):
        same = all(set(each) == labels for each in inner)
        return same and (len(inner) > 1 or _counts(list(inner[0])))
    return True


class WholeRecords:
    """Records that only the whole document tells."""

    def __init__(self, text: str, orient: str) -> None:
        """Take a document, and `columns`, `index`, `split` or `table`."""
        self._text = text
        self._orient = orient

    def batches(self, exact: bool) -> Iterator[Batch]:
        """Return the rows; with `exact`, numbers have the characters of their source."""
        start = skip(self._text, 0)
        scan = parser(exact=exact, careful=has_long_numbers(self._text))
        try:
            value, _ = parse(self._text, start, scan)
        except JsonError as error:
            raise error.located(self._text) from None
        columns, rows = _READERS[self._orient](value)
        yield ColumnsBatch(range(rows), 1, self._text, self._repeated, columns)

    def _repeated(self) -> Seen:
        text, start = self._text, skip(self._text, 0)
        values: Values = lambda scan: iter([parse(text, start, scan)])  # noqa: E731
        return seen_repeats(text, values, 1)


_Columns = tuple[dict[Any, Sequence[Any]], int]


def _by_column(value: Mapping[str, Any]) -> _Columns:
    inner = list(value.values())
    if all(isinstance(each, list) for each in inner):
        lengths = set(map(len, inner))
        if len(lengths) > 1:
            raise _unreadable("The lists of the source, which would be columns, differ in length.")
        return dict(value), max(lengths, default=0)
    labels = list(names_of(inner))
    check_cells(len(labels), len(inner))
    return {
        **_index([_typed(labels)], [None]),
        **{name: [each.get(label) for label in labels] for name, each in value.items()},
    }, len(labels)


def _by_index(value: Mapping[str, Any]) -> _Columns:
    rows = list(value.values())
    if all(isinstance(row, dict) for row in rows):
        shapes = dict.fromkeys(map(tuple, rows))
        check_cells(len(rows), len(names_of(shapes)))
        columns: Mapping[Any, Sequence[Any]] = members_of(rows, shapes) if rows else {}
    elif all(isinstance(row, list) for row in rows):
        check_cells(len(rows), max(map(len, rows), default=0))
        columns = dict(enumerate(zip_longest(*rows)))
    else:
        raise _unreadable("With the orient index, each member must be an object or a list.")
    return {**_index([_typed(list(value))], [None]), **columns}, len(rows)


def _split(value: Mapping[str, Any]) -> _Columns:
    names, rows = value.get("columns"), value.get("data")
    if isinstance(names, list):
        names = [plain(name) for name in names]
    index = value.get("index")
    if (
        value.keys() - {"columns", "index", "data"}
        or not isinstance(rows, list)
        or not all(isinstance(row, list) for row in rows)
        or not isinstance(names, list)
        or not (index is None or (isinstance(index, list) and len(index) == len(rows)))
    ):
        raise _unreadable("With the orient split, the source has columns, data and maybe an index.")
    if any(len(row) > len(names) for row in rows):
        raise _unreadable("With the orient split, no row may have more values than columns.")
    check_cells(len(rows), len(names))
    columns = list(zip_longest(*rows)) + [[None] * len(rows)] * len(names)
    labelled = {} if index is None else _index([index], [None])
    return {**labelled, **dict(zip(_unique(names), columns, strict=False))}, len(rows)


def _table(value: Mapping[str, Any]) -> _Columns:
    schema, rows = value.get("schema"), value.get("data")
    fields = schema.get("fields") if isinstance(schema, dict) else None
    if not isinstance(fields, list) or not isinstance(rows, list):
        raise _unreadable("With the orient table, the source has a schema with fields, and data.")
    names = [field.get("name") for field in fields if isinstance(field, dict)]
    if not all(isinstance(row, dict) for row in rows):
        raise _unreadable("With the orient table, each row is an object.")
    keys = schema.get("primaryKey", []) if isinstance(schema, dict) else []
    keys = [key for key in (keys if isinstance(keys, list) else [keys]) if key in names]
    check_cells(len(rows), len(names))
    columns = {name: [row.get(name) for row in rows] for name in names}
    unnamed = [None if key == "index" else key for key in keys]
    index = _index([columns[key] for key in keys], unnamed)
    return {**index, **{n: v for n, v in columns.items() if n not in keys}}, len(rows)


def dates_of_table(value: Mapping[str, Any]) -> list[str]:
    """Return the columns that a document with the orient table says are dates."""
    schema = value.get("schema")
    fields = schema.get("fields") if isinstance(schema, dict) else None
    return [
        str(field.get("name"))
        for field in (fields if isinstance(fields, list) else [])
        if isinstance(field, dict) and field.get("type") == "datetime"
    ]


def _index(
    labels: Sequence[Sequence[Any]], names: Sequence[str | None]
) -> dict[Any, Sequence[Any]]:
    """Return the columns of an index; none if it only counts the rows."""
    if len(labels) == 1 and names[0] is None and _counts(labels[0]):
        return {}
    return {
        Label(name, position): values
        for position, (name, values) in enumerate(zip(names, labels, strict=True))
    }


def _counts(labels: Sequence[Any]) -> bool:
    return all(str(label) == str(row) for row, label in enumerate(labels))


def _typed(labels: Sequence[str]) -> Sequence[Any]:
    """Return labels that are all written as whole numbers as these: names are always text."""
    return [int(label) for label in labels] if all(map(_WHOLE.fullmatch, labels)) else labels


def _unique(names: Sequence[Any]) -> list[Any]:
    """Return names of which none is twice, as pandas does: `a`, `a.1`."""
    found: dict[Any, None] = {}
    numbers: Counter[Any] = Counter()
    for name in names:
        name = tuple(name) if isinstance(name, list) else name
        unique = name
        while unique in found:
            numbers[name] += 1
            unique = f"{name}.{numbers[name]}"
        found[unique] = None
    return list(found)


def _unreadable(message: str) -> ReaderError:
    return ReaderError(ValueError(), message)


_READERS: Mapping[str, Callable[[Mapping[str, Any]], _Columns]] = {
    "columns": _by_column,
    "index": _by_index,
    "split": _split,
    "table": _table,
}
