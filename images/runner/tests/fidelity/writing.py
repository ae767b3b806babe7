"""Writes tables of texts as several libraries do, in several dialects."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pandas as pd
import polars as pl

from fidelity.making import Column


class Source(NamedTuple):
    """A file, its format and the options that it is read with."""

    data: bytes
    format: str
    options: dict[str, Any]


def by_csv(columns: Sequence[Column], **dialect: Any) -> Source:  # noqa: ANN401 - of csv.writer
    """Write with the module csv."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, **dialect)
    writer.writerow([column.name for column in columns])
    writer.writerows(zip(*(column.cells for column in columns), strict=True))
    separator = dialect.get("delimiter", ",")
    return Source(file.getvalue().encode(), "csv", {} if separator == "," else {"sep": separator})


def by_pandas(columns: Sequence[Column]) -> Source:
    """Write with pandas, as UTF-16 with tabs."""
    frame = _frame(columns)
    text = frame.to_csv(index=False, sep="\t", lineterminator="\r\n")
    return Source(text.encode("utf-16"), "tsv", {})


def by_polars(columns: Sequence[Column]) -> Source:
    """Write with Polars, with a mark."""
    text = pl.from_pandas(_frame(columns)).write_csv(include_bom=True, separator=";")
    return Source(text.encode(), "csv", {"sep": ";"})


def _names(columns: Sequence[Column]) -> list[str]:
    return [column.name for column in columns]


def _frame(columns: Sequence[Column]) -> pd.DataFrame:
    frame = pd.DataFrame({i: column.cells for i, column in enumerate(columns)}, dtype="str")
    frame.columns = pd.Index(_names(columns))
    return frame


WRITERS: Sequence[Callable[[Sequence[Column]], Source]] = (
    by_csv,
    lambda columns: by_csv(columns, delimiter=";", quoting=csv.QUOTE_ALL),
    lambda columns: by_csv(columns, delimiter="|", lineterminator="\n"),
    by_pandas,
    by_polars,
)
"""Each returns the source of a table."""
