"""Turns JSON lines of any size into the table of a snapshot, in bounded memory.

DuckDB reads the source twice: types are inferred from all of it, so that no value late in the file
can be of another type than its column, and then it is written.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay_runner import options as of_sources
from assay_runner.options import OptionRefusedError, Options
from assay_runner.snapshot.error_redaction import ReaderError
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.table_names import table_names
from assay_runner.snapshot.table_types import MAX_LEVELS
from assay_runner.snapshot_files import TABLE

if TYPE_CHECKING:
    import duckdb

# Options that need all values of a column at once.
_FOR_FRAMES = (
    "dtype",
    "parse_dates",
    "date_format",
    "dayfirst",
    "index_col",
    "skipfooter",
    "types",
)

OPTIONS = tuple(name for name in of_sources.OPTIONS["csv"] if name not in _FOR_FRAMES)
"""Options of delimited text that are accepted without a frame."""

# A class gives the rest to Python and to the page cache.
_MEMORY_SHARE = 0.5
_MIN_MEMORY_BYTES = 128 * 1024 * 1024
_DEFAULT_MEMORY_BYTES = 1024**3
_LINE = re.compile(r"on Line: (\d+)|in line (\d+)")


def check_options(source_format: str, options: Options) -> None:
    """Check that the options can be used without pandas.

    Raises:
        OptionRefusedError: if one cannot.
    """
    known = OPTIONS if source_format in ("csv", "tsv") else ()
    for name in options:
        if name not in known:
            accepted = f"accepts only {', '.join(known)}" if known else "accepts no options"
            raise OptionRefusedError(
                f"The option {name} needs a frame. Without one, {source_format} {accepted}."
            )


def write_lines(path: str, limits: Limits, scratch: str) -> list[bool]:
    """Write `frame.parquet` beside the source and return which columns are text for want of a type.

    Args:
        path: the source.
        limits: limits of the source.
        scratch: a directory for what does not fit into memory.

    Raises:
        ReaderError: if the source is malformed.
        LimitExceededError: if it has too many columns.
    """
    # Most sources do not need it.
    import duckdb

    directory = os.path.dirname(path)
    with duckdb.connect() as connection:
        _confine(connection, directory, scratch)
        try:
            return _write_lines(connection, path, limits)
        except duckdb.OutOfMemoryException:
            raise ReaderError(
                MemoryError(),
                "The source needs more memory or temporary disk space than is available.",
            ) from None
        except duckdb.Error as error:
            raise _redacted(error) from None


def _confine(connection: duckdb.DuckDBPyConnection, directory: str, scratch: str) -> None:
    for setting in (
        f"memory_limit = '{_memory_bytes()}B'",
        f"temp_directory = {_text(os.path.join(scratch, 'duckdb'))}",
        f"max_temp_directory_size = '{scratch_bytes(scratch)}B'",
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        f"allowed_directories = [{_text(directory)}, {_text(scratch)}]",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET {setting}")


def _write_lines(connection: duckdb.DuckDBPyConnection, path: str, limits: Limits) -> list[bool]:
    source = (
        f"read_json({_text(path)}, format = 'newline_delimited', records = true,"
        f" sample_size = -1, maximum_depth = {MAX_LEVELS})"
    )
    columns = _described(connection, source)
    limits.check_columns(len(columns))
    mixed = [kind == "JSON" for _, kind in columns]
    values = [
        f"{_name(name)} ->> '$'" if text else _name(name)
        for (name, _), text in zip(columns, mixed, strict=True)
    ]
    _copy(connection, source, values, [name for name, _ in columns], path)
    return mixed


def _described(connection: duckdb.DuckDBPyConnection, source: str) -> list[tuple[str, str]]:
    rows = connection.execute(f"DESCRIBE FROM {source}").fetchall()
    return [(row[0], row[1]) for row in rows]


def _copy(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    values: Sequence[str],
    names: Sequence[str],
    path: str,
) -> None:
    selected = ", ".join(
        f"{value} AS {_name(name)}" for value, name in zip(values, table_names(names), strict=True)
    )
    target = os.path.join(os.path.dirname(path), TABLE)
    connection.execute(
        f"COPY (SELECT {selected} FROM {source}) TO {_text(target)}"  # noqa: S608 - quoted
        " (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)"
    )


def _redacted(error: duckdb.Error) -> ReaderError:
    """Return an error without the line that DuckDB quotes."""
    message = str(error)
    found = _LINE.search(message)
    where = f" in line {found[1] or found[2]}" if found else ""
    if "nvalid unicode" in message or "not utf-8" in message:
        return ReaderError(error, f"The source is not utf-8{where}. Give the option encoding.")
    return ReaderError(error, f"The source is not valid ndjson{where}.")


def _memory_bytes() -> int:
    """Return how much memory DuckDB may use of what the container has."""
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            limit = int(file.read())
    except (OSError, ValueError):
        limit = _DEFAULT_MEMORY_BYTES
    return max(_MIN_MEMORY_BYTES, int(limit * _MEMORY_SHARE))


def scratch_bytes(scratch: str) -> int:
    """Return how much DuckDB may write to the scratch directory, which others write to as well.

    Kubernetes evicts a Pod that writes more than its class allows, whatever room the disk has.
    """
    limit = os.environ.get("ASSAY_SCRATCH_BYTES", "")
    most = int(limit) if limit.isdecimal() else 0
    return (most or shutil.disk_usage(scratch).free) // 5 * 4


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
