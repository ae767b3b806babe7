"""Matplotlib's Agg backend, except that showing a plot writes it to a file.

Matplotlib imports this module by name: the launcher sets MPLBACKEND.
"""

from __future__ import annotations

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from assay_runner.worker.library_patches import figures


class FigureManager(FigureManagerBase):
    """A figure manager without a window."""

    def show(self) -> None:
        """Replace `fig.show()`."""
        figures.save_picture(self.canvas.figure)

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """Replace `plt.show()`: the next plot is a new figure, as after windows were closed."""
        try:
            for manager in Gcf.get_all_fig_managers():
                figures.save_picture(manager.canvas.figure)
        finally:
            Gcf.destroy_all()


class FigureCanvas(FigureCanvasAgg):
    """Agg's canvas with this module's figure manager."""

    manager_class = FigureManager
