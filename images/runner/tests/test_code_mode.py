"""Code mode: the guard before the first instruction, the library, and the folders."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assay_runner.worker.code_mode import MAX_ERROR_BYTES
from local_runner import NewRunner, Runner
from runner_client import Finished, python_job
from test_guard import bypasses

pytestmark = pytest.mark.slow

GUARD: dict[str, list[str]] = {"allowedModules": []}
Run = Callable[..., tuple[Runner, Finished]]


@pytest.fixture(params=["cold", "warm"])
def run(new_runner: NewRunner, request: pytest.FixtureRequest) -> Run:
    """Runs code in code mode, as in a Pod of its own and as in one of a pool.

    `None` removes a member of the job.
    """
    environment = {"ASSAY_WARM_UP": str(request.param == "warm").lower()}

    def finished(code: str, **members: Any) -> tuple[Runner, Finished]:
        mounted = members.pop("mounted", {})
        runner = new_runner(datasets=mounted, worker_environment=environment)
        limits = members.pop("limits", {})
        job = {**python_job(code, **limits), "mode": "code", "guard": GUARD, **members}
        job = {name: member for name, member in job.items() if member is not None}
        return runner, runner.client.finish(job)

    return finished


def text_of(found: tuple[Runner, Finished]) -> str:
    assert found[1].outcome == "Succeeded", found[1].error
    return found[1].text


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """A snapshot with a frame and a table."""
    directory = tmp_path / "sales"
    directory.mkdir()
    frame = pd.DataFrame({"region": ["north", "south", "north"], "amount": [10, 20, 30]})
    frame.to_csv(directory / "source.csv", index=False)
    frame.to_parquet(directory / "frame.parquet")
    table = {"files": ["frame.parquet"], "hive": False, "columns": [], "rows": 3}
    description = {"version": 1, "format": "csv", "table": table}
    (directory / "description.json").write_text(json.dumps(description))
    return directory


def test_code_that_the_guard_refuses_is_not_started(run: Run) -> None:
    runner, finished = run("print('ran')\nimport os, socket\neval('1')\n")
    assert (finished.outcome, finished.text) == ("StartFailed", "")
    assert [event["type"] for event in finished.events] == ["result"]
    assert finished.error == {
        "type": "GuardRefused",
        "message": (
            "Code safety validation failed:\n"
            "- line 2: import os: Operating system access not allowed\n"
            "- line 2: import socket: Network access not allowed\n"
            "- line 3: eval: Dynamic code execution not allowed"
        ),
        "line": 2,
        "traceback": None,
        "code": None,
        "column": None,
    }
    value = json.loads(base64.b64decode(finished.result["valueJson"]))
    assert value["violations"][0] == {
        "pattern": "import os",
        "line": 2,
        "severity": "high",
        "reason": "Operating system access not allowed",
    }
    assert (len(value["violations"]), value["total"], len(value["alternatives"])) == (3, 3, 3)
    assert not list(runner.workspace.iterdir())


@pytest.mark.parametrize(
    ("code", "line"),
    [("x = 1\nif", 2), ("x = '\0'", 1), ("-" * 100_000 + "1", 1)],
)
def test_what_python_cannot_compile_is_refused_in_the_same_way(
    run: Run, code: str, line: int
) -> None:
    _, finished = run(code)
    assert (finished.outcome, finished.error["type"]) == ("StartFailed", "GuardRefused")
    assert finished.error["line"] == line
    assert finished.error["message"].startswith("Code safety validation failed:\n- line ")


def test_a_hundred_thousand_violations_are_counted(run: Run) -> None:
    _, finished = run("eval\n" * 50_000)
    value = json.loads(base64.b64decode(finished.result["valueJson"]))
    assert (len(value["violations"]), value["total"]) == (100, 50_000)
    assert finished.error["message"].endswith("\nand 49900 more")
    assert len(finished.error["message"].encode()) <= 4096


def test_a_class_can_allow_more_or_have_no_guard(run: Run) -> None:
    code = "import zlib, os\nprint('ran')"
    allowed = {"allowedModules": ["zlib", "os"]}
    assert text_of(run(code, guard=allowed)) == "ran\n"
    assert text_of(run(code, guard=None)) == "ran\n"
    assert run(code, guard={"allowedModules": ["os"]})[1].error["type"] == "GuardRefused"


def test_a_class_can_have_a_guard_for_standard_runs(run: Run) -> None:
    _, finished = run("import os", mode=None)
    assert finished.error["type"] == "GuardRefused"
    _, finished = run("import orchestrator", mode=None)
    assert finished.error["type"] == "ModuleNotFoundError"


def test_the_library_can_be_imported_in_code_mode_only(run: Run, new_runner: NewRunner) -> None:
    code = "import orchestrator.mcp\nprint(orchestrator.mcp.__all__)"
    assert text_of(run(code)) == "['analytics', 'data', 'models', 'register_artifact', 'viz']\n"
    others = ("import assay_orchestrator", "import sys; sys.path.append('.')\n" + code)
    for standard in (code, *others):
        finished = new_runner().client.run(standard)
        assert finished.error["type"] == "ModuleNotFoundError"


def test_a_standard_run_has_no_folders_of_code_mode(new_runner: NewRunner) -> None:
    runner = new_runner()
    finished = runner.client.run("import os, sys\nprint(os.listdir('.'), sys.path[1:])")
    assert "library" not in finished.text
    assert finished.text.startswith("['main.py']")


WORK = """
from orchestrator.mcp import analytics, data, models, register_artifact, viz
frame = data.load_csv("data/raw/sales.csv")
print(data.validate_schema(frame, ["region", "amount"])["valid"])
print(data.load_sql("SELECT sum(amount)::INT AS n FROM sales")["n"].tolist(), len(df))
print(analytics.describe_data(frame)["numeric_columns"])
print(analytics.detect_drift(frame, df)["overall_drift"])
print(models.evaluate_model([1, 2], [1, 2])["mae"])
print(viz.plot_distribution(frame, "amount"), viz.generate_report("# Sales"))
frame.to_csv("data/processed/out.csv")
open("notes.txt", "w").write("mine")
print(register_artifact("notes.txt"))
"""


def test_the_functions_work_on_the_datasets_of_the_run(run: Run, sales: Path) -> None:
    found = run(WORK, mounted={"sales": sales}, scriptName="agent_run-1")
    assert text_of(found) == (
        "True\n[60] 3\n['amount']\nFalse\n0.0\n"
        "reports/distribution_amount.png reports/report.html\nnotes.txt\n"
    )
    workspace = found[0].workspace
    left = {str(path.relative_to(workspace)) for path in workspace.rglob("*") if path.is_file()}
    assert left == {
        *("main.py", "notes.txt", "sales.csv", "data/raw/sales.csv", "data/processed/out.csv"),
        *("reports/report.html", "reports/distribution_amount.png"),
        *(".work/generated/agent_run-1.py", ".work/tables.json", ".work/registered"),
    }
    assert (workspace / ".work/generated/agent_run-1.py").read_text() == WORK
    assert (workspace / ".work/registered").read_text() == "notes.txt\n"
    assert [path.name for path in workspace.iterdir() if path.is_dir()]
    for folder in ("models", "artifacts"):
        assert (workspace / folder).is_dir()


def test_a_dataset_without_a_table_can_be_used_without_sql(run: Run, sales: Path) -> None:
    (sales / "description.json").write_text('{"version": 1, "format": "csv"}')
    assert text_of(run("print(len(df))", mounted={"sales": sales})) == "3\n"


ERRORS = """
import sys
print("to stdout")
print("é", file=sys.stderr)
sys.stderr.write("written\\n")
sys.stderr.writelines(["a", "b\\n"])
sys.stderr.buffer.write(b"bytes\\xff\\n")
import warnings; warnings.warn("careful")
"""


def test_what_python_writes_to_stderr_is_also_a_file(run: Run, new_runner: NewRunner) -> None:
    found = run(ERRORS, guard=None, scriptName="a_b")
    standard = new_runner().client.run(ERRORS)
    # The ordered output is the same.
    assert (found[1].outcome, found[1].output) == ("Succeeded", standard.output)
    kept = (found[0].workspace / ".work/logs/a_b.err").read_bytes()
    assert found[1].output == b"to stdout\n" + kept
    assert kept.startswith("é\nwritten\nab\nbytes".encode() + b"\xff\n")
    assert kept.endswith(b'UserWarning: careful\n  import warnings; warnings.warn("careful")\n')


def test_the_file_of_stderr_is_limited_and_not_there_without_need(run: Run) -> None:
    code = "import sys\nfor _ in range(100): print('x' * 9999, file=sys.stderr)"
    found = run(code, guard=None)
    assert len(text_of(found)) == 1_000_000
    assert (found[0].workspace / ".work/logs/main.err").stat().st_size == MAX_ERROR_BYTES
    found = run("print(1)")
    assert not list((found[0].workspace / ".work/logs").iterdir())


def test_code_may_delete_the_folders(run: Run) -> None:
    code = "import shutil, sys\nshutil.rmtree('.work')\nprint('x', file=sys.stderr)"
    assert text_of(run(code, guard=None)) == "x\n"


def test_stderr_is_kept_when_time_runs_out(run: Run) -> None:
    code = "import sys, time\nprint('so far', file=sys.stderr)\ntime.sleep(60)"
    runner, finished = run(code, guard=None, limits={"timeoutMs": 2000})
    assert finished.outcome == "DeadlineExceeded"
    assert (runner.workspace / ".work/logs/main.err").read_text() == "so far\n"


def test_a_traceback_names_the_script_as_in_a_standard_run(run: Run, new_runner: NewRunner) -> None:
    code = "x = 1\nx.y\n"
    assert run(code)[1].error == new_runner().client.run(code).error


OUTCOMES = {
    "pandas.io.common.os.environ": "environ(",
    'pandas.read_csv("http://198.51.100.1/x.csv")': "Network access is disabled",
    "pandas.io.common.os.fork()": "",
    '(lambda n: open(n, "w"))("/" + "etc/hosts")': None,
    'getattr(len, "__self__").eval("1 + 1")': "2",
}


def test_the_outcomes_are_those_of_the_documented_bypasses() -> None:
    assert bypasses() == list(OUTCOMES)


@pytest.mark.parametrize(
    "bypass", [bypass for bypass, outcome in OUTCOMES.items() if outcome is not None]
)
def test_a_bypass_ends_as_documented(run: Run, bypass: str) -> None:
    # The file is written in a Pod only: there, the root is read-only.
    _, finished = run(f"import pandas\nprint(repr({bypass}))")
    found = finished.text if finished.error is None else finished.error["message"]
    assert OUTCOMES[bypass] in found
    assert "KUBERNETES" not in found
    assert "ASSAY_PUBLIC_KEYS" not in found
