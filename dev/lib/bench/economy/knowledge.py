"""What an agent has been told, and what a text takes for granted.

A policy must not know more than its agent. Each name and value in a call has to occur in the task,
in the listing of the tools, or in an earlier reply; words of SQL and Python are excepted.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

import duckdb

from bench.economy import javascript

_WORD = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
# Those that a language needs whatever the data is: counting, halves of shares, percent.
_OWN_NUMBERS = {0.0, 1.0, 100.0}
# Texts of scripts that are SQL, or a part of it.
_SQL = re.compile(r"\b(?:SELECT|FROM|USING|GROUP BY|ORDER BY)\b")
_TIME_FORMAT = re.compile(r"(?:%[A-Za-z]|[^\w%])+")

# Columns of DuckDB's own catalog and of SUMMARIZE.
_CATALOG = {
    *("information_schema", "table_name", "column_name", "column_type", "data_type"),
    "null_percentage",
}
# Keywords that are no reserved words, and so could be names of columns, in their own places.
_SQL_SYNTAX = {"double", "filter", "last", "nulls", "over", "partition", "preceding", "rows"}
_SQL_TYPES = {"date", "double", "integer", "varchar"}
_KEYWORDS_ALWAYS = {"reserved", "type_function", "column_name"}

_PRELUDE = {"pd", "np", "datasets"}
_LIBRARIES = {"pandas", "numpy", "matplotlib", "sklearn", "scipy"}
# Of libraries that are not imported here.
_VOCABULARY = {"LinearRegression", "linear_model", "fit", "predict", "pyplot", "show", "bar"}
# That functions of pandas take, beside names of columns.
_WORDS_OF_PANDAS = {"coerce", "int64", "max", "min", "size"}


class Known:
    """The words and numbers of all texts that an agent has read."""

    def __init__(self, *texts: str) -> None:
        self._words: set[str] = set()
        self._folded: set[str] = set()
        self._numbers: set[float] = set()
        self._text = ""
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Another text was read."""
        words = _WORD.findall(text)
        self._words.update(words)
        self._folded.update(word.lower() for word in words)
        self._numbers.update(map(float, _NUMBER.findall(text)))
        self._text += "\n" + text.lower()

    def has_phrase(self, phrase: str) -> bool:
        """Whether these words were read one after the other, whatever their case."""
        return re.search(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)", self._text) is not None

    def unknown_names(self, names: Iterable[str]) -> list[str]:
        """Of names of tables, columns or files, those that were not read."""
        return [name for name in names if not self.has_phrase(name)]

    def unknown_in(self, text: str) -> list[str]:
        """The words and numbers of a text that were not read."""
        words = [word for word in _WORD.findall(text) if word.lower() not in self._folded]
        numbers = [number for number in _NUMBER.findall(text) if not self._has_number(number)]
        return [*words, *numbers]

    def unknown_in_sql(self, text: str) -> list[str]:
        """The names and values of SQL that were not read."""
        tokens = _tokens(text)
        defined = _defined(tokens)
        return [
            word.strip('"')
            for position, (kind, word) in enumerate(tokens)
            if not _is_type(tokens, position)
            and not self._is_sql_known(kind, word, _word(tokens, position + 1), defined)
        ]

    def _is_sql_known(self, kind: str, word: str, following: str, defined: set[str]) -> bool:
        if kind == "string_const":
            value = word.strip("'")
            return bool(_TIME_FORMAT.fullmatch(value)) or self.has_phrase(value)
        if kind == "numeric_const":
            return word == "." or self._has_number(word)
        if kind not in ("identifier", "keyword"):
            return True
        name = word.strip('"')
        folded = name.lower()
        if folded in defined or folded in _CATALOG:
            return True
        if kind == "keyword" and folded in _keywords():
            return True
        return (following == "(" and folded in _functions()) or self.has_phrase(name)

    def unknown_in_python(self, text: str) -> list[str]:
        """The names and values of Python that were not read."""
        names = _PythonNames()
        names.visit(ast.parse(text))
        free = names.loaded - names.bound - _PRELUDE - set(dir(builtins))
        words = [name for name in sorted(free) if name not in self._words]
        words += [name for name in sorted(names.attributes) if not self._is_python_known(name)]
        words += self._unknown_in_queries(names.constants)
        for value in names.constants:
            if isinstance(value, str):
                if _SQL.search(value):
                    continue
                if not self._is_python_text_known(value, names.columns):
                    words.append(value)
            elif not self._has_number(str(value)):
                words.append(str(value))
        return words

    def unknown_in_javascript(self, text: str) -> list[str]:
        """The names and values of JavaScript that were not read."""
        found = javascript.words(text)
        unknown = [name for name in found.names if name not in self._words]
        unknown += self._unknown_in_queries(found.texts)
        unknown += [
            value
            for value in found.texts
            if not _SQL.search(value) and _WORD.search(value) and not self.has_phrase(value)
        ]
        return unknown + [number for number in found.numbers if not self._has_number(number)]

    def _unknown_in_queries(self, values: Iterable[object]) -> list[str]:
        """Those of all SQL among the texts of a script, of which several may be one query."""
        queries = [value for value in values if isinstance(value, str) and _SQL.search(value)]
        return self.unknown_in_sql(" ".join(queries)) if queries else []

    def _is_python_known(self, name: str) -> bool:
        return name in self._words or name in _vocabulary()

    def _is_python_text_known(self, value: str, columns: set[str]) -> bool:
        return (
            not _WORD.search(value)
            or bool(_TIME_FORMAT.fullmatch(value))
            or value in columns
            or value in _WORDS_OF_PANDAS
            or self.has_phrase(value)
        )

    def _has_number(self, text: str) -> bool:
        number = float(text)
        return number in _OWN_NUMBERS or number in self._numbers


