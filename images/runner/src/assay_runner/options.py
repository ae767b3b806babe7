"""The formats of a dataset's source, and the pandas options that each of them accepts.

This table is the only one: options are checked against it before pandas sees them, error messages
are built from it, and a test compares the documentation with it.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Options = Mapping[str, Any]

DTYPES = (
    *("bool", "boolean", "category", "str", "string"),
    *("int8", "int16", "int32", "int64", "Int8", "Int16", "Int32", "Int64"),
    *("uint8", "uint16", "uint32", "uint64", "UInt8", "UInt16", "UInt32", "UInt64"),
    *("float32", "float64", "Float32", "Float64"),
)
"""Types that a column may be read as; not `object`, which says nothing about the values."""

ORIENTS = ("split", "records", "index", "columns", "values", "table")

_MAX_TEXT = 256
_MAX_ITEMS = 10_000
_MAX_NUMBER = 2**31 - 1


class OptionRefusedError(Exception):
    """An option is unknown for the format or has an invalid value; the message says which."""


class Kind(NamedTuple):
    """What an option's value may be.

    Attributes:
        description: the accepted values in words, to follow "must be".
        accepts: returns whether a JSON value is accepted.
    """

    description: str
    accepts: Callable[[Any], bool]

    def __or__(self, other: Kind) -> Kind:
        """Return a kind that accepts the values of both."""
        return Kind(
            f"{self.description} or {other.description}",
            lambda v: self.accepts(v) or other.accepts(v),
        )


def _one_of(words: tuple[str, ...]) -> Kind:
    return Kind(f"one of {', '.join(words)}", lambda value: value in words)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_ITEMS and all(map(_is_text, value))


def _is_encoding(value: object) -> bool:
    try:
        # `rot13`, `zip` and the like are codecs too, but not text encodings.
        return isinstance(value, str) and codecs.lookup(value)._is_text_encoding
    except (LookupError, ValueError):
        return False


def _is_dtypes(value: object) -> bool:
    return (
        isinstance(value, dict)
        and len(value) <= _MAX_ITEMS
        and all(isinstance(dtype, str) and dtype in DTYPES for dtype in value.values())
    )


_NULL = Kind("null", lambda value: value is None)
_FLAG = Kind("true or false", lambda value: isinstance(value, bool))
_TEXT = Kind(f"text of at most {_MAX_TEXT} characters", _is_text)
_SEPARATOR = Kind("text of 1 to 64 characters", lambda v: isinstance(v, str) and 0 < len(v) <= 64)
_CHARACTER = Kind("one character", lambda value: isinstance(value, str) and len(value) == 1)
_TEXTS = Kind(f"a list of at most {_MAX_ITEMS} texts of at most {_MAX_TEXT} characters", _is_texts)
_COUNT = Kind(
    f"a whole number from 0 to {_MAX_NUMBER}",
    lambda value: type(value) is int and 0 <= value <= _MAX_NUMBER,
)
_LINES = Kind(
    f"a list of at most {_MAX_ITEMS} numbers of lines, from 0",
    lambda value: (
        isinstance(value, list)
        and len(value) <= _MAX_ITEMS
        and all(type(line) is int and 0 <= line <= _MAX_NUMBER for line in value)
    ),
)
_ENCODING = Kind("the name of a text encoding that Python knows", _is_encoding)
_DTYPES = Kind(
    f"an object of column names and types, each {_one_of(DTYPES).description}", _is_dtypes
)

_DELIMITED: Mapping[str, Kind] = {
    "sep": _SEPARATOR,
    "delimiter": _SEPARATOR,
    "encoding": _ENCODING,
    "encoding_errors": _one_of(("strict", "replace", "ignore", "backslashreplace")),
    "header": _COUNT | _NULL,
    "names": _TEXTS,
    "index_col": _COUNT | _TEXT | _NULL,
    "usecols": _TEXTS,
    "dtype": _DTYPES,
    "parse_dates": _TEXTS,
    "date_format": _TEXT,
    "dayfirst": _FLAG,
    "na_values": _TEXTS,
    "keep_default_na": _FLAG,
    "thousands": _CHARACTER,
    "decimal": _CHARACTER,
    "quotechar": _CHARACTER,
    "escapechar": _CHARACTER,
    "comment": _CHARACTER,
    "skiprows": _COUNT | _LINES,
    "skipfooter": _COUNT,
    "nrows": _COUNT,
    "skipinitialspace": _FLAG,
    "true_values": _TEXTS,
    "false_values": _TEXTS,
    "low_memory": _FLAG,
    "on_bad_lines": _one_of(("error", "warn", "skip")),
}
_JSON: Mapping[str, Kind] = {
    "orient": _one_of(ORIENTS),
    "dtype": _FLAG | _DTYPES,
    "convert_dates": _FLAG | _TEXTS,
    "encoding": _ENCODING,
}
_COLUMNS: Mapping[str, Kind] = {"columns": _TEXTS}
# Read by pandas itself, whatever that changes.
_TYPES: Mapping[str, Kind] = {"types": Kind("the word pandas", lambda value: value == "pandas")}

OPTIONS: Mapping[str, Mapping[str, Kind]] = {
    "csv": {**_DELIMITED, **_TYPES},
    "tsv": {**_DELIMITED, **_TYPES},
    "json": {**_JSON, "lines": _FLAG, **_TYPES},
    "ndjson": {**_JSON, **_TYPES},
    "parquet": {**_COLUMNS, **_TYPES},
    "feather": {**_COLUMNS, **_TYPES},
    "excel": {
        "sheet_name": _COUNT | _TEXT,
        "skiprows": _COUNT | _LINES,
        **{
            name: _DELIMITED[name]
            for name in (
                *("header", "names", "usecols", "dtype"),
                *("parse_dates", "na_values", "nrows", "skipfooter"),
            )
        },
        **_TYPES,
    },
}
"""The options of each format by name."""

FORMATS = tuple(OPTIONS)


def check(source_format: str, options: Options) -> None:
    """Check that the format accepts these options.

    Raises:
        OptionRefusedError: if an option is unknown, invalid or given twice.
    """
    known = OPTIONS.get(source_format)
    if known is None:
        raise OptionRefusedError(
            f"The format must be one of {', '.join(FORMATS)}, not {source_format[:64]!r}."
        )
    for name, value in options.items():
        kind = known.get(name)
        if kind is None:
            raise OptionRefusedError(
                f"The format {source_format} has no option {name[:64]!r}; "
                f"it takes {', '.join(known)}."
            )
        if not kind.accepts(value):
            raise OptionRefusedError(f"The option {name} must be {kind.description}.")
    if {"sep", "delimiter"} <= options.keys():
        raise OptionRefusedError("The options sep and delimiter are the same; give one of them.")
    names = options.get("names", ())
    if len(set(names)) < len(names):
        raise OptionRefusedError("The option names has a name twice; names must differ.")
    if options.get("usecols") == []:
        raise OptionRefusedError("The option usecols is empty; name at least one column.")


def arguments(source_format: str, options: Options) -> dict[str, Any]:
    """Return the keyword arguments of pandas' reader for a format and options.

    The caller must have checked the options.
    """
    given = {name: value for name, value in options.items() if name != "types"}
    if "skipfooter" in given and source_format in ("csv", "tsv"):
        given["engine"] = "python"
    if "delimiter" in given:
        given["sep"] = given.pop("delimiter")
    if source_format == "tsv":
        given.setdefault("sep", "\t")
    elif source_format == "ndjson":
        given["lines"] = True
    elif source_format == "excel":
        given["engine"] = "openpyxl"
    return given
