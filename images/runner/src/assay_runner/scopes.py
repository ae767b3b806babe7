"""Finds where a script reads a builtin: names that no enclosing scope binds."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

BINDING: dict[type, str] = {
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
    ast.arg: "arg",
}
"""The names that nodes bind, besides Name and alias."""


class _Scope:
    """A module, a class, or a function; a comprehension is a function.

    Args:
        outer: the scope around it; None for the module.
        kind: of the node.
    """

    def __init__(self, outer: _Scope | None, kind: type) -> None:
        self.outer = outer
        self.is_class = kind is ast.ClassDef
        self.is_comprehension = kind in _COMPREHENSIONS
        self.bound: set[str] = set()
        # Names declared global or nonlocal, with the scope that they belong to.
        self.declared: dict[str, _Scope] = {}

    def bind(self, name: str | None) -> None:
        if name is not None:
            self.declared.get(name, self).bound.add(name)

    @property
    def module(self) -> _Scope:
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope

    def binds(self, name: str) -> bool:
        """Whether this scope or one around it binds a name that is read here."""
        scope: _Scope | None = self
        while scope is not None:
            # What a class binds, functions in it do not see.
            if scope is self or not scope.is_class:
                if scope.declared.get(name) is self.module:
                    return name in self.module.bound
                if name in scope.bound:
                    return True
            scope = scope.outer
        return False


def names_of_builtins(tree: ast.Module, names: Collection[str]) -> list[ast.Name]:
    """Return where some names are read as those of builtins.

    Without recursion: a script may be nested deeply.
    """
    read: list[tuple[ast.Name, _Scope]] = []
    pending: list[tuple[ast.AST, _Scope]] = [(tree, _Scope(None, ast.Module))]
    while pending:
        node, scope = pending.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                scope.bind(node.id)
            elif node.id in names:
                read.append((node, scope))
        elif isinstance(node, ast.alias):
            scope.bind(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Global):
            scope.declared.update(dict.fromkeys(node.names, scope.module))
        elif isinstance(node, ast.Nonlocal) and scope.outer is not None:
            scope.declared.update(dict.fromkeys(node.names, scope.outer))
        elif type(node) in BINDING:
            scope.bind(getattr(node, BINDING[type(node)]))
        # Reversed, as pop() takes the last: global and nonlocal come before the names they affect.
        pending += reversed(list(_inner(node, scope)))
    return [node for node, scope in read if not scope.binds(node.id)]


def _inner(node: ast.AST, scope: _Scope) -> Iterator[tuple[ast.AST, _Scope]]:
    """Yield what a node contains, with the scope of each."""
    if isinstance(node, _FUNCTIONS):
        own = _Scope(scope, type(node))
        arguments = node.args
        yield from (
            (value, scope) for value in (*arguments.defaults, *arguments.kw_defaults) if value
        )
        for argument in ast.iter_child_nodes(arguments):
            if isinstance(argument, ast.arg):
                own.bind(argument.arg)
                if argument.annotation is not None:
                    yield argument.annotation, scope
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        yield from ((statement, own) for statement in body)
        if not isinstance(node, ast.Lambda):
            outside = [*node.decorator_list, *([node.returns] if node.returns else [])]
            yield from ((expression, scope) for expression in outside)
    elif isinstance(node, ast.ClassDef):
        own = _Scope(scope, ast.ClassDef)
        yield from ((statement, own) for statement in node.body)
        yield from ((part, scope) for part in (*node.bases, *node.keywords, *node.decorator_list))
    elif isinstance(node, _COMPREHENSIONS):
        own = _Scope(scope, type(node))
        first = node.generators[0].iter
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.comprehension):
                yield from (
                    (part, scope if part is first else own) for part in ast.iter_child_nodes(child)
                )
            else:
                yield child, own
    elif isinstance(node, ast.AnnAssign) and node.value is None:
        yield node.annotation, scope
    elif isinstance(node, ast.NamedExpr):
        target = scope
        while target.is_comprehension and target.outer is not None:
            target = target.outer
        yield node.target, target
        yield node.value, scope
    else:
        yield from ((child, scope) for child in ast.iter_child_nodes(node))
