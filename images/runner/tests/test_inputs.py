"""Texts, inputs and kept frames of a job, through the real processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from assay_runner.snapshot_files import same
from assay_runner.worker.job_files import KeptFrame
from local_runner import NewRunner, Runner
from runner_client import Finished, Json, Reply, python_job, query_job

pytestmark = pytest.mark.slow

DATA = b"a,b\n1,2\n"
COLLECT = {"folders": ["frames", "artifacts"], "maxCount": 100, "maxBytes": 2**26}
ROOM = {"ASSAY_INPUTS_LIMIT_BYTES": "1000000"}


def refusal(reply: Reply) -> tuple[int, str]:
    return reply.status, reply.code


@pytest.fixture
def runner(new_runner: NewRunner) -> Runner:
    """A runner with room for inputs."""
    return new_runner(supervisor_environment=ROOM)


def with_inputs(code: str, *inputs: Json) -> Json:
    return python_job(code) | {"inputs": list(inputs)}


@pytest.mark.executed
def test_an_input_is_a_link_that_code_reads(runner: Runner) -> None:
    reply = runner.client.input(1, DATA)
    assert (reply.status, reply.body) == (200, {})
    code = "import os; print(open('exports/t.csv').read(), os.path.islink('exports/t.csv'))"
    finished = runner.client.finish(with_inputs(code, {"number": 1, "path": "exports/t.csv"}))
    assert finished.text == "a,b\n1,2\n True\n"


def test_a_later_input_takes_the_place_of_an_earlier_one(runner: Runner) -> None:
    assert runner.client.input(1, bytes(900_000)).status == 200
    assert runner.client.input(1, bytes(950_000)).status == 200
    assert refusal(runner.client.input(2, bytes(50_001))) == (413, "TooLarge")
    assert runner.client.input(2, bytes(50_000)).status == 200
    given = [{"number": n, "path": str(n)} for n in (1, 2)]
    code = "import os; print([os.stat(n).st_size for n in '12'])"
    assert runner.client.finish(with_inputs(code, *given)).text == "[950000, 50000]\n"


@pytest.mark.probe("input-not-asked-for")
def test_the_inputs_of_a_job_are_exactly_those_received(runner: Runner) -> None:
    one, two = ({"number": n, "path": str(n)} for n in (1, 2))
    assert runner.client.input(1, DATA).status == 200
    for inputs in ((), (two,), (one, two)):
        assert refusal(runner.client.stage(with_inputs("", *inputs))) == (409, "UploadMismatch")
    assert runner.client.stage(with_inputs("", one)).status == 200
    assert refusal(runner.client.input(1, DATA)) == (409, "UploadRefused")


@pytest.mark.probe("input-other-run")
def test_a_pod_that_has_received_an_input_belongs_to_that_run(runner: Runner) -> None:
    assert runner.client.input(1, DATA).status == 200
    assert refusal(runner.client.input(2, DATA, runUid="run-2")) == (409, "RunMismatch")
    job = with_inputs("", {"number": 1, "path": "a"})
    assert refusal(runner.client.stage(job, runUid="run-2")) == (409, "RunMismatch")


@pytest.mark.probe("input-digest")
def test_an_input_with_another_digest_leaves_no_file(runner: Runner) -> None:
    reply = runner.client.input(1, DATA, sha256="0" * 64)
    assert refusal(reply) == (401, "BadSignature")
    assert os.listdir(runner.workspace.parent / "inputs") == []
    assert runner.client.input(1, DATA).status == 200


@pytest.mark.probe("input-dataset-link")
def test_a_file_takes_the_place_of_the_link_to_a_dataset(
    runner: Runner, new_runner: NewRunner, tmp_path: Path
) -> None:
    maker = new_runner("snapshot")
    job = {"kind": "snapshot", "source": {"format": "csv", "text": "a\n1\n"}}
    limits = python_job("")["limits"]
    assert maker.client.finish(job | {"limits": limits}).outcome == "Succeeded"
    reader = new_runner(datasets={"sales": maker.snapshot})
    code = "print(open('sales.csv').read(), df.a.sum())"
    files = [{"path": "sales.csv", "text": "mine"}]
    finished = reader.client.finish(python_job(code) | {"files": files})
    assert finished.text == "mine 1\n"
    assert (maker.snapshot / "source.csv").read_text() == "a\n1\n"


@pytest.mark.probe("input-folder-link")
def test_a_folder_is_not_entered_through_a_link(new_runner: NewRunner) -> None:
    runner = new_runner(worker=None)
    (runner.workspace / "elsewhere").mkdir()
    os.symlink("elsewhere", runner.workspace / "data")
    fresh = new_runner()
    os.symlink(runner.workspace / "elsewhere", fresh.workspace / "data")
    files = [{"path": "data/x", "text": ""}]
    finished = fresh.client.finish(python_job("") | {"files": files})
    assert finished.outcome == "StartFailed"
    assert finished.error["message"].startswith("the file data/x cannot be written: ")
    assert os.listdir(runner.workspace / "elsewhere") == []


def keep(code: str, *names: str, **members: object) -> Json:
    return python_job(code) | {"keep": list(names), "collect": COLLECT, **members}


def kept_files(runner: Runner, finished: Finished) -> Iterator[tuple[str, bytes]]:
    for path, event in finished.artifacts.items():
        data = runner.client.artifact(event["number"])
        assert isinstance(data, bytes)
        yield path, data


def give(runner: Runner, files: dict[str, bytes]) -> list[Json]:
    """Send kept frames to another run, as an operator does."""
    inputs = []
    for number, (path, data) in enumerate(files.items(), start=1):
        name, kind = os.path.splitext(os.path.basename(path))
        assert runner.client.input(number, data).status == 200
        inputs.append({"number": number, "frame": name, "kind": kind[1:]})
    return inputs


MAKE = """
made = pd.DataFrame({'n': [1, None, 3], 't': ['x', 'y', None], 'c': pd.Categorical(list('aba'))},
                    index=pd.Index([10, 20, 30], name='key'))
