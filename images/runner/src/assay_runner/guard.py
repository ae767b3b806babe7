"""Refuses code that does what code mode does not offer, before its first instruction.

This is advice for those who write code, in time to correct it. It is no border: code can reach any
module through those that are allowed. The border is the Pod.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import operator
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from assay_runner.parsable import fault
from assay_runner.scopes import BINDING, names_of_builtins

ALLOWED_MODULES = frozenset(
    {
        *("__future__", "collections", "copy", "csv", "dataclasses", "datetime", "decimal"),
        *("duckdb", "functools", "io", "itertools", "json", "math", "matplotlib", "numpy"),
        *("orchestrator", "pandas", "pathlib", "plotly", "polars", "random", "re", "scipy"),
        *("seaborn", "sklearn", "statistics", "time", "typing", "warnings"),
    }
)
"""The modules that code may import, by their first name."""

SYNTAX = "syntax"
HIGH = "high"
MEDIUM = "medium"

_MAX_PATTERN_CHARACTERS = 100
_OPERATING_SYSTEM = "Operating system access not allowed"
_PROCESSES = "Starting processes not allowed"
_NETWORK = "Network access not allowed"
_INTERPRETER = "Access to the interpreter not allowed"
_PICKLES = "Pickle modules not allowed: loading a pickle runs code"
_MODULE_REASONS = {
    **dict.fromkeys(
        ("os", "posix", "shutil", "signal", "resource", "fcntl", "pwd"), _OPERATING_SYSTEM
    ),
    **dict.fromkeys(("subprocess", "multiprocessing", "pty"), _PROCESSES),
    **dict.fromkeys(
        ("socket", "requests", "urllib", "urllib3", "http", "httpx", "aiohttp", "ftplib"), _NETWORK
    ),
    **dict.fromkeys(("telnetlib", "smtplib", "ssl", "asyncio"), _NETWORK),
    **dict.fromkeys(
        ("sys", "importlib", "builtins", "inspect", "gc", "ctypes", "cffi", "code"), _INTERPRETER
    ),
    **dict.fromkeys(("pickle", "shelve", "dill", "cloudpickle"), _PICKLES),
}
# Library modules that share a name with a forbidden one.
_OF_LIBRARIES = {"scipy.signal"}
_NAMES = {
    "eval": "Dynamic code execution not allowed",
    "exec": "Dynamic code execution not allowed",
    "compile": "Dynamic code execution not allowed",
    "__import__": "Importing by a computed name not allowed",
    "globals": _INTERPRETER,
    "breakpoint": "Interactive debugging not available",
    "__builtins__": _INTERPRETER,
}
_ATTRIBUTES = ("__builtins__", "__globals__", "__subclasses__")
_ALTERNATIVES = {
    _OPERATING_SYSTEM: "Use pathlib for files of the working directory",
    _PROCESSES: "Compute in this process: numpy, pandas, scipy and scikit-learn are there",
    _NETWORK: "Load the data as a dataset first, and name it in the call",
    _INTERPRETER: "Write the computation with the modules that are allowed",
    _PICKLES: "Write tables as Parquet or CSV, and settings or coefficients as JSON",
    _NAMES["eval"]: "Use json.loads for data, and DataFrame.eval or query for expressions",
    _NAMES["__import__"]: "Name the module in an import statement",
    _NAMES["breakpoint"]: "Print the values instead",
}
_OPEN_REASON = "Files outside of the working directory not allowed"
_ALTERNATIVES[_OPEN_REASON] = "Use a path relative to the working directory, such as data/raw/..."
_UNKNOWN_REASON = "Module not on the allow-list"
_RELATIVE_REASON = "Relative imports not allowed: a script is in no package"
_ALTERNATIVES[_UNKNOWN_REASON] = (
    "Use an allowed module, or mode standard, which has no guard by default. An administrator can"
    " add modules with guard.allowedModules of the run class"
)


_JUDGED = {ast.Name, ast.Attribute, ast.Call, ast.alias, ast.Import, ast.ImportFrom, *BINDING}
# Fields that have no nodes, or only such as have no meaning here.
_WITHOUT_NODES = {"ctx", "id", "attr", "op", "ops", "module", "level", "kind", "type_comment"}


def _children(kind: type[ast.AST]) -> Callable[[ast.AST], tuple[object, ...]]:
    fields = [name for name in kind._fields if name not in _WITHOUT_NODES]
    if len(fields) > 1:
        return operator.attrgetter(*fields)
    if not fields:
        return lambda _node: ()
    (field,) = fields
    return lambda node: (getattr(node, field),)


_CHILDREN = {
    kind: _children(kind)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and not issubclass(kind, ast.Constant)
}


class Violation(NamedTuple):
    """What code must not do.

    Attributes:
        pattern: what was found, such as `import os`; at most 100 characters.
        line: where, from 1.
        severity: `high` or `medium`.
        reason: why it is refused.
    """

    pattern: str
    line: int
    severity: str
    reason: str


class Policy(NamedTuple):
    """What code may do.

    Attributes:
        allowed_modules: modules that it may import, by their first name.
    """

    allowed_modules: frozenset[str] = ALLOWED_MODULES

    def extended(self, modules: Iterable[str]) -> Policy:
        """Return a policy that allows further modules."""
        return Policy(self.allowed_modules | {name.partition(".")[0] for name in modules})


def check(source: str, policy: Policy) -> list[Violation]:
    """Return all violations of a policy, by line; none if the code may run.

    Code that Python cannot compile is a violation too, with the pattern `syntax`.

    Args:
        source: the text of a script.
        policy: what it may do.
    """
    data = source.encode("utf-8", "surrogatepass")
    unparsable = fault(source, data)
    if unparsable is not None:
        return [_syntax(*unparsable)]
    try:
        # All nodes are there to the end, so that looking for garbage among them only takes time.
        with warnings.catch_warnings(), _no_collections():
            # They are printed when the code is compiled to be run.
            warnings.simplefilter("ignore")
            # As bytes, since a declared encoding decides what Python runs.
            return _violations(ast.parse(data), policy)
    except SyntaxError as error:
        return [_syntax(error.lineno or 1, f"The code has a syntax error: {error.msg}")]
    except (RecursionError, MemoryError):
        return [_syntax(1, "The code is nested too deeply")]
    except ValueError as error:
        return [_syntax(1, f"The code cannot be read: {error}")]


def alternatives(violations: Iterable[Violation]) -> list[str]:
    """Return what to do instead, once each."""
    found = (_ALTERNATIVES.get(violation.reason) for violation in violations)
    return list(dict.fromkeys(text for text in found if text is not None))


def message(violations: Sequence[Violation]) -> str:
    """Return a text with all violations, one a line."""
    lines = [f"- line {found.line}: {found.pattern}: {found.reason}" for found in violations]
    return "\n".join(["Code safety validation failed:", *lines])


@contextlib.contextmanager
def _no_collections() -> Iterator[None]:
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _syntax(line: int, reason: str) -> Violation:
    return Violation(SYNTAX, line, HIGH, reason[:200])


def _violations(tree: ast.Module, policy: Policy) -> list[Violation]:
    found: list[Violation] = []
    # Whether the code binds these itself is known at the end.
    names: list[tuple[ast.Name, Violation]] = []
    bound: set[str] = set()
    for node in _judged_nodes(tree):
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:
                bound.add(node.id)
            elif node.id in _NAMES:
                names.append((node, Violation(node.id, node.lineno, HIGH, _NAMES[node.id])))
        elif kind is ast.Attribute:
            if node.attr in _ATTRIBUTES:
                found.append(_violation(f".{node.attr}", node, HIGH, _INTERPRETER))
        elif kind is ast.Call:
            path = _opened(node)
            if path is not None:
                pattern = f"open({path[:_MAX_PATTERN_CHARACTERS]!r})"
                names.append((node.func, _violation(pattern, node, HIGH, _OPEN_REASON)))
        elif kind is ast.alias:
            bound.add(node.asname or node.name.partition(".")[0])
        elif kind is ast.Import or kind is ast.ImportFrom:
            found += _of_import(node, policy)
        else:
            bound.add(getattr(node, BINDING[kind]))
    suspects = {node.id for node, _ in names} & bound
    # Resolving scopes is several times slower than this walk, and rarely needed.
    builtins = set(map(id, names_of_builtins(tree, suspects))) if suspects else set()
    found += [
        violation for node, violation in names if node.id not in suspects or id(node) in builtins
    ]
    return sorted(found, key=operator.attrgetter("line"))


def _judged_nodes(tree: ast.Module) -> Iterator[Any]:
    """Return the nodes that a verdict depends on, in any order.

    Without recursion, and several times as fast as `ast.walk`.
    """
    pending: list[Any] = [tree]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is list:
            pending += node
        elif kind in _CHILDREN:
            pending += _CHILDREN[kind](node)
            if kind in _JUDGED:
                yield node


def _of_import(node: ast.Import | ast.ImportFrom, policy: Policy) -> Iterator[Violation]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif node.level:
        pattern = f"from {'.' * min(node.level, 10)}{node.module or ''} import"
        yield _violation(pattern, node, MEDIUM, _RELATIVE_REASON)
        return
    else:
        names = [node.module or ""]
    for name in names:
        top = name.partition(".")[0]
        if top not in policy.allowed_modules:
            pattern = f"import {name}" if isinstance(node, ast.Import) else f"from {name} import"
            reason = _MODULE_REASONS.get(top)
            severity = HIGH if reason else MEDIUM
            yield _violation(pattern, node, severity, reason or _UNKNOWN_REASON)
        elif isinstance(node, ast.ImportFrom) and top in ALLOWED_MODULES:
            # Others may have names of their own that are called so.
            yield from _of_members(node, name)


def _of_members(node: ast.ImportFrom, module: str) -> Iterator[Violation]:
    """Refuse a module that is taken out of one that is allowed."""
    for alias in node.names:
        reason = _MODULE_REASONS.get(alias.name.lstrip("_"))
        if reason is not None and f"{module}.{alias.name}" not in _OF_LIBRARIES:
            yield _violation(f"from {module} import {alias.name}", node, HIGH, reason)


def _opened(call: ast.Call) -> str | None:
    """Return the path that `open` is called with, if that is a constant and leads elsewhere."""
    if not isinstance(call.func, ast.Name) or call.func.id != "open":
        return None
    arguments = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "file")]
    for argument in arguments:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, (str, bytes)):
            value = argument.value
            path = value if isinstance(value, str) else value.decode("utf-8", "replace")
            if path.startswith("/") or ".." in path.split("/"):
                return path
    return None


def _violation(pattern: str, node: ast.stmt | ast.expr, severity: str, reason: str) -> Violation:
    # A name or a path may be longer than all else.
    return Violation(pattern[:_MAX_PATTERN_CHARACTERS], node.lineno, severity, reason)
