"""Plots that code shows, or leaves at its end, as files that are kept after the run."""

from __future__ import annotations

import ast
import contextlib
import io
import math
import os
import sys
import time
import weakref
from collections.abc import Mapping
from typing import Any

MAX_FIGURES = 20
MAX_BYTES = 16 * 1024 * 1024
"""Of all figures of a run together."""

_DIRECTORY = "artifacts"
# A picture is in memory while it is drawn.
_MAX_PIXELS = 25_000_000
_MAX_SIDE = 20_000
_MAX_REASON_CHARACTERS = 200
# Of the time that the code has, for the figures that it leaves.
_MAX_SECONDS = 5


class Figures:
    """Writes `artifacts/figure-1.png` and so on, and prints the path of each that code shows.

    Attributes:
        workspace: the working directory of the run, from which code may change.
    """

    def __init__(self) -> None:
        self.workspace = "."
        # By identity: figures of plotly are compared by what they show.
        self._saved: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._count = 0
        self._bytes = 0
        self._is_announced = True

    def save_picture(self, figure: Any) -> None:  # noqa: ANN401 - matplotlib is imported by code
        """Write a figure of matplotlib, at a lower resolution if it is too large.

        Raises:
            Exception: what drawing it raises.
        """
        if not self._is_full():
            data = io.BytesIO()
            figure.savefig(data, format="png", dpi=_resolution(figure))
            self._write(".png", data.getvalue())

    def save_plotly(self, figure: Any) -> None:  # noqa: ANN401 - plotly is imported by code
        """Write a figure of plotly, or the dictionary of one.

        Raises:
            Exception: what plotly raises for something else.
        """
        if not self._is_full():
            import plotly.io

            with contextlib.suppress(TypeError):  # A dictionary is not left as a figure.
                self.note_saved(figure)
            text = plotly.io.to_json(figure, validate=False)
            self._write(".plotly.json", text.encode("utf-8", "backslashreplace"))

    def note_saved(self, figure: Any) -> None:  # noqa: ANN401
        """Note that a figure was written to a file, so that it is not written again at the end."""
        self._saved[id(figure)] = figure

    def save_left(self, code: str, variables: Mapping[str, object]) -> None:
        """Write the figures that a script leaves: open ones, and its last value or `result`.

        Args:
            code: the text of the script.
            variables: those of the script.
        """
        self._is_announced = False
        ends_at = time.monotonic() + _MAX_SECONDS
        for figure in (*_open_figures(), *_plotly_figures(code, variables)):
            if self._saved.get(id(figure)) is figure:
                continue
            if self._is_full():
                return
            if time.monotonic() > ends_at:
                print(f"Plots not saved: drawing them took over {_MAX_SECONDS} s")
                return
            try:
                if hasattr(figure, "savefig"):
                    self.save_picture(figure)
                else:
                    self.save_plotly(figure)
            except Exception as error:
                print(f"Plot not saved: {type(error).__name__}: {error}"[:_MAX_REASON_CHARACTERS])

    def _is_full(self) -> bool:
        if self._count >= MAX_FIGURES:
            print(f"Plot not saved: {MAX_FIGURES} plots of this run were saved")
            return True
        return False

    def _write(self, extension: str, data: bytes) -> None:
        if self._bytes + len(data) > MAX_BYTES:
            print(f"Plot not saved: the plots of this run would take over {MAX_BYTES:,} bytes")
            return
        try:
            name = self._new_file(extension, data)
        except OSError as error:
            print(f"Plot not saved: {error.strerror}")
            return
        self._bytes += len(data)
        if self._is_announced:
            print(f"Plot saved as {name}")

    def _new_file(self, extension: str, data: bytes) -> str:
        directory = os.path.join(self.workspace, _DIRECTORY)
        if not os.path.isdir(directory):
            # Another process of the code may create it meanwhile.
            os.makedirs(directory, exist_ok=True)
        while True:
            self._count += 1
            name = f"figure-{self._count}{extension}"
            try:
                # Code, or another of its processes, may have a file of that name.
                with open(os.path.join(directory, name), "xb") as file:
                    file.write(data)
            except FileExistsError:
                continue
            return f"{_DIRECTORY}/{name}"


def _open_figures() -> list[Any]:
    """Return the figures of pyplot that show something."""
    helpers: Any = sys.modules.get("matplotlib._pylab_helpers")
    managers = [] if helpers is None else helpers.Gcf.get_all_fig_managers()
    # The first child is the background.
    return [
        manager.canvas.figure for manager in managers if manager.canvas.figure.get_children()[1:]
    ]


def _plotly_figures(code: str, variables: Mapping[str, object]) -> list[Any]:
    """Return the figure that the last line names, or else the one in `result`."""
    graphs: Any = sys.modules.get("plotly.basedatatypes")
    if graphs is None:
        return []
    names = ["result"]
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        body = ast.parse(code).body
        if body and isinstance(body[-1], ast.Expr) and isinstance(body[-1].value, ast.Name):
            names.insert(0, body[-1].value.id)
    found = (variables.get(name) for name in names)
    return [figure for figure in found if isinstance(figure, graphs.BaseFigure)][:1]


def _resolution(figure: Any) -> float:  # noqa: ANN401
    width, height = (max(float(side), 1e-6) for side in figure.get_size_inches())
    limits = (_MAX_SIDE / width, _MAX_SIDE / height, math.sqrt(_MAX_PIXELS / (width * height)))
    return min(float(figure.dpi), *limits)
