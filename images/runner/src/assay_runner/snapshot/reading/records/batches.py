"""Sources of records: batches of rows, read as often as they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Protocol

from assay_runner.snapshot.limits import Limits, check_cells
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.records.blocks import MAX_ROW_CHARACTERS, blocks
from assay_runner.snapshot.reading.records.json_text import (
    JsonError,
    Value,
    lines_together,
    parser,
    sequence,
)
from assay_runner.snapshot.reading.records.marks import has_long_numbers, may_repeat, repeats
from assay_runner.snapshot.reading.seen import MAX_ROWS, Seen
from assay_runner.snapshot.reading.typed.gathering import members_of, names_of

_BATCH_CHARACTERS = 4 * 1024 * 1024
Values = Callable[[Any], Iterator[Value]]


@dataclass(frozen=True)
class Batch:
    """Some rows.

    Attributes:
        rows: values of JSON, of one kind: objects, lists or others.
        first_row: the row of the first of them, from 1.
        text: the JSON that they are from, to see whether members are repeated.
        repeated: returns the rows in which an object has a member twice, if it is asked.
    """

    rows: Sequence[Any]
    first_row: int
    text: str = ""
    repeated: Callable[[], Seen] = field(default=Seen)

    @property
    def kind(self) -> type:
        """What the first of the rows is: `dict`, `list` or, for all others, `object`."""
        first = type(self.rows[0])
        return first if first in (dict, list) else object

    def columns(self, limits: Limits) -> dict[Any, Sequence[Any]]:
        """Return the values of each column by name.

        Raises:
            LimitExceededError: if there are too many columns.
            ReaderError: if the rows are of several kinds.
        """
        kinds = set(map(type, self.rows))
        if kinds == {dict}:
            shapes = dict.fromkeys(map(tuple, self.rows))
            width = len(names_of(shapes))
            limits.check_columns(width)
            check_cells(len(self.rows), width)
            return dict(members_of(self.rows, shapes))
        if kinds == {list}:
            width = max(map(len, self.rows))
            limits.check_columns(width)
            check_cells(len(self.rows), width)
            return dict(enumerate(zip_longest(*self.rows)))
        if kinds & {dict, list}:
            first = self.kind
            other = next(row for row, v in enumerate(self.rows) if type(v) is not first)
            raise mixed_rows(self.first_row, self.first_row + other)
        return {0: self.rows} if self.rows else {}

    def repeated_members(self, keys: int) -> Seen:
        """Return the rows in which an object has a member twice; `keys` is how many there are."""
        return self.repeated() if self.text and may_repeat(self.text, keys) else Seen()


def mixed_rows(first: int, second: int) -> ReaderError:
    """Return the error on two rows that are not of one kind."""
    return ReaderError(
        ValueError(),
        f"Rows {first} and {second} are not both objects: a table needs a list of objects.",
    )


def of_one_kind(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Return batches, and raise ReaderError at the first that has rows of another kind."""
    known = None
    for batch in batches:
        known = known or batch.kind
        if batch.kind != known:
            raise mixed_rows(1, batch.first_row)
        yield batch


class Records(Protocol):
    """A source of batches, which are the same each time."""

    def batches(self, exact: bool) -> Iterator[Batch]:
        """Return the rows; with `exact`, numbers have the characters of their source."""


class TextRecords:
    """Records in a text that is in memory."""

    def __init__(self, text: str, values: Values, start: int) -> None:
        """Take a text and what returns its values from a parser, the first of them at `start`."""
        self._text = text
        self._values = values
        self._start = start
        self._careful = has_long_numbers(text)
        self._is_told = False

    def batches(self, exact: bool) -> Iterator[Batch]:
        """Return the rows; with `exact`, numbers have the characters of their source."""
        rows: list[Any] = []
        first_row, start = 1, self._start
        try:
            for value, end in self._values(parser(exact=exact, careful=self._careful)):
                rows.append(value)
                if end - start > _BATCH_CHARACTERS:
                    yield self._batch(rows, first_row, start, end)
                    first_row, start, rows = first_row + len(rows), end, []
            if rows:
                yield self._batch(rows, first_row, start, end)
        except JsonError as error:
            raise error.located(self._text) from None

    def _batch(self, rows: list[Any], first_row: int, start: int, end: int) -> Batch:
        return Batch(rows, first_row, self._text[start:end], self._repeated)

    def _repeated(self) -> Seen:
        """Return the repeats of all rows, once."""
        if self._is_told:
            return Seen()
        self._is_told = True
        return seen_repeats(self._text, self._values, 1)


class LineRecords:
    """Records in a file of any size, one behind the other."""

    def __init__(self, path: str, encoding: str) -> None:
        """Take a file and its encoding."""
        self._path = path
        self._encoding = encoding
        # Whether each line has been one object so far.
        self._together = True

    def batches(self, exact: bool) -> Iterator[Batch]:
        """Return the rows; with `exact`, numbers have the characters of their source."""
        first_row, lines = 1, 0
        rest = ""
        for block, is_last in blocks(self._path, self._encoding):
            text = rest + block
            rows, end = self._rows(text, exact, lines, is_last)
            if rows:
                if _is_document(rows[0]):
                    raise ReaderError(
                        ValueError(), "The source is a list, not JSON lines: give the format json."
                    )
                taken = text[:end]
                yield Batch(rows, first_row, taken, _repeats_of(taken, first_row))
            first_row += len(rows)
            lines += text.count("\n", 0, end)
            rest = text[end:]
            if len(rest) > MAX_ROW_CHARACTERS:
                raise JsonError("a row has no end", 0).located(rest, lines)

    def _rows(self, text: str, exact: bool, lines: int, is_last: bool) -> tuple[list[Any], int]:
        """Return the rows that a text has in full, and where the last of them ends."""
        careful = has_long_numbers(text)
        scan = parser(exact=exact, careful=careful, strict=True)
        found = lines_together(text, scan) if self._together else None
        if found is not None:
            return found, len(text)
        self._together = self._together and is_last
        try:
            return _sequence(text, scan, is_last)
        except JsonError as error:
            if not error.is_tab:
                raise error.located(text, lines) from None
        try:
            return _sequence(text, parser(exact=exact, careful=careful), is_last)
        except JsonError as error:
            raise error.located(text, lines) from None


def _sequence(text: str, scan: Any, is_last: bool) -> tuple[list[Any], int]:  # noqa: ANN401
    """Return the values that a text has in full, and where the last of them ends."""
    rows: list[Any] = []
    end = 0
    try:
        for value, after in sequence(text, 0, scan):
            rows.append(value)
            end = after
    except JsonError as error:
        if is_last or not error.cut_off:
            raise
    return rows, end


def _is_document(row: Any) -> bool:  # noqa: ANN401 - whatever JSON holds
    return isinstance(row, list) and bool(row) and isinstance(row[0], dict)


def seen_repeats(text: str, values: Values, first_row: int) -> Seen:
    """Return the rows in which an object has a member twice."""
    rows = [row for row, found in enumerate(repeats(text, values), first_row) if found]
    return Seen(len(rows), tuple(rows[:MAX_ROWS]))


def _repeats_of(text: str, first_row: int) -> Callable[[], Seen]:
    return lambda: seen_repeats(text, lambda scan: sequence(text, 0, scan), first_row)
