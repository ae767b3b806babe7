"""Reports why a source could not be read, without quoting its content.

Messages of pandas can contain cells. Only messages that are known to contain nothing but numbers,
options and syntax are passed on. Any other is replaced by its type and, if known, its position.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from typing import Any

import pandas as pd
import pyarrow as pa

from assay_runner.options import Options
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.encoding import encoding_of, not_decodable, proposals
from assay_runner.snapshot_files import read_source

_CHUNK_BYTES = 1024 * 1024
_MAX_JSON_SEARCH_BYTES = 64 * 1024 * 1024

_SAFE_MESSAGE = re.compile(
    "|".join(
        (
            # Delimited text
            r"No columns to parse from file",
            r"Expected \d+ fields in line \d+, saw \d+(\. Error could possibly be due to quotes"
            r" being ignored when a multi-char delimiter is used\.)?",
            r"EOF inside string starting at row \d+",
            r"Buffer overflow caught - possible malformed input file\.",
            r"out of memory",
            r"Passed header=\d+ but only \d+ lines in file",
            r"Number of passed names did not match number of header fields in the file",
            r"Duplicate names are not allowed\.",
            r"Integer column has NA values in column \d+",
            r"cannot safely convert passed user dtype of \w+ for \w+ dtyped data in column \d+",
            r"list index out of range",
            r"UTF-(16|32) stream does not start with BOM",
            # Options, as the job has them
            r"Usecols do not match columns, columns expected but not found: \[.*\]"
            r"( \(sheet: .*\))?",
            r"Missing column provided to 'parse_dates': .*",
            r"Index .* invalid( \(sheet: .*\))?",
            r"The '?\w+'? option is not supported with the '\w+' engine",
            # JSON
            r"Expected object or value",
            r"Trailing data",
            r"Value is too (big|small)!?",
            r"Unexpected character found when decoding [\w' ]+( \(\d\))?",
            r"Unexpected character in unicode escape sequence when decoding 'string'",
            r"Unterminated unicode escape sequence when decoding 'string'",
            r"Unrecognized escape sequence when decoding 'string'",
            r"Unmatched ''\"' when when decoding 'string'",
            r"No ':' found when decoding object value",
            r"Key name of object must be 'string' when decoding 'object'",
            r"Reached object decoding depth limit",
            r"If using all scalar values, you must pass an index",
            r"All arrays must be of the same length",
            r"Mixing dicts with non-Series may lead to ambiguous ordering\.",
            r"DataFrame constructor not properly called!",
            # Arrow
            r"Parquet magic bytes not found in footer\. Either the file is corrupted or this is not"
            r" a parquet file\.",
            r"Parquet file size is \d+ bytes(, smaller than the minimum file footer.*)?",
            r"No match for FieldRef\.Name\(.*\)",
            r"Field named .* is not found",
            r"Parquet schema too deeply nested, .*\(current limit is \d+\)",
            r"Not a Feather V1 or Arrow IPC file",
            r"Not an Arrow file",
            r"File is too small(: \d+| to be a well-formed file)",
            # Workbooks
            r"File is not a zip file",
            r"Worksheet named .* not found",
            r"Worksheet index \d+ is invalid, \d+ worksheets found",
        )
    )
)
_PREFIXES = re.compile(
    r"(Error tokenizing data\. )?C error: |Could not open Parquet input source '<Buffer>': "
)
# With these options, the value that is read differs from the text of the cell.
_PARSING_OPTIONS = {"thousands", "decimal", "true_values", "false_values"}
_SCHEMA = re.compile(r"(No match for FieldRef\.Name\([^\n]*\)) in .*", re.DOTALL)
_DAMAGED = re.compile(
    r"deserializ|thrift|corrupt|page header|unexpected end of stream|smaller than indicated"
    r"|truncated|bytes, got|metadata",
    re.IGNORECASE,
)


# What is often taken for text, by its first bytes.
_OTHER_FORMATS = {
    b"\x1f\x8b": "it is compressed with gzip, so load it with the compression gzip",
    b"PK\3\4": "it is a zip archive or a workbook, so load it with the compression zip, or with"
    " the format excel",
    b"PAR1": "it is a Parquet file, so load it with the format parquet",
}


def redact(error: Exception, path: str, source_format: str, options: Options) -> ReaderError:
    """Return the error to report instead of the one that pandas raised.

    Args:
        error: the exception that pandas raised.
        path: path of the source.
        source_format: its format.
        options: the options that pandas was given.
    """
    if source_format in ("csv", "tsv") and isinstance(error, pa.ArrowInvalid):
        # Arrow has several messages for bytes that are no text.
        error = _decoding_error(path, options) or error
    return ReaderError(error, _message(error, path, source_format, options))


def _decoding_error(path: str, options: Options) -> UnicodeDecodeError | None:
    encoding = encoding_of(path, options.get("encoding"))
    offset, _ = _first_undecodable(path, encoding)
    return None if offset is None else not_decodable(encoding)


def _message(error: Exception, path: str, source_format: str, options: Options) -> str:
    if isinstance(error, MemoryError):
        return "The source needs more memory than is available."
    if isinstance(error, re.error):
        return f"The option sep is not a valid regular expression: {error}."
    if isinstance(error, UnicodeDecodeError):
        return _undecodable(path, source_format, options)
    if source_format in ("csv", "tsv", "excel") and options.get("dtype"):
        place = _dtype_mismatch(path, source_format, options)
        if place is not None:
            return place
    text = _SCHEMA.sub(r"\1", _PREFIXES.sub("", str(error).strip()))
    if _SAFE_MESSAGE.fullmatch(text):
        return text + _json_place(path, source_format, options)
    if text.startswith("Multiple matches for FieldRef"):
        return "Two columns have the same name."
    if source_format in ("parquet", "feather") and _DAMAGED.search(text):
        return f"The {source_format} file is damaged."
    return (
        f"The source cannot be read as {source_format}. The message of the library may quote the"
        " data and is left out." + _json_place(path, source_format, options)
    )


def _undecodable(path: str, source_format: str, options: Options) -> str:
    with open(path, "rb") as file:
        begin = file.read(4)
    for mark, advice in _OTHER_FORMATS.items():
        if begin.startswith(mark):
            return f"The source is not text: {advice}."
    encoding = options.get("encoding", "utf-8")
    offset, line = _first_undecodable(path, encoding)
    where = "" if offset is None else f" at byte {offset}, in line {line}"
    found = [name for name in proposals(path) if name != encoding]
    further = f": {' or '.join(found)} reads all of it." if found else "."
    return f"The source is not {encoding}{where}. Give the option encoding{further}"


def _first_undecodable(path: str, encoding: str) -> tuple[int | None, int]:
    """Return the first invalid byte's offset (from 0), None if there is none, and line (from 1)."""
    decoder = codecs.getincrementaldecoder(encoding)()
    read = 0
    line = 1
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                start = max(error.start - pending, 0)
                return read + error.start - pending, line + chunk[:start].count(b"\n")
            read += len(chunk)
            line += chunk.count(b"\n")
    return None, line


