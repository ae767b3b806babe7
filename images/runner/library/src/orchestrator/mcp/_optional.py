"""Libraries that only some of the functions need."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, package: str, function: str) -> ModuleType:
    """Import a module.

    Raises:
        ImportError: if the package is not installed; the message says how to get it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{function} needs the package {package}, which is not installed. Nothing can be"
            f" installed during a run: build an image of the class with it"
            f" (docs/run-classes.md, More Python packages), or use pip install {package} outside"
            f" of a run",
            name=module,
        ) from error
