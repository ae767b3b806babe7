"""One run, from stage to the acknowledgement of its result."""

from __future__ import annotations

import base64
import hashlib
import itertools
import time

import pytest

from refusals import refusal
from runner_client import OPERATIONS, Finished, RunnerClient, python_job

# What it prints is another each time that it runs.
TELL_THE_TIME = "import time\nprint(time.time_ns())"
PRINT_AND_WAIT = "print('x', flush=True)\nwhile True: pass"
FIVE_LINES = "import time\nfor i in range(5):\n    print(i)\n    time.sleep(0.05)\n"


def test_each_process_has_a_nonce_of_its_own(idle: RunnerClient, unstarted: RunnerClient) -> None:
    assert idle.hello()["nonce"] != unstarted.hello()["nonce"]


def test_hello_tells_the_state_and_run_that_was_staged(unstarted: RunnerClient) -> None:
    assert unstarted.stage(python_job("")).body == {"state": "Staged"}
    hello = unstarted.hello()
    assert (hello["state"], hello["runUid"]) == ("Staged", "run-1")


def test_the_same_bytes_staged_again_change_nothing(unstarted: RunnerClient) -> None:
    body = unstarted.body("stage")
    replies = [unstarted.send("stage", body) for _ in range(3)]
    assert [(reply.status, reply.body) for reply in replies] == [(200, {"state": "Staged"})] * 3


def test_other_bytes_for_the_same_run_are_refused(unstarted: RunnerClient) -> None:
    body = unstarted.body("stage")
    unstarted.send("stage", body)
    assert refusal(unstarted.stage(python_job("print(1)"))) == (409, "BytesChanged")
    assert refusal(unstarted.send("stage", body + b" ")) == (409, "BytesChanged")


@pytest.mark.parametrize("op", [op for op in OPERATIONS if op != "refuse"])
def test_a_pod_given_to_one_run_refuses_another(unstarted: RunnerClient, op: str) -> None:
    unstarted.stage(python_job(""))
    assert refusal(unstarted.call(op, runUid="run-2")) == (409, "RunMismatch")
    assert unstarted.hello()["runUid"] == "run-1"


@pytest.mark.parametrize("op", ["attach", "ack"])
def test_there_is_nothing_to_attach_to_or_acknowledge_before_start(
    unstarted: RunnerClient, op: str
) -> None:
    unstarted.stage(python_job(""))
    assert refusal(unstarted.call(op)) == (409, "NotStarted")


def test_a_staged_job_does_not_expire(fresh: RunnerClient) -> None:
    soon = int(time.time() * 1000) + 2_000
    assert fresh.stage(python_job("print('ran')"), notAfter=soon).status == 200
    while time.time() * 1000 <= soon:
        time.sleep(0.01)
    assert any(event["type"] == "output" for event in fresh.start())


def test_the_longest_code_fits(unstarted: RunnerClient) -> None:
    assert unstarted.stage(python_job("\x01" * 262_144)).status == 200


def test_a_staged_run_that_is_cancelled_never_starts(unstarted: RunnerClient) -> None:
    unstarted.stage(python_job("print('ran')"))
    assert unstarted.call("cancel").status == 200
    events = list(unstarted.start())
    assert [event["type"] for event in events] == ["result"]
    assert events[0]["outcome"] == "Cancelled"
    assert unstarted.call("cancel").body == {"state": "Finished"}


@pytest.mark.parametrize("staged", [False, True])
def test_a_runner_that_has_refused_starts_nothing(unstarted: RunnerClient, staged: bool) -> None:
    body = unstarted.body("stage", job=python_job("print('ran')"))
    if staged:
        assert unstarted.send("stage", body).status == 200
    for _ in range(2):
        assert unstarted.call("refuse").body == {"state": "Refused"}
    assert refusal(unstarted.send("stage", body)) == (409, "Refused")
    for op in ("start", "attach", "cancel", "ack"):
        assert refusal(unstarted.call(op)) == (409, "Refused")
    hello = unstarted.hello()
    assert (hello["state"], hello["runUid"]) == ("Refused", "run-1" if staged else None)


def test_a_runner_that_has_started_a_run_cannot_refuse_it(fresh: RunnerClient) -> None:
    fresh.stage(python_job(PRINT_AND_WAIT))
    stream = fresh.start()
    stream.until("output")
    assert refusal(fresh.call("refuse")) == (409, "Started")
    fresh.call("cancel")
    assert stream.until("result")["outcome"] == "Cancelled"
    assert refusal(fresh.call("refuse")) == (409, "Started")


def test_a_running_run_can_be_cancelled(fresh: RunnerClient) -> None:
    fresh.stage(python_job(PRINT_AND_WAIT))
    stream = fresh.start()
    first = stream.until("output")
    assert fresh.call("cancel").status == 200
    assert fresh.call("cancel").status == 200
    assert stream.until("result")["outcome"] == "Cancelled"
    assert base64.b64decode(first["data"]) == b"x\n"


