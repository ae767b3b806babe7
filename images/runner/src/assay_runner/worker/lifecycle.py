"""The Python worker's life: get ready, take one job, run it, end."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NoReturn

from assay_runner.control import Control
from assay_runner.frames import Message
from assay_runner.imports import without_collecting
from assay_runner.worker import streams, termination
from assay_runner.worker.errors import describe


def run_worker(control: Control, dataset_names: Sequence[str], began_at: float) -> NoReturn:
    """Run one job and end the process.

    Args:
        control: the way to the supervisor.
        dataset_names: datasets of the run; the first is bound as `df`, the others by their names.
        began_at: when the process began, on the monotonic clock.
    """
    streams.install()
    termination.install()
    try:
        names = _prepare(control, dataset_names, began_at)
    except Exception as error:
        control.result(describe(error, frozenset()))
        os._exit(1)
    job = control.wait_for_job()
    if job is None:
        os._exit(0)
    _run_job(control, job, names)


def _prepare(control: Control, dataset_names: Sequence[str], began_at: float) -> dict[str, object]:
    """Import what code finds imported and load what it finds loaded, then say so."""
    with without_collecting():
        import numpy as np
        import pandas as pd
        import plotly.express as px

        from assay_runner.worker import networking, plots, processes
        from assay_runner.worker.datasets import Datasets, variables

    networking.explain_refusals()
    plots.explain_shows()
    processes.explain_start_methods()
    imported_at = time.monotonic()
    directory = os.environ.get("ASSAY_DATASETS_DIR", "/datasets")
    datasets = Datasets(directory, dataset_names)
    names: dict[str, object] = {"pd": pd, "np": np, "px": px, "datasets": datasets}
    if dataset_names:
        names["df"] = datasets[dataset_names[0]]
    for variable, name in variables(dataset_names, taken={*names, "df"}).items():
        names[variable] = datasets[name]
    control.ready(
        imports_ms=round((imported_at - began_at) * 1000),
        dataset_ms=round((time.monotonic() - imported_at) * 1000),
    )
    return names


def _run_job(control: Control, job: Message, names: dict[str, object]) -> NoReturn:
    from assay_runner.worker import execution

    control.started()
    outcome = execution.run(job["code"], names)
    control.result(outcome.error)
    os._exit(outcome.exit_code)
