"""Runs the script of a query, and keeps its value."""

from __future__ import annotations
import __future__

import ast
import sys
import time
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, NamedTuple, NoReturn

import pandas as pd

from assay_runner.frames import Message
from assay_runner.worker.ending import ScriptEnd, exit_code
from assay_runner.worker.query.binding import Bound
from assay_runner.worker.query.failures import code_of, failure_text
from assay_runner.worker.query.outputs import Outputs
from assay_runner.worker.query.results import as_table, is_cheap
from assay_runner.worker.query.table import ResultError, Table
from assay_runner.worker.query.value import value_text, with_members

_RESULT = "result"
_STOPPED = "The code was stopped: this is what result was then"
_NO_VALUE = "the query has no value: end it with an expression, or assign it to result"


class _Script(NamedTuple):
    statements: CodeType
    expression: CodeType | None
    last_line: int | None


class Query:
    """A query, which CPython has as its script.

    CPython compiles the script and reports that it is about to run it; this runs it then, with the
    last expression apart, whose value CPython would drop. So everything else is as in any script:
    its path, its lines in tracebacks, its exit code, its threads.

    Args:
        script: path of the script.
        code: its text.
        bound: the datasets that it uses.
        known: the variables of all datasets of the job.
        outputs: writes the files of the result.
        shown: returns a text of an error as the caller is shown it.
        warnings: what the caller is told beside the value.
        value_required: whether it is an error to return nothing.
    """

    def __init__(
        self,
        script: str,
        code: str,
        bound: Bound,
        known: Iterable[str],
        outputs: Outputs,
        shown: Callable[[str], str],
        warnings: tuple[str, ...] = (),
        *,
        value_required: bool,
    ) -> None:
        self._script = script
        self._code = code
        self._rows = bound.rows
        # Those that the code does not name are not bound, but are what a misspelt one may mean.
        self._known = dict.fromkeys(known)
        self._outputs = outputs
        self._shown = shown
        self._warnings = warnings
        self._value_required = value_required
        self._value: str | None = None
        self._value_line: int | None = None
        self._began_at = 0.0
        self._has_succeeded = False

    def expect(self, end: ScriptEnd) -> None:
        """Run the script when CPython is about to."""
        end.explain = self.explain
        end.value = lambda: self._value
        end.query_succeeded = lambda: self._has_succeeded
        waiting = True

        def on_event(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal waiting
            if waiting and event == "exec" and _file(arguments) == self._script:
                waiting = False
                self._run()

        # Code may trace its own execution.
        on_event.__cantrace__ = True  # type: ignore[attr-defined]
        sys.addaudithook(on_event)

    def partial(self) -> str | None:
        """Return what there is of a value before the end, if that takes no time."""
        if self._value is not None:
            return self._value
        result = _names().get(_RESULT)
        if result is None or not is_cheap(result):
            return None
        table = self._table(result)
        table = table._replace(warnings=(*table.warnings, _STOPPED))
        return self._text(table, engine_ms=self._elapsed_ms(), summary=False)

    def explain(self, error: BaseException, message: Message) -> str:
        """Add the code of an error and its line to its message; return the value of the failure."""
        message["code"] = code_of(error)
        # Polars adds its plan, which the traceback has too.
        message["message"] = self._shown(message["message"].partition("\n\nResolved plan")[0])
        if message["traceback"] is not None:
            message["traceback"] = self._shown(message["traceback"])
        if message["line"] is None:
            message["line"] = self._value_line
        names = {**self._known, **_names()}
        return failure_text(error, self._script, self._code, names, message["line"])

    def _run(self) -> NoReturn:
        script = self._compile()
        names = _names()
        value = None
        end = SystemExit()
        self._began_at = time.monotonic()
        try:
            exec(script.statements, names)  # noqa: S102 - as CPython would
            if script.expression is not None:
                value = eval(script.expression, names)  # noqa: S307
        except SystemExit as error:
            if exit_code(error.code):
                raise
            end = error
        self._value_line = script.last_line
        value = names.get(_RESULT, value)
        if value is not None:
            self._value = self._written(self._table(value))
        elif self._value_required:
            raise ResultError(_NO_VALUE)
        self._has_succeeded = True
        raise end

    def _table(self, value: object) -> Table:
        named = list(_names().values())
        frames = [len(found) for found in named if isinstance(found, (pd.DataFrame, pd.Series))]
        return as_table(value, max([self._rows, *frames]))

    def _written(self, table: Table) -> str:
        elapsed = self._elapsed_ms()
        # What there is if time runs out while files are written.
        self._value = self._text(table, engine_ms=elapsed)
        members, warnings = self._outputs.write(table)
        if warnings:
            table = table._replace(warnings=(*table.warnings, *warnings))
            self._value = self._text(table, engine_ms=elapsed)
        return with_members(self._value, members)

    def _text(self, table: Table, *, engine_ms: int, summary: bool = True) -> str:
        table = table._replace(warnings=(*self._warnings, *table.warnings))
        return value_text(table, engine_ms=engine_ms, rows_scanned=self._rows, summary=summary)

    def _elapsed_ms(self) -> int:
        return round((time.monotonic() - self._began_at) * 1000)

    def _compile(self) -> _Script:
        with open(self._script, "rb") as file:
            tree = ast.parse(file.read(), self._script)
        last = tree.body[-1] if tree.body else None
        expression = tree.body.pop() if isinstance(last, ast.Expr) else None
        statements = compile(tree, self._script, "exec", dont_inherit=True)
        compiled = None
        if isinstance(expression, ast.Expr):
            body = ast.Expression(expression.value)
            compiled = compile(
                body, self._script, "eval", statements.co_flags & _FUTURE_FLAGS, dont_inherit=True
            )
        return _Script(statements, compiled, None if last is None else last.lineno)


def _future_flags() -> int:
    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


_FUTURE_FLAGS = _future_flags()


def _names() -> dict[str, Any]:
    return vars(sys.modules["__main__"])


def _file(arguments: tuple[Any, ...]) -> object:
    return getattr(arguments[0], "co_filename", None) if arguments else None
