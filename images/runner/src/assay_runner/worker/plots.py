"""Showing a plot says that pictures are not returned, instead of nothing."""

from __future__ import annotations

import plotly.io

_MESSAGE = "Pictures are not returned yet: print the numbers that the plot would show"


def explain_shows() -> None:
    """Let `fig.show()` of plotly print one line."""
    plotly.io.show = lambda *_arguments, **_options: print_plot_notice()


def print_plot_notice() -> None:
    """Print the line."""
    print(_MESSAGE)
