"""Times as text."""

from __future__ import annotations

import numpy as np

from assay_runner.chart.columns import Floats

_DAY = 86_400


def time_labels(seconds: Floats) -> tuple[str, ...]:
    """Return times in ISO form: only the date where all are at midnight."""
    unit = "D" if (seconds % _DAY == 0).all() else "s"
    times = np.floor(seconds).astype("datetime64[s]").astype(f"datetime64[{unit}]")
    return tuple(str(time).replace("T", " ") for time in times)
