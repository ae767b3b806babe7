"""Matplotlib's Agg backend, except that showing a plot prints a notice.

Matplotlib imports this module by name: the launcher sets MPLBACKEND.
"""

from __future__ import annotations

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from assay_runner.worker.library_patches import print_plot_notice


class FigureManager(FigureManagerBase):
    """A figure manager without a window."""

    def show(self) -> None:
        """Replace `fig.show()`."""
        print_plot_notice()

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """Replace `plt.show()`."""
        print_plot_notice()


class FigureCanvas(FigureCanvasAgg):
    """Agg's canvas with this module's figure manager."""

    manager_class = FigureManager
