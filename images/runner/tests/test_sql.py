"""SQL from the request to the result, in the JVM worker as the launcher starts it.

`./mvnw package` makes the worker. Without it, or without a JDK, the tests are skipped and say so.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import jvm_layout
from local_runner import NewRunner, Runner
from runner_client import LIMITS, Finished, Json

pytestmark = jvm_layout.needs("worker.jar")


@pytest.fixture(scope="module")
def jvm_runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worker's directory as in the image."""
    return jvm_layout.make(tmp_path_factory.mktemp("jvm-runner"))


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    snapshot = tmp_path / "sales"
    snapshot.mkdir()
    pq.write_table(pa.table({"id": [1, 2, 3], "region": ["n", "s", "n"]}), snapshot / "t.parquet")
    table = {"files": ["t.parquet"], "hive": False, "columns": [], "rows": 3}
    (snapshot / "description.json").write_text(json.dumps({"version": 3, "table": table}))
    return snapshot


@pytest.fixture
def runner(new_runner: NewRunner, jvm_runner: Path, sales: Path) -> Runner:
    place = {"ASSAY_JVM_RUNNER": str(jvm_runner)}
    return new_runner(
        "jvm",
        datasets={"sales-2024": sales},
        supervisor_environment={"ASSAY_WORKER": "jvm", **place},
        worker_environment={"ASSAY_CPUS": "1", **place},
    )


def _run(runner: Runner, code: str, **members: object) -> Finished:
    job = {
        "kind": "sql",
        "code": code,
        "datasets": [{"name": "sales-2024", "displayName": "sales 2024"}],
        "reply": {"rows": 100},
        "limits": LIMITS,
        **members,
    }
    assert runner.client.stage(job).status == 200
    return runner.client.start().finish()


def _value(finished: Finished) -> Json:
    value: Json = json.loads(base64.b64decode(finished.result["valueJson"]))
    return value


def test_a_query_returns_its_rows(runner: Runner) -> None:
    finished = _run(
        runner,
        "SELECT region, count(*) AS n FROM sales_2024 WHERE id < ? GROUP BY 1 ORDER BY 1",
        input="[3]",
    )
    assert (finished.outcome, finished.output) == ("Succeeded", b"")
    assert _value(finished)["table"]["rows"] == [["n", 1], ["s", 1]]


def test_an_error_has_a_code_and_a_place(runner: Runner) -> None:
    finished = _run(runner, "SELECT 1;\nSELECT regio FROM sales_2024")
    assert finished.outcome == "CodeError"
    error = finished.result["error"]
    assert (error["code"], error["line"]) == ("QUERY_ERROR", 2)
    assert error["message"] == "Column 'regio' not found. Did you mean 'region'?"
    assert _value(finished)["failure"]["column"] == 8


def test_a_query_without_an_end_is_stopped_and_leaves_the_rows_that_there_are(
    runner: Runner,
) -> None:
    finished = _run(
        runner,
        "FROM range(1000000000000)",
        limits={**LIMITS, "timeoutMs": 3000, "stopGraceMs": 5000},
    )
    assert finished.outcome == "DeadlineExceeded"
    table = _value(finished)["table"]
    assert len(table["rows"]) == 1000
    assert table["truncated"]


def test_the_engine_has_the_threads_of_its_container(runner: Runner) -> None:
    finished = _run(runner, "SELECT current_setting('threads')")
    assert _value(finished)["table"]["rows"] == [[1]]
