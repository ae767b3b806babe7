"""Code finds the same surroundings wherever it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_runner.launcher.command import parse
from assay_runner.launcher.surroundings import surroundings, temporary_directory
from assay_runner.launcher.worker_process import worker_environment
from local_runner import NewRunner

pytestmark = pytest.mark.slow

PROCESSORS = """
import multiprocessing, os
from concurrent.futures import ProcessPoolExecutor
import duckdb, joblib, polars, pyarrow, threadpoolctl
print(os.cpu_count(), multiprocessing.cpu_count(), ProcessPoolExecutor()._max_workers)
print(polars.thread_pool_size(), pyarrow.cpu_count())
print(duckdb.sql("select current_setting('threads')").fetchall()[0][0])
print({pool['num_threads'] for pool in threadpoolctl.threadpool_info()})
print('ASSAY_CPUS' in os.environ)
"""


@pytest.mark.executed
def test_libraries_use_as_many_processors_as_the_class_allows(new_runner: NewRunner) -> None:
    finished = new_runner(worker_environment={"ASSAY_CPUS": "1"}).client.run(PROCESSORS)
    assert finished.error is None, finished.error
    assert finished.text == "1 1 1\n1 1\n1\n{1}\nFalse\n"


@pytest.mark.executed
def test_temporary_files_are_where_the_container_has_a_directory_for_them(
    new_runner: NewRunner, tmp_path: Path
) -> None:
    runner = new_runner(worker_environment={"TMPDIR": str(tmp_path)})
    finished = runner.client.run(
        "import os, tempfile, time, locale\n"
        "import matplotlib.pyplot\n"
        "print(tempfile.gettempdir(), os.listdir(), time.tzname[0], locale.getlocale())\n"
    )
    assert finished.error is None, finished.error
    assert finished.text == f"{tmp_path} ['main.py'] UTC ('en_US', 'UTF-8')\n"


def test_variables_of_the_container_take_precedence() -> None:
    found = surroundings({"ASSAY_CPUS": "4", "OMP_NUM_THREADS": "1", "TZ": "Europe/Berlin"})
    assert (found["OMP_NUM_THREADS"], found["POLARS_MAX_THREADS"]) == ("1", "4")
    assert (found["TZ"], found["LANG"]) == ("Europe/Berlin", "C.UTF-8")


@pytest.mark.parametrize("cpus", ["", "0", "-1", "1.5", "x", "99999"])
def test_a_number_of_processors_that_is_none_sets_nothing(cpus: str) -> None:
    assert surroundings({"ASSAY_CPUS": cpus}) == {"LANG": "C.UTF-8", "TZ": "UTC"}


def test_scratch_has_the_temporary_files_where_nothing_else_can(tmp_path: Path) -> None:
    assert temporary_directory({}, "/scratch") == "/scratch"
    assert temporary_directory({"TMPDIR": "/nowhere"}, "/scratch") == "/scratch"
    assert temporary_directory({"TMPDIR": str(tmp_path)}, "/scratch") == str(tmp_path)


@pytest.mark.parametrize("worker", ["python", "snapshot", "jvm"])
def test_only_workers_that_set_limits_themselves_get_those_of_the_class(worker: str) -> None:
    limits = {"ASSAY_MEMORY_BYTES": "1073741824", "ASSAY_SCRATCH_BYTES": "67108864"}
    others = {"DUCKDB_MEMORY_LIMIT": "2GB", "ASSAY_CPUS": "2"}
    given = worker_environment({**limits, **others}, parse([worker], {}))
    wanted = limits.keys() if worker == "jvm" else set()
    assert {name: given[name] for name in limits.keys() & given.keys()} == {
        name: limits[name] for name in wanted
    }
    assert given["DUCKDB_MEMORY_LIMIT"] == "2GB"
    assert "ASSAY_CPUS" not in given
