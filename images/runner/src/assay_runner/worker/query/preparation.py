"""Prepares a job whose code returns a value."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay_runner.frames import Message
from assay_runner.worker.datasets import Datasets, variables
from assay_runner.worker.lazy_imports import LazyModule
from assay_runner.worker.query.binding import RESERVED, bind, scan, shared_names
from assay_runner.worker.query.execution import Query
from assay_runner.worker.query.outputs import Outputs
from assay_runner.worker.query.snapshot_paths import without_paths
from assay_runner.worker.query.source_text import runnable, words

if TYPE_CHECKING:
    from assay_runner.worker.job_files import KeptFrame


def prepare(
    job: Message,
    loaded: Datasets,
    names: dict[str, object],
    kept: Mapping[str, KeptFrame],
    script: str,
) -> tuple[Query, str]:
    """Add the variables of a query to `names`.

    Args:
        job: the job.
        loaded: the datasets that were loaded before there was a job.
        names: the variables that code starts with.
        kept: frames of earlier runs, which are variables too.
        script: path of the script.

    Returns:
        The query, and the text of its script.

    Raises:
        Exception: if a dataset cannot be loaded.
    """
    is_polars = job["kind"] == "polars"
    code: str = job["code"]
    given = loaded.of_job(job)
    frames: Any = loaded
    if is_polars:
        import polars as pl

        code = runnable(code)
        names["pl"] = pl
        frames = Datasets(loaded.directory, [name for name, _ in given], scan)
    else:
        names["pl"] = LazyModule("polars")
        frames.choose([name for name, _ in given])
    names["datasets"] = frames
    names["parameters"] = {} if job["input"] is None else json.loads(job["input"])
    used = words(code)
    taken = {*names, *RESERVED}
    known = {name: of for name, of in variables(given, taken).items() if name not in kept}
    bound = bind(frames, known, used)
    names.update(bound.variables)
    for name in kept.keys() & used:
        names[name] = kept[name].scan() if is_polars else kept[name].load()
    known |= dict.fromkeys(kept, "")
    collected = (job.get("collect") or {}).get("folders", ())
    outputs = Outputs(os.path.dirname(script), job["reply"].get("chart"), collected)
    shown = without_paths(loaded.directory, given, code)
    warnings = shared_names(given, os.path.dirname(script))
    query = Query(script, code, bound, known, outputs, shown, warnings, value_required=is_polars)
    return query, code
