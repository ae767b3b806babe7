"""What user code finds around it, the same in a Pod and in local mode."""

from __future__ import annotations

import os
from collections.abc import Mapping

# By default, libraries start a thread for each processor of the node, whatever the container may
# use. DuckDB has no variable of its own, but heeds the one of a batch system.
_THREAD_COUNTS = (
    "LOKY_MAX_CPU_COUNT",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_MAX_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "SLURM_CPUS_ON_NODE",
)
# Of os.cpu_count: Python reads it from version 3.13 on, and our worker does before that.
_PYTHON_CPU_COUNT = "PYTHON_CPU_COUNT"
_MAX_CPUS = 4096


def surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for locale, time zone and processors.

    Args:
        environment: variables of the container, which take precedence.
    """
    found = {"LANG": "C.UTF-8", "TZ": "UTC"}
    cpus = environment.get("ASSAY_CPUS", "")
    if cpus.isdecimal() and 1 <= int(cpus) <= _MAX_CPUS:
        found |= dict.fromkeys((*_THREAD_COUNTS, _PYTHON_CPU_COUNT), str(int(cpus)))
    return {name: environment.get(name, value) for name, value in found.items()}


def temporary_directory(environment: Mapping[str, str], scratch: str) -> str:
    """Return the directory for temporary files: the container's, or scratch if it has none."""
    named = environment.get("TMPDIR", "")
    return named if named and os.access(named, os.W_OK | os.X_OK) else scratch