def is_sql_word(word: str) -> bool:
    """Whether it is a keyword or a function, and so may be written by whoever knows SQL."""
    return word.lower() in _categories() or word.lower() in _functions()


class _PythonNames(ast.NodeVisitor):
    """What a script binds, loads, and contains."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.columns: set[str] = set()
        self.loaded: set[str] = set()
        self.attributes: set[str] = set()
        self.constants: list[str | int | float] = []

    def visit_Name(self, node: ast.Name) -> None:
        names = self.loaded if isinstance(node.ctx, ast.Load) else self.bound
        names.add(node.id)

    def visit_arg(self, node: ast.arg) -> None:
        self.bound.add(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.bound.add(node.name)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.attributes.add(node.attr)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str | int | float) and not isinstance(node.value, bool):
            self.constants.append(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        # The columns that DataFrame.assign makes are named by the script.
        if isinstance(node.func, ast.Attribute) and node.func.attr == "assign":
            self.columns.update(keyword.arg for keyword in node.keywords if keyword.arg)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            self._module(name.name)
            self.bound.add((name.asname or name.name).split(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._module(node.module or "")
        for name in node.names:
            self.attributes.add(name.name)
            self.bound.add(name.asname or name.name)

    def _module(self, name: str) -> None:
        top = name.split(".")[0]
        if top not in _LIBRARIES and top not in sys.stdlib_module_names:
            self.attributes.update(name.split("."))


def _tokens(text: str) -> list[tuple[str, str]]:
    """The kind and the text of each token of SQL, without comments."""
    found = duckdb.tokenize(text)
    ends = [begin for begin, _ in found[1:]] + [len(text)]
    pairs = [
        (str(kind), text[begin:end].strip()) for (begin, kind), end in zip(found, ends, strict=True)
    ]
    return [(kind.rpartition(".")[2], word) for kind, word in pairs if not kind.endswith("comment")]


def _word(tokens: list[tuple[str, str]], position: int) -> str:
    return tokens[position][1] if 0 <= position < len(tokens) else ""


def _is_type(tokens: list[tuple[str, str]], position: int) -> bool:
    """Whether it is that of a CAST."""
    return _word(tokens, position).lower() in _SQL_TYPES and (
        _word(tokens, position - 1).lower() == "as"
    )


def _defined(tokens: list[tuple[str, str]]) -> set[str]:
    """The names that a query gives: what follows AS, and what stands before AS and a bracket."""
    found = set()
    for position, (_, word) in enumerate(tokens):
        if word.lower() != "as" or _is_type(tokens, position + 1):
            continue
        is_before = _word(tokens, position + 1) == "("
        found.add(_word(tokens, position - 1 if is_before else position + 1).strip('"').lower())
    return found


@cache
def _categories() -> dict[str, str]:
    """Of the keywords of SQL."""
    return dict(_rows("SELECT keyword_name, keyword_category FROM duckdb_keywords()"))


@cache
def _keywords() -> frozenset[str]:
    """Those that are no names where they stand."""
    always = {name for name, category in _categories().items() if category in _KEYWORDS_ALWAYS}
    return frozenset(always | _SQL_SYNTAX)


@cache
def _functions() -> frozenset[str]:
    rows = _rows("SELECT DISTINCT function_name FROM duckdb_functions()")
    return frozenset(name for (name,) in rows)


def _rows(query: str) -> list[Any]:
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


@cache
def _vocabulary() -> frozenset[str]:
    """What attributes pandas, NumPy, json and the types of Python have."""
    import numpy as np
    import pandas as pd
    from pandas.plotting import PlotAccessor

    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    groups = frame.groupby("b")
    times = pd.Series(pd.to_datetime(["2000-01-01"]))
    owners: list[object] = [
        *(pd, np, frame, times, frame["b"].str, times.dt, groups, groups["a"]),
        *(
            frame["a"].rolling(2),
            frame.index,
            np.zeros(1),
            PlotAccessor,
            dict,
            json,
            list,
            set,
            str,
        ),
    ]
    return frozenset(name for owner in owners for name in dir(owner)) | _VOCABULARY