def test_a_worker_that_is_ready_is_told_and_runs_the_job(fresh: RunnerClient) -> None:
    end = time.monotonic() + 60
    while (reply := fresh.request("GET", "/v1/ready")).status != 200:
        assert refusal(reply) == (503, "NotReady")
        assert time.monotonic() < end
        time.sleep(0.01)
    assert fresh.run("print('warm')").text == "warm\n"


def test_printed_text_comes_between_started_and_result(fresh: RunnerClient) -> None:
    finished = fresh.run("print('hello')")
    assert [event["type"] for event in finished.events] == ["started", "output", "result"]
    assert [event["seq"] for event in finished.events] == [1, 2, 3]
    assert (finished.outcome, finished.text) == ("Succeeded", "hello\n")
    assert finished.result["output"] == {
        "bytes": 6,
        "storedBytes": 6,
        "truncated": False,
        "sha256": hashlib.sha256(b"hello\n").hexdigest(),
        "tail": None,
    }


def test_output_past_the_limit_is_counted_digested_and_its_end_kept(fresh: RunnerClient) -> None:
    finished = fresh.run("for i in range(20000): print('%08d' % i)", outputBytes=1000)
    whole = "".join(f"{i:08d}\n" for i in range(20000)).encode()
    assert (finished.outcome, finished.output) == ("Succeeded", whole[:1000])
    assert finished.result["output"] == {
        "bytes": len(whole),
        "storedBytes": 1000,
        "truncated": True,
        "sha256": hashlib.sha256(whole).hexdigest(),
        "tail": base64.b64encode(whole[-8192:]).decode(),
    }


def test_output_before_the_deadline_is_kept(fresh: RunnerClient) -> None:
    finished = fresh.run(PRINT_AND_WAIT, timeoutMs=300)
    assert (finished.outcome, finished.text) == ("DeadlineExceeded", "x\n")


def test_an_error_of_the_code_is_told(fresh: RunnerClient) -> None:
    finished = fresh.run("print('before')\n{}['x']")
    assert (finished.outcome, finished.text) == ("CodeError", "before\n")
    assert (finished.error["type"], finished.error["line"]) == ("KeyError", 2)


def test_a_repeated_start_runs_the_code_once_and_streams_from_the_first_event(
    fresh: RunnerClient,
) -> None:
    fresh.stage(python_job(TELL_THE_TIME))
    everything = [list(stream) for stream in [fresh.start() for _ in range(3)]]
    assert everything[0] == everything[1] == everything[2] == list(fresh.start())
    assert len(Finished(everything[0]).text.splitlines()) == 1
    assert fresh.call("stage").code == "BytesChanged"


def test_a_repeated_start_is_refused_past_its_own_age_only(fresh: RunnerClient) -> None:
    fresh.stage(python_job(PRINT_AND_WAIT))
    fresh.start().until("output")
    assert refusal(fresh.call("start", notAfter=1)) == (403, "Expired")
    fresh.start().until("output")


def test_a_cut_stream_can_be_taken_up_again(fresh: RunnerClient) -> None:
    fresh.stage(python_job(FIVE_LINES))
    stream = fresh.start()
    first = list(itertools.islice(stream, 3))
    stream.close()
    rest = fresh.attach(2)
    assert rest.events[0] == first[2]
    assert Finished(first[:2] + rest.events).text == "0\n1\n2\n3\n4\n"


def test_a_silent_stream_is_kept_alive_by_pings(fresh: RunnerClient) -> None:
    fresh.stage(python_job(PRINT_AND_WAIT))
    lines = fresh.start().lines()
    # A start that takes long is such a silence as well.
    assert next(line for line in lines if line["type"] == "output")
    assert next(lines) == {"type": "ping"}


def test_acknowledged_events_are_forgotten(fresh: RunnerClient) -> None:
    finished = fresh.run(FIVE_LINES)
    last = finished.result["seq"]
    assert refusal(fresh.call("ack", seq=last + 1)) == (400, "Malformed")
    assert fresh.call("ack", seq=3).status == 200
    assert fresh.attach(0).events == finished.events[3:]
    assert list(fresh.start()) == finished.events[3:]
    assert fresh.call("ack", seq=2).status == 200
    assert fresh.attach(0).events == finished.events[3:]


def test_after_the_acknowledgement_of_the_result_the_runner_ends(fresh: RunnerClient) -> None:
    finished = fresh.run("")
    assert fresh.call("ack", seq=finished.result["seq"]).status == 200
    end = time.monotonic() + 30
    while True:
        try:
            fresh.hello()
        except OSError:
            return
        assert time.monotonic() < end
