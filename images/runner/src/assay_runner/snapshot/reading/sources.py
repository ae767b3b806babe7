"""The formats that are read so that values are kept or named."""

from __future__ import annotations

from assay_runner.options import Options
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.reading.columns import ReadTable
from assay_runner.snapshot.reading.delimited import read_delimited

_READERS = {"csv": read_delimited, "tsv": read_delimited}


def keeps(source_format: str, options: Options) -> bool:
    """Return whether a source is read here; pandas reads the others."""
    return source_format in _READERS and options.get("types") != "pandas"


def read(path: str, source_format: str, options: Options, limits: Limits) -> ReadTable:
    """Read a source into memory.

    Raises:
        SourceRefusedError: if it is over a limit, or its rows are not all of one form.
        Exception: whatever the library raises that reads it.
    """
    return _READERS[source_format](path, source_format, options, limits)
