"""Modules that are imported only by code that uses them."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec


class LazyModule(types.ModuleType):
    """Stands for a module, which is imported when one of its attributes is used.

    `importlib.util.LazyLoader` of Python 3.11 fails where two threads use a module first.
    """

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module(self.__name__), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(importlib.import_module(self.__name__), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(importlib.import_module(self.__name__), name)

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self.__name__))

    def __repr__(self) -> str:
        return repr(importlib.import_module(self.__name__))


def when_imported(name: str, action: Callable[[types.ModuleType], None]) -> None:
    """Call `action` with a module as soon as it has been imported, which may never happen."""
    module = sys.modules.get(name)
    if module is not None:
        action(module)
    else:
        sys.meta_path.insert(0, _Finder(name, action))


class _Finder:
    """Finds one module, once, as the other finders do."""

    def __init__(self, name: str, action: Callable[[types.ModuleType], None]) -> None:
        self._name = name
        self._action = action

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: object = None
    ) -> ModuleSpec | None:
        if name != self._name or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_act(module: types.ModuleType) -> None:
                execute(module)
                self._action(module)

            spec.loader.exec_module = execute_and_act  # type: ignore[method-assign]
        return spec
