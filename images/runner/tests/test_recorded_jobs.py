"""Jobs of operators that do not know the newest additions to the protocol."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from assay_runner.supervisor.jobs import take_job
from assay_runner.supervisor.members import Members
from local_runner import NewRunner
from messages import SCHEMAS, Messages
from runner_client import RunnerClient, Stream

pytestmark = pytest.mark.slow

RECORDED = SCHEMAS.parent / "recorded"
GENERATIONS = (".", "values", "queries", "tools")


def jobs(generation: str) -> list[dict[str, Any]]:
    """Return what an operator of a generation sent."""
    text = (RECORDED / generation / "jobs.ndjson").read_text()
    return [json.loads(line) for line in text.splitlines()]


def of_kind(generation: str, kind: str) -> dict[str, Any]:
    return next(job for job in jobs(generation) if job["kind"] == kind)


def make_snapshot(new_runner: NewRunner, generation: str) -> Path:
    maker = new_runner("snapshot")
    made = maker.client.finish(of_kind(generation, "snapshot"))
    assert (made.outcome, made.result["value"]["rows"]) == ("Succeeded", 2)
    return maker.snapshot


def test_a_job_without_datasets_gets_those_of_the_workers_command(
    new_runner: NewRunner,
) -> None:
    snapshot = make_snapshot(new_runner, ".")
    runner = new_runner(datasets={"sales": snapshot, "stores": snapshot})
    finished = runner.client.finish(of_kind(".", "python"))
    assert (finished.outcome, finished.text) == ("Succeeded", "['sales', 'stores']\n(2, 2)\n")


def test_a_job_that_names_its_datasets_gets_them_in_its_order(new_runner: NewRunner) -> None:
    snapshot = make_snapshot(new_runner, "values")
    runner = new_runner(datasets={"sales": snapshot, "stores": snapshot})
    finished = runner.client.finish(of_kind("values", "python"))
    assert (finished.outcome, finished.text) == ("Succeeded", "['stores', 'sales']\n(2, 2)\n")


def test_a_job_that_wants_a_value_returns_it(new_runner: NewRunner) -> None:
    snapshot = make_snapshot(new_runner, "queries")
    wanted = [job for job in jobs("queries") if "reply" in job and job["kind"] != "sql"]
    assert [job["kind"] for job in wanted] == ["python", "polars"]
    for job, rows in zip(wanted, ([[4]], [[3]]), strict=True):
        runner = new_runner(datasets={"sales-2024": snapshot}, load=0)
        finished = runner.client.finish(job)
        assert finished.outcome == "Succeeded", finished.error
        value = json.loads(base64.b64decode(finished.result["valueJson"]))
        assert value["table"]["rows"] == rows


def tool_results() -> list[bytes]:
    """Return what an operator sent for calls: a result, an error, and the end of the run."""
    return (RECORDED / "tools" / "tool-results.ndjson").read_bytes().splitlines()


def start_calling(client: RunnerClient) -> Stream:
    assert client.stage(of_kind("tools", "python")).status == 200
    return client.start()


def test_a_job_that_calls_tools_takes_their_results(new_runner: NewRunner) -> None:
    client = new_runner().client
    stream = start_calling(client)
    done, failed, _ = tool_results()
    stream.until("tool_call")
    assert client.tool_result(1, done).status == 200
    assert [stream.until("tool_call")["call"] for _ in range(2)] == [2, 3]
    assert client.tool_result(2, done).status == 200
    assert client.tool_result(3, failed).status == 200
    assert stream.finish().text == "2.5 [True, False]\n"


def test_a_result_that_ends_the_run_ends_it(new_runner: NewRunner) -> None:
    client = new_runner().client
    stream = start_calling(client)
    stream.until("tool_call")
    assert client.tool_result(1, tool_results()[2]).status == 200
    finished = stream.finish()
    assert (finished.outcome, finished.error["code"]) == ("CodeError", "MAX_TOOL_CALLS_EXCEEDED")


@pytest.mark.parametrize("generation", GENERATIONS)
def test_each_job_is_still_one_of_the_protocol(generation: str) -> None:
    messages = Messages()
    for job in jobs(generation):
        messages.check("job", job)
        taken = take_job(Members("job", job))
        assert taken.kind == job["kind"]
