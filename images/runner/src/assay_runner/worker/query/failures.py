"""Describes errors of queries so that the next call can be corrected."""

from __future__ import annotations

import contextlib
import difflib
import itertools
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from assay_runner.snapshot_loading import NoFrameError
from assay_runner.worker.query.cells import dumps, encodable
from assay_runner.worker.query.table import ResultError

_QUOTED = re.compile(r'unable to find column "([^"]+)"|^"([^"]+)" not found|\[\'([^\']+)\'')
# The front end has the first for scripts of Python, which may do without a value.
_VALUES = "A result is a table, a list, a dict or a scalar, such as: result = df.head()"
_NO_FRAME = "Query it with query_type sql or polars_expr, which read its table"
_MAX_LISTED = 20
_MAX_LOOKED_AT = 64
_MAX_NAME_CHARACTERS = 128
_MAX_LINE_CHARACTERS = 200


class Position(NamedTuple):
    """A place in the code, counted from 1."""

    line: int
    column: int | None


def code_of(error: BaseException) -> str:
    """Return the code of an error, as callers know it."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "MemoryError" in kinds:
        return "MEMORY_ERROR"
    if "FileNotFoundError" in kinds:
        return "FILE_NOT_FOUND"
    if "SnapshotError" in kinds:
        return "SCHEMA_ERROR"
    return "ENGINE_ERROR" if "PanicException" in kinds else "QUERY_ERROR"


def failure_text(
    error: BaseException, script: str, code: str, names: Mapping[str, Any], line: int | None
) -> str:
    """Return the value of a failed query as JSON.

    Args:
        error: what ended the code.
        script: path of the script.
        code: its text.
        names: the variables of the script.
        line: where the code gave its result, for errors of computing that.
    """
    position = _position(error, script) or (None if line is None else Position(line, None))
    failure: dict[str, object] = {
        "suggestions": [encodable(text) for text in _suggestions(error, names, position)]
    }
    if position is not None:
        failure |= {"line": position.line, "column": position.column}
        failure["context"] = _context(code, position)
    if isinstance(error, NameError) and isinstance(error.name, str):
        failure["missingName"] = encodable(error.name[:_MAX_NAME_CHARACTERS])
    return dumps({"failure": failure})


def _position(error: BaseException, script: str) -> Position | None:
    found = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == script:
            positions = trace.tb_frame.f_code.co_positions()
            at = next(itertools.islice(positions, trace.tb_lasti // 2, None), None)
            column = None if at is None or at[2] is None else at[2] + 1
            found = Position(trace.tb_lineno, column)
        trace = trace.tb_next
    if found is None and isinstance(error, SyntaxError) and error.lineno:
        found = Position(error.lineno, error.offset or None)
    return found


def _context(code: str, position: Position) -> str | None:
    lines = code.split("\n")
    if not 0 < position.line <= len(lines):
        return None
    line = encodable(lines[position.line - 1].rstrip("\r")[:_MAX_LINE_CHARACTERS])
    if position.column is None or position.column > len(line) + 1:
        return line
    return f"{line}\n{' ' * (position.column - 1)}^"


def _suggestions(
    error: BaseException, names: Mapping[str, Any], position: Position | None
) -> list[str]:
    """Return what to do next, from near names where there are some."""
    if near := _advice(error, names):
        return near
    if isinstance(error, ResultError):
        return [_VALUES]
    if isinstance(error, NoFrameError):
        return [_NO_FRAME]
    if isinstance(error, ImportError):
        return ["describe_runtime lists the packages that can be imported"]
    if code_of(error) != "QUERY_ERROR":
        return []
    what = "the syntax of " if isinstance(error, SyntaxError) else ""
    place = "the query" if position is None else f"line {position.line}"
    return [f"Correct {what}{place} and call again"]


def _advice(error: BaseException, names: Mapping[str, Any]) -> list[str]:
    # Every value may be an object of the user.
    with contextlib.suppress(Exception):
        if isinstance(error, NameError) and error.name:
            return _near(error.name, names.keys(), "variables", listed=False)
        if isinstance(error, FileNotFoundError):
            name = os.path.basename(str(error.filename or error).rpartition(": ")[2])
            files = [file for file in os.listdir(".") if file != "main.py"]
            return _near(name, files, "files")
        if isinstance(error, AttributeError) and error.name:
            known = [*_columns([error.obj]), *_methods(error.obj)]
            return _near(error.name, known, "columns", listed=False)
        missing = _missing_column(error)
        if missing is not None:
            return _near(missing, _columns(names.values()), "columns")
    return []


def _missing_column(error: BaseException) -> str | None:
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if not kinds & {"KeyError", "ColumnNotFoundError"}:
        return None
    first = error.args[0] if error.args else None
    match = _QUOTED.search(str(first))
    if match:
        return next(group for group in match.groups() if group)
    return first if isinstance(first, str) else None


def _near(name: str, known: Iterable[str], kind: str, *, listed: bool = True) -> list[str]:
    by_lower: dict[str, str] = {}
    for candidate in known:
        by_lower.setdefault(candidate.lower(), candidate[:_MAX_NAME_CHARACTERS])
    found = difflib.get_close_matches(name.lower()[:_MAX_NAME_CHARACTERS], by_lower, 3)
    if found:
        return [f"Did you mean {' or '.join(repr(by_lower[match]) for match in found)}?"]
    if not listed or not by_lower:
        return []
    shown = list(by_lower.values())
    more = ", …" if len(shown) > _MAX_LISTED else ""
    return [f"The {kind} are {', '.join(map(repr, shown[:_MAX_LISTED]))}{more}"]


def _methods(value: object) -> list[str]:
    """Return what else the name of an attribute may have meant, of a frame or an expression."""
    if not type(value).__module__.startswith(("pandas", "polars")):
        return []
    return [name for name in dir(type(value)) if not name.startswith("_")]


def _columns(values: Iterable[object]) -> list[str]:
    found: list[str] = []
    for value in itertools.islice((v for v in values if _is_frame(v)), _MAX_LOOKED_AT):
        with contextlib.suppress(Exception):
            frame: Any = value
            lazy = type(frame).__name__ == "LazyFrame"
            found += map(str, frame.collect_schema().names() if lazy else frame.columns)
    return found


def _is_frame(value: object) -> bool:
    kind = type(value)
    return kind.__name__ in ("DataFrame", "LazyFrame") and kind.__module__.startswith(
        ("pandas", "polars")
    )
