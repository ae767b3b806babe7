"""Python processes of user code are forked: a new interpreter could not find the code."""

from __future__ import annotations

import sys
import types
from typing import Any, NoReturn

_MODULES = ("multiprocessing.popen_spawn_posix", "multiprocessing.popen_forkserver")
_MESSAGE = (
    "Processes are started by fork here, since a new interpreter would not have your code: use"
    ' multiprocessing.get_context("fork"), and mp_context=multiprocessing.get_context("fork") for a'
    " ProcessPoolExecutor"
)


def explain_start_methods() -> None:
    """Let the start methods `spawn` and `forkserver` fail at the first process, with advice.

    The modules that would start it are imported no sooner than that, so theirs is the place.
    """
    for name in _MODULES:
        module = types.ModuleType(name)
        vars(module)["Popen"] = _refuse
        sys.modules[name] = module


def _refuse(_process: Any) -> NoReturn:  # noqa: ANN401 - multiprocessing would be imported for it
    raise RuntimeError(_MESSAGE)
