"""Jobs of operators that do not know the newest additions to the protocol."""

from __future__ import annotations

import json
from pathlib import Path

from local_runner import NewRunner
from messages import SCHEMAS

JOBS = [
    json.loads(line)
    for line in (SCHEMAS.parent / "recorded" / "jobs.ndjson").read_text().splitlines()
]


def test_a_job_without_datasets_gets_those_of_the_workers_command(
    new_runner: NewRunner, tmp_path: Path
) -> None:
    maker = new_runner("snapshot")
    made = maker.client.finish(JOBS[1])
    assert (made.outcome, made.result["value"]["rows"]) == ("Succeeded", 2)
    datasets = {"sales": maker.snapshot, "stores": maker.snapshot}
    finished = new_runner(datasets=datasets).client.finish(JOBS[0])
    assert (finished.outcome, finished.text) == ("Succeeded", "['sales', 'stores']\n(2, 2)\n")
