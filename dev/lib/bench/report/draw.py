"""Draws the result of a phase: for each series the share of runs that took at most a time.

Runs on its own, as `draw.py RESULT.json RESULT.svg`, with the Python that has matplotlib.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot

# The other parts of a run are in the table. Where there are none of these, all are drawn.
_DRAWN = (
    "to first instruction",
    "to Ready",
    "to first output",
    "to df",
    ": call",
    "MCP call",
    ": a call",
    "one more call",
    "process",
    "the CSV",
)
_SHARES = (0.5, 0.9, 0.99)


def draw(result: Path, picture: Path) -> None:
    """Read one and write the other."""
    document = json.loads(result.read_text())
    figure, axes = pyplot.subplots(figsize=(9, 5), layout="constrained")
    samples = document["samples"]
    for name in [name for name in samples if name.endswith(_DRAWN)] or samples:
        times = sorted(samples[name])
        reached = [(number + 1) / len(times) for number in range(len(times))]
        axes.step(times, reached, where="post", label=name)
    for share in _SHARES:
        axes.axhline(share, color="0.85", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    axes.set_xlabel("ms")
    axes.set_ylabel("share of runs")
    axes.set_title(document["phase"])
    axes.legend(loc="lower right", fontsize="small")
    figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
