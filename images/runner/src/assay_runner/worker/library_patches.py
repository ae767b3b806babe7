"""Makes libraries say what the sandbox does not offer, or do it another way.

For usability, not for security.
"""

from __future__ import annotations

import atexit
import functools
import os
import socket
import sys
import types
from collections.abc import Callable
from typing import Any

from assay_runner.worker import warning_lines
from assay_runner.worker.builtin_function import BuiltinFunction
from assay_runner.worker.figures import Figures
from assay_runner.worker.lazy_imports import when_imported

_NETWORK_DISABLED = "Network access is disabled"
_SOCKET_FUNCTIONS = (
    "socketpair",
    "getaddrinfo",
    "gethostbyname",
    "gethostbyname_ex",
    "gethostbyaddr",
)

figures = Figures()
"""Where plots that code shows are written."""


def install() -> None:
    """Patch `socket` and plotly. matplotlib has a backend of ours, which MPLBACKEND names."""
    socket.socket.__init__ = _explained(socket.socket.__init__)  # type: ignore[method-assign]
    for name in _SOCKET_FUNCTIONS:
        setattr(socket, name, _explained(getattr(socket, name)))
    figures.workspace = os.getcwd()
    when_imported("plotly.io", _save_shown)
    # Also where code chooses a backend of its own.
    when_imported("matplotlib._pylab_helpers", _leave_open)
    when_imported("matplotlib.backend_bases", _note_saved)
    _count_cpus_of_class()
    warning_lines.install()


def make_folder(path: str) -> None:
    """Create a folder, and let the first `os.mkdir` of it by user code succeed.

    Scripts often create the folder that they write to, without `exist_ok`.

    Raises:
        OSError: if it cannot be created.
    """
    plain = os.mkdir
    plain(path)
    folder = os.path.abspath(path)
    was_requested = False

    def mkdir(path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:  # noqa: ANN401
        nonlocal was_requested
        try:
            plain(path, mode, dir_fd=dir_fd)
        except FileExistsError:
            if was_requested or dir_fd is not None or os.path.abspath(path) != folder:
                raise
            was_requested = True

    os.mkdir = BuiltinFunction(plain, mkdir)


def _leave_open(helpers: types.ModuleType) -> None:
    """Undo that pyplot closes all figures before the worker saves those still open."""
    atexit.unregister(helpers.Gcf.destroy_all)


def _note_saved(bases: types.ModuleType) -> None:
    """Note which figures `savefig` has written, so that they are not written again at the end."""
    plain = bases.FigureCanvasBase.print_figure

    @functools.wraps(plain)
    def print_figure(canvas: Any, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        result = plain(canvas, *arguments, **options)
        figures.note_saved(canvas.figure)
        return result

    bases.FigureCanvasBase.print_figure = print_figure


def _save_shown(plotly_io: types.ModuleType) -> None:
    plotly_io.show = lambda fig, *_arguments, **_options: figures.save_plotly(fig)  # type: ignore[attr-defined]


def _count_cpus_of_class() -> None:
    """Have `os.cpu_count` return what Python 3.13 and later do by themselves."""
    cpus = os.environ.get("PYTHON_CPU_COUNT", "")
    if sys.version_info < (3, 13) and cpus.isdecimal():
        count = int(cpus)
        os.cpu_count = BuiltinFunction(os.cpu_count, lambda: count)


def _explained(function: Callable[..., Any]) -> Callable[..., Any]:
    """Replace the message of the error that a refused socket or name lookup raises."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - the function's own signature
        try:
            return function(*args, **kwargs)
        except (PermissionError, socket.gaierror, socket.herror) as error:
            raise type(error)(error.errno, _NETWORK_DISABLED) from None

    return call
