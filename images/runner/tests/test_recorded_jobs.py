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

RECORDED = SCHEMAS.parent / "recorded"
GENERATIONS = (".", "values", "queries")


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


@pytest.mark.parametrize("generation", GENERATIONS)
def test_each_job_is_still_one_of_the_protocol(generation: str) -> None:
    messages = Messages()
    for job in jobs(generation):
        messages.check("job", job)
        taken = take_job(Members("job", job))
        assert taken.kind == job["kind"]
