"""What can be shown with a runner that is not replaced by another: one run, and its end."""

from __future__ import annotations

import itertools

from runner_client import OPERATIONS, RunnerClient, python_job

CODE = "import time\nprint(time.time_ns(), flush=True)\nprint('second')\nwhile True: pass"


def test_one_run_from_stage_to_the_end_of_the_runner(last: RunnerClient) -> None:
    body = last.body("stage", job=python_job(CODE))
    for _ in range(2):
        assert last.send("stage", body).body == {"state": "Staged"}
    assert last.stage(python_job("print('other')")).code == "BytesChanged"
    # Whose run it is does not matter to `refuse`.
    for op in set(OPERATIONS) - {"refuse"}:
        assert last.call(op, runUid="run-2").code == "RunMismatch"
    for op in ("attach", "ack"):
        assert last.call(op).code == "NotStarted"

    streams = [last.start() for _ in range(2)]
    first, again = (list(itertools.islice(stream, 2)) for stream in streams)
    assert first == again
    assert [event["type"] for event in first] == ["started", "output"]
    assert last.send("stage", body).body == {"state": "Started"}

    streams[0].close()
    assert last.call("ack", seq=1).status == 200
    assert last.call("cancel").status == 200
    rest = last.attach(0)
    assert (rest.events[0], rest.outcome) == (first[1], "Cancelled")
    assert [line.isdecimal() for line in rest.text.splitlines()] == [True, False]
    assert streams[1].finish().result == rest.result
    assert last.call("ack", seq=rest.result["seq"]).status == 200
