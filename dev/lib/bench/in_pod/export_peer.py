"""Writes a result as DuckDB and openpyxl do alone; the rows are in a Parquet file before."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import openpyxl

PARAMETERS: dict[str, Any] = json.loads("{}")


def milliseconds(write: Callable[[], object]) -> float:
    began = time.perf_counter()
    write()
    return (time.perf_counter() - began) * 1000


def copy(options: str, name: str) -> None:
    connection.execute(f"COPY (FROM '{source}') TO '{folder / name}' ({options})")


def workbook() -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("result")
    rows = connection.execute(f"FROM '{source}'")
    sheet.append([column[0] for column in rows.description])
    for row in rows.fetchall():
        sheet.append(row)
    book.save(folder / "result.xlsx")


folder = Path(tempfile.mkdtemp())
source = folder / "source.parquet"
connection = duckdb.connect()
connection.execute("SET threads = 1")
connection.execute(f"COPY ({PARAMETERS['query']}) TO '{source}' (FORMAT parquet)")
print(
    json.dumps(
        {
            "csv": milliseconds(lambda: copy("FORMAT csv, HEADER true", "a.csv")),
            "json": milliseconds(lambda: copy("FORMAT json, ARRAY true", "a.json")),
            "parquet": milliseconds(lambda: copy("FORMAT parquet", "a.parquet")),
            "xlsx": milliseconds(workbook),
        }
    )
)
