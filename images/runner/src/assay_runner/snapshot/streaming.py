"""Turns delimited text and JSON lines of any size into the table of a snapshot, in bounded memory.

A source is read twice: types are inferred from all of it, so that no value late in the file can be
of another type than its column, and then it is written. Delimited text is read by DuckDB.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay_runner.options import OptionRefusedError, Options
from assay_runner.snapshot.error_redaction import ReaderError
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.reading.records_streaming import write_records
from assay_runner.snapshot.table_names import table_names
from assay_runner.snapshot_files import TABLE

if TYPE_CHECKING:
    import duckdb

OPTIONS = ("sep", "delimiter", "quotechar", "decimal", "header", "names", "na_values", "encoding")
"""Options of delimited text that are accepted without a frame."""

_ENCODINGS = {"utf-8": "utf-8", "utf8": "utf-8", "latin-1": "latin-1", "iso-8859-1": "latin-1"}
# What pandas reads as a missing value.
_MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
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
    encoding = options.get("encoding", "utf-8")
    if encoding.lower().replace("_", "-") not in _ENCODINGS:
        raise OptionRefusedError("Without a frame, the option encoding must be utf-8 or latin-1.")
    if options.get("header", 0) not in (0, None):
        raise OptionRefusedError("Without a frame, the option header must be 0 or null.")


def write_streaming(
    path: str, source_format: str, options: Options, limits: Limits, scratch: str
) -> list[bool]:
    """Write `frame.parquet` beside the source and return which columns are text for want of a type.

    Args:
        path: the source.
        source_format: `csv`, `tsv` or `ndjson`.
        options: its options, which have been checked.
        limits: limits of the source.
        scratch: a directory for what does not fit into memory.

    Raises:
        ReaderError: if the source is malformed.
        LimitExceededError: if it has too many columns.
    """
    if source_format == "ndjson":
        return _write_lines(path, options, limits)
    # Most sources do not need it.
    import duckdb

    directory = os.path.dirname(path)
    with duckdb.connect() as connection:
        _confine(connection, directory, scratch)
        try:
            return _write_delimited(connection, path, source_format, options, limits)
        except duckdb.OutOfMemoryException:
            raise ReaderError(
                MemoryError(),
                "The source needs more memory or temporary disk space than is available.",
            ) from None
        except duckdb.Error as error:
            raise _redacted(error, source_format) from None


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


def _write_delimited(
    connection: duckdb.DuckDBPyConnection,
    path: str,
    source_format: str,
    options: Options,
    limits: Limits,
) -> list[bool]:
    source = f"read_csv({_text(path)}, {_reader(source_format, options)})"
    columns = _described(connection, source)
    limits.check_columns(len(columns))
    decimal = options.get("decimal", ".")
    cells = [
        f"replace({_name(name)}, {_text(decimal)}, '.')" if decimal != "." else _name(name)
        for name, _ in columns
    ]
    tests = ", ".join(_tests(cell) for cell in cells)
    inferred = f"SELECT {tests} FROM {source}"  # noqa: S608 - quoted
    seen = connection.execute(inferred).fetchone() or ()
    types = [_type(seen[i : i + _TESTS]) for i in range(0, len(seen), _TESTS)]
    values = [
        _name(name) if kind == "VARCHAR" else f"CAST({cell} AS {kind})"
        for (name, _), cell, kind in zip(columns, cells, types, strict=True)
    ]
    _copy(connection, source, values, [name for name, _ in columns], path)
    return [False] * len(columns)


def _reader(source_format: str, options: Options) -> str:
    separator = options.get(
        "sep", options.get("delimiter", "\t" if source_format == "tsv" else ",")
    )
    quote = options.get("quotechar", '"')
    missing = [*_MISSING, *options.get("na_values", ())]
    names: Sequence[str] | None = options.get("names")
    header = options.get("header", None if names else 0) is not None
    settings = {
        "delim": _text(separator),
        "quote": _text(quote),
        "escape": _text(quote),
        "comment": "''",
        "skip": "0",
        "header": str(header).lower(),
        "nullstr": f"[{', '.join(map(_text, missing))}]",
        "encoding": _text(_ENCODINGS[options.get("encoding", "utf-8").lower().replace("_", "-")]),
        "all_varchar": "true",
        "strict_mode": "true",
    }
    if names:
        settings["names"] = f"[{', '.join(map(_text, names))}]"
    return ", ".join(f"{name} = {value}" for name, value in settings.items())


_TESTS = 5


def _tests(cell: str) -> str:
    """Return expressions that say what all values of a column are."""
    whole = f"regexp_full_match({cell}, ' *[+-]?[0-9]+ *')"
    return ", ".join(
        (
            f"count({cell}) = 0",
            f"bool_and({whole} AND TRY_CAST({cell} AS BIGINT) IS NOT NULL)"
            f" FILTER ({cell} IS NOT NULL)",
            f"bool_and({whole}) FILTER ({cell} IS NOT NULL)",
            f"bool_and(TRY_CAST({cell} AS DOUBLE) IS NOT NULL AND NOT contains({cell}, '_'))"
            f" FILTER ({cell} IS NOT NULL)",
            f"bool_and({cell} IN ('True', 'TRUE', 'true', 'False', 'FALSE', 'false'))"
            f" FILTER ({cell} IS NOT NULL)",
        )
    )


def _type(seen: Sequence[Any]) -> str:
    empty, integer, whole, number, truth = seen
    if empty:
        return "DOUBLE"  # As pandas reads a column without values.
    if integer:
        return "BIGINT"
    if whole:
        return "VARCHAR"  # A double would lose digits.
    return "DOUBLE" if number else "BOOLEAN" if truth else "VARCHAR"


def _write_lines(path: str, options: Options, limits: Limits) -> list[bool]:
    target = os.path.join(os.path.dirname(path), TABLE)
    columns = write_records(path, options, limits, target).columns
    if not columns:
        raise ReaderError(ValueError(), "The source has no rows.")
    return [column.as_text for column in columns]


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


def _redacted(error: duckdb.Error, source_format: str) -> ReaderError:
    """Return an error without the line that DuckDB quotes."""
    message = str(error)
    found = _LINE.search(message)
    where = f" in line {found[1] or found[2]}" if found else ""
    if "nvalid unicode" in message or "not utf-8" in message:
        return ReaderError(error, f"The source is not utf-8{where}. Give the option encoding.")
    return ReaderError(error, f"The source is not valid {source_format}{where}.")


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
