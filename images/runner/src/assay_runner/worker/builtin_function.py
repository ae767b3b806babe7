"""Functions of ours in place of builtin ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class BuiltinFunction:
    """A function that takes the place of a builtin one.

    Unlike a Python function, it does not become a method where it is an attribute of a class.

    Args:
        original: the builtin function.
        function: what is called instead.
    """

    def __init__(self, original: Callable[..., Any], function: Callable[..., Any]) -> None:
        self._function = function
        self._original = original
        self.__qualname__ = original.__qualname__
        functools.update_wrapper(self, original)

    def __call__(self, /, *args: object, **kwargs: object) -> Any:  # noqa: ANN401 - the original's
        """Call the function."""
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return repr(self._original)

    def __reduce__(self) -> str:
        return self.__qualname__
