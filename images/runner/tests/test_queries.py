"""Jobs whose code returns a value: Polars, and Python with a reply."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assay_runner.worker.datasets import Dataset
from assay_runner.worker.query.snapshot_paths import without_paths
from local_runner import NewRunner, Runner
from runner_client import LIMITS, Finished, query_job

pytestmark = pytest.mark.slow

Query = Callable[..., Finished]


@pytest.fixture
def flights(tmp_path: Path) -> Path:
    """A snapshot with a frame and a table."""
    directory = tmp_path / "flights"
    directory.mkdir()
    frame = pd.DataFrame({"carrier": ["UA", "AA", "UA"], "distance": [10, 20, 30]})
    frame.to_csv(directory / "source.csv", index=False)
    frame.to_parquet(directory / "frame.parquet")
    table = {"files": ["frame.parquet"], "hive": False, "columns": [], "rows": 3}
    description = {"version": 1, "format": "csv", "table": table}
    (directory / "description.json").write_text(json.dumps(description))
    return directory


def start(new_runner: NewRunner, datasets: Mapping[str, Path]) -> Runner:
    names = {"ASSAY_DISPLAY_NAMES": "flights-2013=Flights 2013"}
    return new_runner(datasets=datasets, load=0, worker_environment=names)


@pytest.fixture
def query(new_runner: NewRunner, flights: Path) -> Query:
    """Runs a query over flights-2013, displayed as `Flights 2013`."""

    def run(kind: str, code: str, **members: Any) -> Finished:
        runner = start(new_runner, {"flights-2013": flights})
        datasets = [{"name": "flights-2013", "displayName": "Flights 2013"}]
        return runner.client.finish(query_job(kind, code, **{"datasets": datasets, **members}))

    return run


def value(finished: Finished) -> Any:
    return json.loads(base64.b64decode(finished.result["valueJson"]))


def rows(finished: Finished) -> Any:
    assert finished.outcome == "Succeeded", finished.error
    return value(finished)["table"]["rows"]


SUMS = ".group_by('carrier').agg(pl.sum('distance')).sort('carrier')"
SUM = [["AA", 20], ["UA", 40]]


@pytest.mark.parametrize(
    "code",
    [
        "df.group_by('carrier').agg(pl.col('distance').sum()).sort('carrier')",
        "  df.group_by('carrier')\n    .agg(pl.col('distance').sum())\n    .sort('carrier')\n",
        "(Flights_2013\n .group_by('carrier').agg(pl.sum('distance'))\n .sort('carrier'))",
        "by = 'carrier'\nflights_2013\n  .group_by(by)\n  .agg(pl.sum('distance'))\n  .sort(by)",
        "result = df.group_by('carrier').agg(pl.sum('distance')).sort('carrier')\nprint('done')",
        "t = pl.scan_csv('Flights 2013.csv')\nt" + SUMS,
        "t = datasets['Flights 2013']\nt" + SUMS,
    ],
)
def test_a_polars_query_is_an_expression_a_chain_or_statements(query: Query, code: str) -> None:
    finished = query("polars", code)
    assert rows(finished) == SUM
    found = value(finished)
    assert (found["engine"], found["cacheable"]) == ("polars", False)
    assert [column["type"] for column in found["table"]["columns"]] == ["String", "Int64"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("df.groupby('carrier')['distance'].sum()", SUM),
        ("result = len(Flights_2013)", [[3]]),
        ("result = 1\n2", [[1]]),
        ("x = 1; x + 1", [[2]]),
        (
            "# comment\nfrom __future__ import annotations\ndef f(x: y): return 1\nf(0)  # ends",
            [[1]],
        ),
        ("import sys\nresult = 5\nsys.exit()", [[5]]),
        ("parameters['n'] * 2", [[8]]),
        ("pl.DataFrame({'a': [1]})", [[1]]),
    ],
)
def test_python_returns_result_or_its_last_expression(
    query: Query, code: str, expected: object
) -> None:
    assert rows(query("python", code, input='{"n": 4}')) == expected


def test_python_that_has_no_value_returns_none_and_prints(query: Query) -> None:
    finished = query("python", "x = 1\nprint(x)")
    assert (finished.outcome, finished.text) == ("Succeeded", "1\n")
    assert finished.result["valueJson"] is None


def test_a_script_without_reply_is_run_as_ever(new_runner: NewRunner) -> None:
    finished = new_runner().client.run("result = 5\nresult")
    assert (finished.outcome, finished.result["valueJson"]) == ("Succeeded", None)


def test_a_dataset_is_loaded_only_where_its_variable_is_a_word(
    new_runner: NewRunner, flights: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    datasets = [{"name": "flights"}, {"name": "broken"}]
    for kind in ("python", "polars"):
        runner = start(new_runner, {"flights": flights, "broken": broken})
        assert rows(runner.client.finish(query_job(kind, "1 # brokenly", datasets=datasets))) == [
            [1]
        ]
        runner = start(new_runner, {"flights": flights, "broken": broken})
        finished = runner.client.finish(query_job(kind, "broken", datasets=datasets))
        assert (finished.outcome, finished.error["code"]) == ("StartFailed", "SCHEMA_ERROR")


def test_a_dataset_without_a_table_has_to_be_loaded_again(
    new_runner: NewRunner, flights: Path
) -> None:
    (flights / "description.json").write_text('{"version": 1, "format": "csv"}')
    runner = start(new_runner, {"flights": flights})
    finished = runner.client.finish(query_job("polars", "df", datasets=[{"name": "flights"}]))
    assert finished.error["code"] == "SCHEMA_ERROR"
    assert finished.error["message"].endswith("has no table: load it again")


def test_python_may_name_a_dataset_without_a_frame_and_is_told_where_it_wants_that(
    query: Query, flights: Path
) -> None:
    description = json.loads((flights / "description.json").read_text())
    (flights / "description.json").write_text(json.dumps({**description, "frameless": True}))
    scanned = query("python", "pl.scan_csv('Flights 2013.csv').select(pl.len()) # df")
    assert (rows(scanned), value(scanned)["rowsScanned"]) == ([[3]], 3)
    finished = query("python", "1\ndf.head()")
    assert (finished.outcome, finished.error["code"]) == ("CodeError", "SCHEMA_ERROR")
    assert (finished.error["line"], "pl.scan_parquet" in finished.error["message"]) == (2, True)
    assert "query_type sql" in value(finished)["failure"]["suggestions"][0]


@pytest.mark.parametrize(
    "code",
    ["df", "df + 1", "2 * df", "df['a'] = 1", "df.x = 1", "df == 1", "pd.DataFrame(df)"],
)
def test_whatever_python_does_with_a_dataset_without_a_frame_is_told_so(
    query: Query, flights: Path, code: str
) -> None:
    description = json.loads((flights / "description.json").read_text())
    (flights / "description.json").write_text(json.dumps({**description, "frameless": True}))
    finished = query("python", code)
    assert finished.error["type"] == "NoFrameError"
    assert finished.error["message"].startswith("the dataset has no frame, and so no df. It is a")


def test_a_query_of_datasets_with_one_display_name_names_the_file_of_each(
    new_runner: NewRunner, flights: Path
) -> None:
    given = {"a": flights, "b": flights}
    names = {"ASSAY_DISPLAY_NAMES": "a=Same,b=Same"}
    runner = new_runner(datasets=given, load=0, worker_environment=names)
    datasets = [{"name": name, "displayName": "Same"} for name in given]
    job = query_job(
        "python", "[len(open(f).read()) for f in ('Same.csv', 'b.csv')]", datasets=datasets
    )
    finished = runner.client.finish(job)
    assert finished.outcome == "Succeeded", finished.error
    assert value(finished)["warnings"] == [
        "Several datasets have the same display name. Files in /workspace: Same.csv (a), b.csv (b)"
    ]


def test_a_query_that_scanned_says_how_many_rows_its_tables_have(query: Query) -> None:
    assert value(query("polars", "df.select(pl.len())"))["rowsScanned"] == 3
    assert value(query("python", "df.head(1)"))["rowsScanned"] == 3


@pytest.mark.parametrize(
    ("kind", "code", "line", "suggestion", "context"),
    [
        (
            *("polars", "x = 1\ndf.select('distanse')", 2),
            *("Did you mean 'distance'?", "df.select('distanse')"),
        ),
        (
            *("polars", "df.collect().select('distanse')", 1),
            *("Did you mean 'distance'?", "df.collect().select('distanse')\n^"),
        ),
        (
            *("python", "\ny = df['Carier'] + 1", 2),
            *("Did you mean 'carrier'?", "y = df['Carier'] + 1\n    ^"),
        ),
        ("python", "df['zzz']", 1, "The columns are 'carrier', 'distance'", "df['zzz']\n^"),
        ("python", "flights_2014", 1, "Did you mean 'Flights_2013'?", None),
        ("python", "x = 0\n1 / x", 2, "Correct line 2 and call again", "1 / x\n^"),
        ("python", "import nothing_at_all", 1, "describe_runtime lists", None),
        ("python", "df\nx = (1 +", 2, "Correct the syntax of line 2", "x = (1 +\n    ^"),
    ],
)
def test_an_error_has_a_code_a_place_and_advice(
    query: Query, kind: str, code: str, line: int, suggestion: str, context: str | None
) -> None:
    finished = query(kind, code)
    assert (finished.outcome, finished.error["code"]) == ("CodeError", "QUERY_ERROR")
    assert finished.error["line"] == line
    assert "frame.parquet" not in finished.error["message"]
    assert "assay_runner" not in (finished.error["traceback"] or "")
    failure = value(finished)["failure"]
    assert failure["line"] == line
    assert failure["suggestions"][0].startswith(suggestion)
    if context is not None:
        assert failure["context"] == context


def test_an_error_names_the_table_and_not_where_its_snapshot_is(query: Query) -> None:
    finished = query("polars", "df.select('distanse')")
    assert "SCAN [Flights_2013]" in finished.error["traceback"]
    assert "frame.parquet" not in finished.error["traceback"]


def test_a_path_in_a_snapshot_that_the_code_has_itself_is_shown_as_it_is() -> None:
    datasets = [Dataset("a", "A 1"), Dataset("a-b", "B")]
    error = "SCAN [/datasets/a-b/source.parquet/y=1/x.parquet, ... 2 other], '/datasets/a/f'"
    shown = without_paths("/datasets", datasets, "df.select('x')")
    assert shown(f"{error} /datasets/c") == "SCAN [B, ... 2 other], 'A_1' /datasets/c"
    assert without_paths("/datasets", datasets, "open('/datasets/a/f')")(error) == error


@pytest.mark.parametrize(
    ("kind", "code", "message"),
    [
        ("python", "import json\nresult = json", "result is the module json"),
        ("python", "(x for x in [1])", "return list(result)"),
        ("polars", "x = 1", "the query has no value"),
        ("polars", "pl.col('a')", "apply it to a table"),
    ],
)
def test_a_value_that_is_no_data_is_an_error_of_the_query(
    query: Query, kind: str, code: str, message: str
) -> None:
    finished = query(kind, code)
    assert (finished.outcome, finished.error["type"]) == ("CodeError", "ResultError")
    assert (finished.error["code"], message in finished.error["message"]) == ("QUERY_ERROR", True)
    assert finished.error["line"] == len(code.splitlines())
    assert "assay_runner" not in finished.error["traceback"]
    assert value(finished)["failure"]["suggestions"][0].startswith("A result is a table")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("open('nothing.csv')", "FILE_NOT_FOUND"),
        ("raise MemoryError", "MEMORY_ERROR"),
        ("import sys\nsys.exit(3)", None),
    ],
)
def test_errors_of_other_kinds_have_their_codes(
    query: Query, code: str, expected: str | None
) -> None:
    assert query("python", code).error["code"] == expected


def test_what_result_holds_when_time_runs_out_is_the_value(query: Query) -> None:
    limits = {**LIMITS, "timeoutMs": 2000, "stopGraceMs": 8000}
    finished = query("python", "result = [1, 2]\nwhile True: pass", limits=limits)
    assert (finished.outcome, finished.error["line"]) == ("DeadlineExceeded", 2)
    assert value(finished)["table"]["rows"] == [[1], [2]]
    assert "was stopped" in value(finished)["warnings"][0]


def test_a_script_of_a_query_is_a_script(query: Query) -> None:
    code = (
        "import atexit, inspect, sys, threading\n"
        "atexit.register(print, 'handler')\n"
        "def f(): return 1\n"
        "print(__name__, inspect.getsource(f), end='')\n"
        "sys.stdout.flush()\n"
        "threading.Timer(0.01, lambda: print('thread')).start()\n"
        "f()\n"
    )
    finished = query("python", code)
    assert rows(finished) == [[1]]
    assert finished.text == "__main__ def f(): return 1\nthread\nhandler\n"
