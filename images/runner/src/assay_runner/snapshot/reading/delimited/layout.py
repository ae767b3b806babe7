"""Where the header and the rows of delimited text are."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay_runner.options import Options
from assay_runner.snapshot.reading.delimited.dialect import Dialect
from assay_runner.snapshot.reading.encoding import Utf8, not_decodable
from assay_runner.snapshot.reading.notes import Code, Note
from assay_runner.snapshot.source import SourceRefusedError

HEAD_BYTES = 4 * 1024 * 1024
_LINE_END = re.compile(r"\r\n|\n|\r")
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\r?\n?')


class ParserError(SourceRefusedError):
    """Delimited text has no rows of one length; the message names the line and the fix."""


@dataclass(frozen=True)
class Layout:
    """Where the header and the rows are.

    Attributes:
        names: the name of each cell of a row; None for labels without a name.
        dialect: how rows are divided.
        lines: how many lines come before the rows.
        has_end: whether each row ends in a separator, so that its last cell has no name.
        notes: what is not as in the source.
    """

    names: Sequence[Any]
    dialect: Dialect
    lines: int
    has_end: bool = False
    notes: Sequence[Note] = field(default=())

    @property
    def width(self) -> int:
        """How many cells a row has."""
        return len(self.names) + self.has_end


def find_layout(source: Utf8, source_format: str, options: Options) -> Layout:
    """Return the layout of delimited text, and have the source begin with its first row.

    Raises:
        ParserError: if it has no columns, or names that do not fit them.
    """
    head = source.read(HEAD_BYTES).decode("utf-8", "surrogateescape")
    lines = _Lines(head)
    dialect = Dialect.of(source_format, options)
    notes = []
    marked = _SEPARATOR_LINE.fullmatch(lines.first())
    if marked and not {"sep", "delimiter"} & options.keys():
        dialect = dialect.with_separator(marked[1])
        lines.drop(1)
        message = f"was read with the separator that its first line names, sep={marked[1]}"
        notes.append(Note(Code.OTHER_SEPARATOR, message))
    lines.drop(options.get("skiprows", 0))
    names = _names(lines, dialect, options)
    following = next(_filled(dialect.records(lines.peek())), None)
    if names is None:
        names = list(range(len(following or ())))
    if lines.are_over and len(head) >= HEAD_BYTES // 4:
        raise ParserError(
            "The header is not within the first 4 MiB of the source: correct header and skiprows."
        )
    if not names:
        raise ParserError("The source has no columns.")
    _check_decoded(names)
    has_end = False
    if following is not None and len(following) == len(names) + 1:
        if options.get("index_col") is not None:
            names = [None, *names]
        elif not following[-1].strip():
            has_end = True
            message = "each row ends in a separator, and has one cell more than the header"
            notes.append(Note(Code.OTHER_SEPARATOR, message))
    source.unread(lines.rest().encode("utf-8", "surrogateescape"))
    return Layout(names, dialect, lines.number, has_end, tuple(notes))


def _check_decoded(names: Sequence[Any]) -> None:
    """Raise UnicodeDecodeError for names of bytes that are no text; Arrow checks the rows."""
    try:
        "".join(map(str, names)).encode()
    except UnicodeEncodeError:
        raise not_decodable() from None


def _names(lines: _Lines, dialect: Dialect, options: Options) -> list[Any] | None:
    """Return the names of the columns, having read the header; None if they are numbers."""
    given: list[str] | None = options.get("names")
    header = options.get("header", 0 if given is None else None)
    if header is None:
        return None if given is None else list(given)
    found: list[str] | None = None
    records = _filled(dialect.records(lines))
    for _ in range(header + 1):
        found = next(records, None)
    if found is None:
        raise ParserError(
            "The source has no header: it is empty, or shorter than header and skiprows."
        )
    return list(given) if given is not None else unique_names(found)


def unique_names(names: Sequence[str]) -> list[Any]:
    """Return the names that pandas gives to columns: no two are the same, and none is blank."""
    filled = [name or f"Unnamed: {position}" for position, name in enumerate(names)]
    taken = set(filled)
    counts: Counter[str] = Counter()
    found: list[Any] = []
    for name in filled:
        count = counts[name]
        unique = name
        while count > 0:
            counts[name] = count + 1
            unique = f"{name}.{count}"
            if unique not in taken and unique not in counts:
                break
            count += 1
        counts[unique] += 1
        found.append(unique)
    return found


def _filled(records: Iterator[list[str]]) -> Iterator[list[str]]:
    """Leave out blank lines."""
    return (cells for cells in records if len(cells) > 1 or (cells and cells[0].strip()))


class _Lines(Iterator[str]):
    """The lines of a text; each is taken once, so that the rest of the text is known.

    Attributes:
        number: how many lines were taken.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._has_ended = False
        self.number = 0

    def __next__(self) -> str:
        line = self.first()
        if not line:
            raise StopIteration
        self._position += len(line)
        self.number += 1
        return line

    @property
    def are_over(self) -> bool:
        """Whether all lines were taken."""
        return self._has_ended or self._position >= len(self._text)

    def first(self) -> str:
        """Return the next line without taking it; an empty text at the end."""
        end = _LINE_END.search(self._text, self._position)
        return self._text[self._position : None if end is None else end.end()]

    def drop(self, rows: int | Sequence[int]) -> None:
        """Leave out the first lines, or those of these numbers, from 0."""
        if isinstance(rows, int):
            for _ in range(rows):
                if self.are_over:
                    return
                next(self)
            return
        kept = io.StringIO()
        last = max(rows, default=-1)
        skipped = set(rows)
        for number in range(last + 1):
            if self.are_over:
                break
            line = next(self)
            if number not in skipped:
                kept.write(line)
        self._has_ended = self.are_over
        dropped = self.number
        self._text = kept.getvalue() + self._text[self._position :]
        self._position = 0
        # Lines that were left out are lines of the file, too.
        self.number = dropped - (last + 1 - len(skipped))

    def peek(self) -> Iterator[str]:
        """Return the lines that are left without taking them."""
        return iter(io.StringIO(self.rest(), newline=""))

    def rest(self) -> str:
        """Return the text that was not taken."""
        return self._text[self._position :]
