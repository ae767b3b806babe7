"""Plots that code shows, as files that are kept after the run."""

from __future__ import annotations

import io
import math
import os
from typing import Any

MAX_FIGURES = 20
MAX_BYTES = 16 * 1024 * 1024
"""Of all figures of a run together."""

_DIRECTORY = "artifacts"
# A picture is in memory while it is drawn.
_MAX_PIXELS = 25_000_000
_MAX_SIDE = 20_000


class Figures:
    """Writes `artifacts/figure-1.png` and so on, and prints the path of each.

    Attributes:
        workspace: the working directory of the run, from which code may change.
    """

    def __init__(self) -> None:
        self.workspace = "."
        self._count = 0
        self._bytes = 0

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

            text = plotly.io.to_json(figure, validate=False)
            self._write(".plotly.json", text.encode("utf-8", "backslashreplace"))

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
        print(f"Plot saved as {name}")

    def _new_file(self, extension: str, data: bytes) -> str:
        directory = os.path.join(self.workspace, _DIRECTORY)
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


def _resolution(figure: Any) -> float:  # noqa: ANN401
    width, height = (max(float(side), 1e-6) for side in figure.get_size_inches())
    limits = (_MAX_SIDE / width, _MAX_SIDE / height, math.sqrt(_MAX_PIXELS / (width * height)))
    return min(float(figure.dpi), *limits)
