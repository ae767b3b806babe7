"""Size limits of a source."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from assay_runner.snapshot.source import SourceRefusedError

MAX_CELLS = 100_000_000
"""How many cells a sheet, or some rows of JSON, may span: each takes memory, also an empty one."""


class LimitExceededError(SourceRefusedError):
    """The source is over a limit; the message names the limit."""


def check_cells(rows: int, columns: int) -> None:
    """Raise LimitExceededError for rows and columns that span too many cells."""
    if rows * columns > MAX_CELLS:
        raise LimitExceededError(
            f"The source spans {rows} rows and {columns} columns, which is more than {MAX_CELLS}"
            " cells, including empty ones."
        )


@dataclass(frozen=True)
class Limits:
    """Limits of one source.

    Attributes:
        max_bytes: maximum size after decompression, also of the content of a Parquet file or a
            workbook.
        max_rows: maximum number of rows.
        max_columns: maximum number of columns.
        max_nesting: maximum nesting of lists and objects in JSON, of types in Parquet and Feather.
        frame_bytes: size above which there is no frame, unless the source wants one.
    """

    max_bytes: int = 1024**3
    max_rows: int = 100_000_000
    max_columns: int = 10_000
    max_nesting: int = 64
    frame_bytes: int = 1024**3

    NONE: ClassVar[Limits]
    """Limits that nothing exceeds."""

    @staticmethod
    def of(given: Mapping[str, int] | None) -> Limits:
        """Return the limits of a job, with defaults for those that it does not set."""
        names = {"max_bytes": "maxBytes", "max_rows": "maxRows"}
        names |= {"max_columns": "maxColumns", "max_nesting": "maxNesting"}
        names |= {"frame_bytes": "frameBytes"}
        given = given or {}
        return Limits(**{own: given[name] for own, name in names.items() if name in given})

    def check_bytes(self, size: int) -> None:
        """Raise LimitExceededError for more bytes than allowed."""
        if size > self.max_bytes:
            raise LimitExceededError(
                f"The source is larger than the limit of {self.max_bytes} bytes"
                " (maxBytes, counted after decompression)."
            )

    def check_rows(self, rows: int) -> None:
        """Raise LimitExceededError for more rows than allowed."""
        if rows > self.max_rows:
            raise LimitExceededError(
                f"The source has {rows} rows; the limit is {self.max_rows} (maxRows)."
            )

    def check_columns(self, columns: int) -> None:
        """Raise LimitExceededError for more columns than allowed."""
        if columns > self.max_columns:
            raise LimitExceededError(
                f"The source has {columns} columns; the limit is {self.max_columns} (maxColumns)."
            )

    def check_nesting(self, depth: int) -> None:
        """Raise LimitExceededError for lists and objects nested deeper than allowed."""
        if depth > self.max_nesting:
            raise LimitExceededError(
                f"The source nests lists and objects more than {self.max_nesting} deep"
                " (maxNesting)."
            )


Limits.NONE = Limits(sys.maxsize, sys.maxsize, sys.maxsize, sys.maxsize, sys.maxsize)
