"""Reads sources for the tests of reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.reading.columns import ReadTable
from assay_runner.snapshot.reading.records.reader import read_records


def read_json(
    directory: Path, source: str | bytes, source_format: str = "json", **options: object
) -> ReadTable:
    """Read JSON, in UTF-8 if it is text."""
    path = directory / f"source.{source_format}"
    path.write_bytes(source.encode() if isinstance(source, str) else source)
    return read_records(str(path), source_format, options, Limits())


def columns(table: ReadTable) -> dict[Any, list[Any]]:
    """Return the values of each column."""
    return {column.name: column.values.to_pylist() for column in table.columns}


def types(table: ReadTable) -> dict[Any, str]:
    """Return the type of each column."""
    return {column.name: str(column.values.type) for column in table.columns}


def codes(table: ReadTable) -> dict[Any, list[str]]:
    """Return the codes of the notes of each column that has any."""
    return {
        column.name: [str(note.code) for note in column.notes]
        for column in table.columns
        if column.notes
    }
