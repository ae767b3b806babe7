"""Prepares the worker before CPython runs the job's code as the script `main.py`."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import types
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay_runner.control import Control
from assay_runner.frames import Message
from assay_runner.imports import gc_paused
from assay_runner.worker import stopping, streams
from assay_runner.worker.ending import ScriptEnd
from assay_runner.worker.errors import describe

if TYPE_CHECKING:
    from assay_runner.worker.datasets import Datasets
    from assay_runner.worker.job_files import KeptFrame
    from assay_runner.worker.tool_calls import ToolCalls

_ARTIFACTS = "artifacts"
"""Where code finds a folder for files that are to be kept."""


def prepare_script(began_at: float) -> None:
    """Import libraries, wait for the job and write its code to the script.

    CPython imports `sitecustomize`, which calls this, and then runs the script like any other. Ends
    the process if the libraries or the datasets cannot be loaded, or if there is no job.

    Args:
        began_at: start of the process, on the monotonic clock.
    """
    _hide_startup()
    control = Control()
    streams.install()
    # The same path as in `__file__` and tracebacks.
    script = os.path.abspath(sys.argv[0])
    # Before any library registers exit handlers: the first registered is called last.
    end = ScriptEnd(control, script)
    returns_value = False
    try:
        datasets, names = _prepare_names(control, end, began_at)
        # Before the job, which usually has to be waited for.
        end.prepare()
        job = control.receive()
        if job is None:
            os._exit(0)
        _guard(control, job)
        code = job["code"]
        query = None
        kept = _bring_files(job)
        tools = _tools(control, job, script)
        if tools is not None:
            names.update(tools.functions())
        returns_value = job.get("reply") is not None
        if not returns_value:
            names.update(datasets.bind(datasets.of_job(job), taken=names))
            names.update({name: frame.load() for name, frame in kept.items()})
        else:
            from assay_runner.worker.query.preparation import prepare

            query, code = prepare(job, datasets, names, kept, script)
        end.expect(stopping.listen(control, query.partial if query else lambda: None, tools))
        if job.get("mode") == "code":
            _enter_code_mode(job, datasets)
        sys.modules["__main__"] = main = _new_main(names)
        end.main = weakref.ref(main)
        del main
        _write(script, code)
        if query is not None:
            query.expect(end)
        if job.get("collect"):
            from assay_runner.worker.library_patches import figures

            end.save_figures = lambda: figures.save_left(code, vars(sys.modules["__main__"]))
        if job.get("keep"):
            from assay_runner.worker.keeping import keeper

            end.keep = keeper(job["keep"])
        control.started()
    except BaseException as error:
        # CPython would print the error and run the script, which was not announced.
        message = describe(error, script)
        if returns_value:
            from assay_runner.worker.query.failures import code_of

            message["code"] = code_of(error)
        control.result(message)
        os._exit(1)
    if "\0" in code:
        end.refuse_null_byte(code)


def _hide_startup() -> None:
    """Undo what made CPython import our `sitecustomize`, and import the installation's own."""
    directory = os.environ.pop("PYTHONPATH")
    sys.path.remove(directory)
    sys.path_importer_cache.pop(directory, None)
    ours = sys.modules.pop("sitecustomize", None)
    # A broken one must not fail the run.
    with contextlib.suppress(Exception):
        __import__("sitecustomize")
    if ours is not None:
        sys.modules.setdefault("sitecustomize", ours)


def _prepare_names(
    control: Control, end: ScriptEnd, began_at: float
) -> tuple[Datasets, dict[str, object]]:
    """Load the libraries and datasets, and report that the worker is ready.

    Returns the datasets and the other variables that code starts with.
    """
    with gc_paused():
        import numpy as np
        import pandas as pd

        from assay_runner.worker import library_patches
        from assay_runner.worker.datasets import Datasets
        from assay_runner.worker.lazy_imports import LazyModule

    library_patches.install()
    end.note_idle_threads()
    if os.environ.pop("ASSAY_WARM_UP", None) == "true":
        with gc_paused():
            from assay_runner.worker.warm_up import warm_up

            warm_up()
    imported_at = time.monotonic()
    directory = os.environ.get("ASSAY_DATASETS_DIR", "/datasets")
    datasets = Datasets(directory, os.environ.pop("RUN_DATASETS", "").split())
    # Most code makes no charts, and this import would be a fifth of all.
    px = LazyModule("plotly.express")
    names: dict[str, object] = {"pd": pd, "np": np, "px": px, "datasets": datasets}
    datasets.bind(datasets.of_job({}), taken=names)
    control.ready(
        imports_ms=round((imported_at - began_at) * 1000),
        dataset_ms=round((time.monotonic() - imported_at) * 1000),
    )
    return datasets, names


def _bring_files(job: Message) -> Mapping[str, KeptFrame]:
    """Put the files of the job into the working directory; returns the frames among its inputs."""
    kept: Mapping[str, KeptFrame] = {}
    if job.get("files") or job.get("inputs"):
        from assay_runner.worker.job_files import kept_frames, place_files

        place_files(job)
        kept = kept_frames(job)
    if _ARTIFACTS in (job.get("collect") or {}).get("folders", ()):
        from assay_runner.worker.library_patches import make_folder

        # The job may have brought a file or a folder of this name.
        with contextlib.suppress(FileExistsError):
            make_folder(_ARTIFACTS)
    return kept


def _new_main(names: Mapping[str, object]) -> types.ModuleType:
    """Return a new `__main__` module for the script.

    The original one is frozen, so objects in its reference cycles would never be finalized.
    """
    main = types.ModuleType("__main__")
    vars(main).update(vars(sys.modules["__main__"]), __annotations__={}, **names)
    return main


def _write(script: str, code: str) -> None:
    with open(script, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        file.write(code)


def _tools(control: Control, job: Message, script: str) -> ToolCalls | None:
    """Return what calls the tools of the job; None if it has none."""
    if job.get("tools") is None:
        return None
    from assay_runner.worker.tool_calls import ToolCalls

    return ToolCalls(control, script, job["tools"]["maxParallel"])


def _guard(control: Control, job: Message) -> None:
    """End the process if the guard of the job refuses its code."""
    policy = job.get("guard")
    if policy is None:
        return
    from assay_runner.worker.refusal import refusal

    refused = refusal(job["code"], policy["allowedModules"])
    if refused is not None:
        control.result(refused.error, json_text=refused.value)
        os._exit(1)


def _enter_code_mode(job: Message, datasets: Datasets) -> None:
    from assay_runner.worker.code_mode import enter

    enter(job["code"], job.get("scriptName"), datasets.directory, datasets.of_job(job))