"""


def test_a_kept_frame_is_the_same_frame_in_a_later_run(
    runner: Runner, new_runner: NewRunner
) -> None:
    finished = runner.client.finish(keep(MAKE, "made"))
    assert finished.result["artifactsMessage"] is None
    files = dict(kept_files(runner, finished))
    assert sorted(files) == ["frames/made.arrow", "frames/made.parquet"]
    later = new_runner(supervisor_environment=ROOM)
    inputs = give(later, files)
    code = MAKE.replace("made", "again")
    code += "pd.testing.assert_frame_equal(made, again)\nmade['n'] = 0\nprint(made.n.sum())"
    assert later.client.finish(python_job(code) | {"inputs": inputs}).text == "0\n"


def test_a_kept_frame_is_a_lazy_frame_of_polars_and_a_variable_of_a_query(
    runner: Runner, new_runner: NewRunner
) -> None:
    files = dict(kept_files(runner, runner.client.finish(keep(MAKE, "made"))))
    for kind, code, expected in (
        ("polars", "made.select(pl.col('n').sum())", "4.0"),
        ("python", "made.n.sum()", "4"),
    ):
        later = new_runner(supervisor_environment=ROOM)
        finished = later.client.finish(query_job(kind, code, inputs=give(later, files)))
        assert finished.outcome == "Succeeded", finished.result
        assert expected in rows(finished)


def rows(finished: Finished) -> str:
    import base64
    import json

    value = json.loads(base64.b64decode(finished.result["valueJson"]))
    return str(value["table"]["rows"])


def test_a_kept_df_takes_the_place_of_the_dataset(runner: Runner, new_runner: NewRunner) -> None:
    finished = runner.client.finish(keep("df = pd.DataFrame({'a': [7]})", "df"))
    files = dict(kept_files(runner, finished))
    later = new_runner(supervisor_environment=ROOM)
    job = python_job("print(df.a.tolist())") | {"inputs": give(later, files)}
    assert later.client.finish(job).text == "[7]\n"


def test_a_kept_frame_of_polars_is_a_table(runner: Runner, new_runner: NewRunner) -> None:
    code = (
        "import polars as pl\nlazy = pl.LazyFrame({'a': [1], 'A': ['x']})\neager = lazy.collect()"
    )
    files = dict(kept_files(runner, runner.client.finish(keep(code, "lazy", "eager"))))
    assert sorted(files) == ["frames/eager.parquet", "frames/lazy.parquet"]
    later = new_runner(supervisor_environment=ROOM)
    job = python_job("print(lazy.to_dict('list'))") | {"inputs": give(later, files)}
    assert later.client.finish(job).text == "{'a': [1], 'A_1': ['x']}\n"


@pytest.mark.parametrize("end", ["raise KeyError('x')", "import sys; sys.exit(3)"])
def test_frames_are_kept_after_an_error_as_far_as_they_are_there(runner: Runner, end: str) -> None:
    code = f"a = pd.DataFrame({{'x': [1]}})\n{end}\nb = pd.DataFrame()"
    finished = runner.client.finish(keep(code, "a", "b"))
    assert finished.outcome == "CodeError"
    assert sorted(finished.artifacts) == ["frames/a.arrow", "frames/a.parquet"]
    assert finished.result["artifactsMessage"] == ("b was not kept: there is no such variable.")


def test_what_is_no_frame_is_said_and_does_not_fail_the_run(runner: Runner) -> None:
    code = "a = [1]\nb = pd.DataFrame({'x': [object()]})\nos = 1\nc = pd.DataFrame({'x': [1]})"
    finished = runner.client.finish(keep(code, "a", "b", "c"))
    assert finished.outcome == "Succeeded"
    assert sorted(finished.artifacts) == [
        "frames/b.parquet",
        "frames/c.arrow",
        "frames/c.parquet",
    ]
    assert finished.result["artifactsMessage"] == (
        "a was not kept: it is a list, not a frame."
        " b was kept as a table, since Arrow cannot hold its values."
    )


def test_frames_over_the_limit_are_left_out_and_leave_nothing(runner: Runner) -> None:
    code = (
        "large = pd.DataFrame({'x': np.random.default_rng(1).random(10_000)})\n"
        "small = pd.DataFrame({'x': [1]})"
    )
    job = keep(code, "large", "small", collect={**COLLECT, "maxBytes": 50_000})
    finished = runner.client.finish(job)
    assert sorted(finished.artifacts) == ["frames/small.arrow", "frames/small.parquet"]
    assert finished.result["artifactsMessage"].startswith("large was not kept: it has ")
    assert not (runner.workspace / ".unfinished-frame").exists()


@pytest.mark.probe("keep-broken")
def test_code_that_breaks_what_writes_frames_harms_only_them(runner: Runner) -> None:
    code = (
        "import os\n"
        "a = pd.DataFrame({'x': [1]})\n"
        "pd.testing.assert_frame_equal = None\n"
        "os.mkdir = None\n"
    )
    finished = runner.client.finish(keep(code, "a"))
    assert (finished.outcome, finished.artifacts) == ("Succeeded", {})
    assert finished.result["artifactsMessage"] == (
        "a was not kept: TypeError: 'NoneType' object is not callable."
    )


def test_frames_of_code_that_was_stopped_are_not_kept_and_that_is_said(runner: Runner) -> None:
    code = "a = pd.DataFrame({'x': [1]})\nwhile True: pass"
    job = keep(code, "a")
    job["limits"] |= {"timeoutMs": 500}
    finished = runner.client.finish(job)
    assert (finished.outcome, finished.artifacts) == ("DeadlineExceeded", {})
    assert finished.result["artifactsMessage"] == (
        "Frames were not kept: the worker ended before it had written them."
    )


def test_the_value_of_a_query_is_kept_as_its_frame(runner: Runner) -> None:
    code = "result = pd.DataFrame({'x': [1, 2]})"
    job = query_job("python", code, keep=["result"], collect=COLLECT)
    finished = runner.client.finish(job)
    assert sorted(finished.artifacts) == ["frames/result.arrow", "frames/result.parquet"]
    assert "[[1], [2]]" in rows(finished)


@pytest.mark.probe("keep-no-frame")
def test_a_file_that_is_no_frame_fails_the_start_and_names_it(runner: Runner) -> None:
    assert runner.client.input(1, b"not arrow").status == 200
    job = with_inputs("print(1)", {"number": 1, "frame": "sales", "kind": "arrow"})
    finished = runner.client.finish(job)
    assert finished.outcome == "StartFailed"
    assert finished.error["message"].startswith("the kept frame sales cannot be read: ")


def test_a_frame_that_arrow_could_not_hold_is_read_from_its_table(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    frame.to_parquet(tmp_path / "1")
    kept = KeptFrame("a", {"parquet": str(tmp_path / "1")})
    assert same(kept.load(), frame)
    scanned = kept.scan()
    assert isinstance(scanned, pl.LazyFrame)
    assert scanned.collect().to_dict(as_series=False) == {"a": [1, 2]}
