"""Does once, before there is a job, what first uses of libraries take long for.

Nothing of it is left but loaded modules and what libraries keep to be faster: code that runs later
finds the state of a process that has only imported them.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import sys
import warnings
from collections.abc import Callable

import pandas as pd

# Ours that only some jobs need.
_MODULES = (
    "assay_runner.worker.code_mode",
    "assay_runner.worker.job_files",
    "assay_runner.worker.query.preparation",
    "assay_runner.worker.refusal",
)
# Filter warnings when they are imported, so they are left for code to import.
_WITH_FILTERS = ("plotly.graph_objs._deprecations", "plotly.tools")
_CSV = "day,name,amount\n2024-01-01,a,1.5\n2024-01-02,b,2.5\n2024-01-03,a,\n"


def warm_up() -> None:
    """Parse, group, join and write a small table, and draw figures.

    Polars is not even imported: a process that code forks after that lacks a thread of Polars', for
    which it would wait without end when it exits.

    Starts no thread of Python's and writes no file. What fails is left out: only the first use by
    code takes longer then.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step in STEPS:
            with contextlib.suppress(Exception):
                step()
    for name in _WITH_FILTERS:
        _unload(name)
    # What is frozen is never collected.
    gc.collect()


def _use_tables() -> None:
    frame = pd.read_csv(io.BytesIO(_CSV.encode()), parse_dates=["day"])
    pd.read_json(io.StringIO(frame.to_json(orient="records")))
    means = frame.groupby("name").agg(rows=("day", "count"), mean=("amount", "mean")).reset_index()
    frame.merge(means, on="name")


def _write_a_table() -> None:
    # The rows of a result are kept as Parquet.
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"amount": [1.5, 2.5]}), io.BytesIO(), compression="zstd")


def _draw_figures() -> None:
    import plotly.express as px

    frame = pd.DataFrame({"name": ["a", "b"], "amount": [1.5, 2.5]})
    px.bar(frame, x="name", y="amount").to_json()
    px.line(frame, x="name", y="amount", color="name").to_json()


def _import_own_modules() -> None:
    for name in _MODULES:
        importlib.import_module(name)


STEPS: tuple[Callable[[], None], ...] = (
    _use_tables,
    _write_a_table,
    _draw_figures,
    _import_own_modules,
)
"""What is done, in this order."""


def _unload(name: str) -> None:
    sys.modules.pop(name, None)
    package, _, member = name.rpartition(".")
    with contextlib.suppress(KeyError):
        del vars(sys.modules[package])[member]
