"""A run prints what plain Python prints, and ends as it does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from local_runner import NewRunner
from plain_python import (
    DOCUMENTATION,
    Ended,
    files,
    of_run,
    page,
    run_plain,
    snippets,
    with_traceback,
)
from runner_client import python_job

pytestmark = pytest.mark.slow


def name(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def both(
    new_runner: NewRunner, interpreter: str, tmp_path: Path, snippet: Path, warm_up: str = "false"
) -> tuple[Ended, Ended]:
    job = python_job(snippet.read_text(), outputBytes=2**23) | {"files": files(snippet)}
    settings = {"TMPDIR": str(tmp_path), "ASSAY_CPUS": "3", "ASSAY_WARM_UP": warm_up}
    runner = new_runner(worker_environment=settings)
    run, trace = of_run(runner.client.finish(job), runner.workspace)
    plain_directory = tmp_path / "plain"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(runner.scratch),
        "TMPDIR": str(tmp_path),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
    plain = run_plain(interpreter, snippet, plain_directory, environment)
    return with_traceback(run, trace, plain), plain


@pytest.mark.parametrize("snippet", snippets(), ids=name)
@pytest.mark.parametrize("warm_up", ["false", "true"], ids=["cold", "warm"])
def test_a_run_is_as_plain_python(
    new_runner: NewRunner, interpreter: str, tmp_path: Path, snippet: Path, warm_up: str
) -> None:
    run, plain = both(new_runner, interpreter, tmp_path, snippet, warm_up)
    assert run == plain


@pytest.mark.parametrize("snippet", snippets("differs"), ids=name)
def test_the_documented_differences_are_there(
    new_runner: NewRunner, interpreter: str, tmp_path: Path, snippet: Path
) -> None:
    run, plain = both(new_runner, interpreter, tmp_path, snippet)
    assert run != plain


def test_the_documentation_lists_the_snippets() -> None:
    # To generate it again, run plain_python.py.
    assert DOCUMENTATION.read_text() == page()
