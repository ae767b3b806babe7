"""How delimited text is divided into records and cells."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from assay_runner.options import Options

SEPARATORS = (";", "\t", "|", ",")
_QUOTED_OR_WORD = re.compile(r'"((?:[^"]|"")*)"|(\S+)')


@dataclass(frozen=True)
class Dialect:
    """How delimited text is divided.

    Attributes:
        separator: one character, or a regular expression.
        quote: the quotation mark.
        escape: the character before one that means itself.
        comment: the character that the rest of a line is a comment after.
        skips_spaces: whether spaces after a separator are left out.
    """

    separator: str = ","
    quote: str = '"'
    escape: str | None = None
    comment: str | None = None
    skips_spaces: bool = False

    @staticmethod
    def of(source_format: str, options: Options) -> Dialect:
        """Return the dialect of a format with its options."""
        default = "\t" if source_format == "tsv" else ","
        return Dialect(
            options.get("sep", options.get("delimiter", default)),
            options.get("quotechar", '"'),
            options.get("escapechar"),
            options.get("comment"),
            options.get("skipinitialspace", False),
        )

    def with_separator(self, separator: str) -> Dialect:
        """Return the same with another separator."""
        return replace(self, separator=separator)

    @property
    def is_plain(self) -> bool:
        """Whether Arrow reads it: the others are read by Python, which takes longer."""
        plain = len(self.separator) == 1 and self.separator.isascii() and self.quote.isascii()
        return plain and self.comment is None and not self.skips_spaces

    def records(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """Yield the cells of each record, none for a blank line.

        Args:
            lines: the lines with their ends.
        """
        lines = self.without_comments(lines)
        if len(self.separator) > 1:
            yield from self._by_expression(lines)
            return
        csv.field_size_limit(sys.maxsize)
        yield from csv.reader(
            lines,
            delimiter=self.separator,
            quotechar=self.quote,
            escapechar=self.escape,
            skipinitialspace=self.skips_spaces,
        )

    def without_comments(self, lines: Iterable[str]) -> Iterable[str]:
        """Return the lines without their comments."""
        return lines if self.comment is None else _without_comments(lines, self)

    def _by_expression(self, lines: Iterable[str]) -> Iterator[list[str]]:
        pattern = re.compile(self.separator)
        for line in lines:
            text = line.strip("\r\n")
            if not text.strip():
                yield []
            elif self.separator == r"\s+":
                found = _QUOTED_OR_WORD.findall(text)
                yield [word or quoted.replace('""', '"') for quoted, word in found]
            else:
                yield pattern.split(text)


def _without_comments(lines: Iterable[str], dialect: Dialect) -> Iterator[str]:
    """Yield lines without what follows a comment character outside of quotation marks."""
    is_quoted = False
    for line in lines:
        starts, closed_at, is_escaped = not is_quoted, -2, False
        for position, character in enumerate(line):
            if is_escaped:
                is_escaped = False
            elif character == dialect.escape:
                is_escaped = True
            elif is_quoted:
                if character == dialect.quote:
                    is_quoted, closed_at = False, position
            elif character == dialect.comment:
                line = line[:position] + "\n" if line[:position].strip() else "\n"
                break
            elif character == dialect.quote and (starts or closed_at == position - 1):
                is_quoted = True
            starts = not is_quoted and (
                character == dialect.separator or (starts and character.isspace())
            )
        yield line
