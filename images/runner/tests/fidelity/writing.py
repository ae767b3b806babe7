"""Writes tables of texts as several libraries do, in several dialects."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from fidelity.judging import MISSING
from fidelity.making import Column

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_EMPTY = frozenset({""})


class Source(NamedTuple):
    """A file, its format and the options that it is read with."""

    data: bytes
    format: str
    options: dict[str, Any]
    missing: frozenset[str] = MISSING
    """The texts that mean that there is no value."""


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


def by_json(columns: Sequence[Column]) -> Source:
    """Write objects with numbers where the texts are such, and null for an empty text."""
    return Source(f"[{','.join(_objects(columns))}]".encode(), "json", {}, _EMPTY)


def by_json_lines(columns: Sequence[Column]) -> Source:
    """Write the same in lines, with a mark."""
    return Source("\n".join(_objects(columns)).encode("utf-8-sig"), "ndjson", {}, _EMPTY)


def by_openpyxl(columns: Sequence[Column]) -> Source:
    """Write a workbook, with numbers of up to 15 digits as such."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.append(_names(columns))
    for cells in zip(*(column.cells for column in columns), strict=True):
        sheet.append([_of_workbook(cell) for cell in cells])
    file = io.BytesIO()
    book.save(file)
    return Source(file.getvalue(), "excel", {})


def by_pyarrow(columns: Sequence[Column]) -> Source:
    """Write Parquet of texts."""
    file = io.BytesIO()
    pq.write_table(pa.table([column.cells for column in columns], names=_names(columns)), file)
    return Source(file.getvalue(), "parquet", {}, frozenset())


def _objects(columns: Sequence[Column]) -> Iterator[str]:
    names = [json.dumps(name) for name in _names(columns)]
    for cells in zip(*(column.cells for column in columns), strict=True):
        members = (f"{name}:{_of_json(cell)}" for name, cell in zip(names, cells, strict=True))
        yield f"{{{','.join(members)}}}"


def _of_json(cell: str) -> str:
    if not cell:
        return "null"
    return cell if _JSON_NUMBER.fullmatch(cell) else json.dumps(cell, ensure_ascii=False)


def _of_workbook(cell: str) -> object:
    if not cell:
        return None
    is_number = _JSON_NUMBER.fullmatch(cell) and len(cell) < 15 and math.isfinite(float(cell))
    return float(cell) if is_number else cell


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
    by_json,
    by_json_lines,
    by_openpyxl,
    by_pyarrow,
)
"""Each returns the source of a table."""
