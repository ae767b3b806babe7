"""Matplotlib's Agg backend, but for showing: that prints one line.

Matplotlib imports it by its name, which the launcher puts into MPLBACKEND.
"""

from __future__ import annotations

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from assay_runner.worker.plots import print_plot_notice


class FigureManager(FigureManagerBase):
    """Has no window."""

    def show(self) -> None:
        """Stand in for `fig.show()`."""
        print_plot_notice()

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """Stand in for `plt.show()`."""
        print_plot_notice()


class FigureCanvas(FigureCanvasAgg):
    """Draws as Agg does."""

    manager_class = FigureManager