def _dtype_mismatch(path: str, source_format: str, options: Options) -> str | None:
    """Return a message with the column and row of the first cell that does not fit its `dtype`."""
    if _PARSING_OPTIONS & options.keys():
        return None
    dtypes: dict[str, str] = options["dtype"]
    try:
        as_text = {**options, "dtype": dict.fromkeys(dtypes, "str")}
        frame = read_source(path, source_format, as_text)
    except Exception:
        return None
    for column, dtype in dtypes.items():
        if column in frame.columns:
            for row, value in enumerate(frame[column].array, start=1):
                if not _fits(value, dtype):
                    return f"The column {column!r} is not {dtype}: see row {row} of the data."
    return None


def _fits(value: Any, dtype: str) -> bool:  # noqa: ANN401 - text, or one of pandas' missing values
    if pd.isna(value):
        return "int" not in dtype and dtype != "bool"
    try:
        if "float" in dtype.lower():
            float(value)
        elif dtype.startswith(("I", "UI")):
            return float(value).is_integer()
        elif "int" in dtype:
            return -(2**63) <= int(value) < 2**64
    except (ValueError, OverflowError):
        return False
    return "bool" not in dtype or value.lower() in ("true", "false")


def _json_place(path: str, source_format: str, options: Options) -> str:
    """Return the position of the first JSON syntax error, to append to a message; else empty."""
    lines = source_format == "ndjson" or options.get("lines") is True
    if source_format not in ("json", "ndjson") or os.path.getsize(path) > _MAX_JSON_SEARCH_BYTES:
        return ""
    try:
        with open(path, encoding=options.get("encoding", "utf-8")) as file:
            if not lines:
                return _place(file.read(), 0)
            for number, line in enumerate(file):
                place = _place(line.rstrip("\r\n"), number) if line.strip() else ""
                if place:
                    return place
    except (OSError, ValueError):
        pass
    return ""


def _place(text: str, lines_before: int) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f" (line {lines_before + error.lineno}, column {error.colno})"
    except RecursionError:
        return ""
    return ""
