"""Tools that Python code calls."""

from __future__ import annotations

import base64
import datetime
import itertools
import json
import math

import numpy as np
import pytest

from assay_runner.worker.tool_requests import (
    InvalidCallError,
    parallel_calls,
    tool_request,
    tool_requests,
)
from local_runner import NewRunner, Runner
from runner_client import LIMITS, Json, RunnerClient, Stream, python_job, query_job

pytestmark = pytest.mark.slow

TOOLS = {"maxParallel": 4, "resultBytes": 8 * 2**20}


@pytest.fixture
def runner(new_runner: NewRunner) -> Runner:
    return new_runner()


def start(client: RunnerClient, code: str, **limits: int) -> Stream:
    assert client.stage({**python_job(code, **limits), "tools": TOOLS}).status == 200
    return client.start()


def answer(client: RunnerClient, call: int, **outcome: object) -> None:
    assert client.tool_result(call, json.dumps(outcome).encode()).status == 200


def test_rows_of_a_server_become_a_frame(runner: Runner) -> None:
    code = (
        "rows = call_tool('store', 'orders')['result']\n"
        "print(pd.DataFrame(rows).groupby('city')['total'].sum().to_dict())"
    )
    stream = start(runner.client, code)
    stream.until("tool_call")
    rows = [{"city": "Ulm", "total": n} for n in range(50_000)]
    answer(runner.client, 1, ok=True, result=rows)
    assert stream.finish().text == "{'Ulm': 1249975000}\n"


def test_code_that_returns_a_value_calls_tools_too(runner: Runner) -> None:
    job = query_job("python", "call_tool('s', 't')['result']['n'] + 1", tools=TOOLS)
    assert runner.client.stage(job).status == 200
    stream = runner.client.start()
    stream.until("tool_call")
    answer(runner.client, 1, ok=True, result={"n": 41})
    value = json.loads(base64.b64decode(stream.finish().result["valueJson"]))
    assert value["table"]["rows"] == [[42]]


def test_what_the_tool_returned_is_an_attribute_of_the_outcome(runner: Runner) -> None:
    stream = start(runner.client, "r = call_tool('s', 't')\nprint(r, r.raw['content'])")
    stream.until("tool_call")
    answer(runner.client, 1, ok=True, result=1, raw={"content": ["text"]})
    assert stream.finish().text == "{'ok': True, 'result': 1} ['text']\n"


def test_an_error_is_an_outcome_and_the_code_goes_on(runner: Runner) -> None:
    stream = start(runner.client, "print(call_tool('s', 't')['error']['code'])")
    stream.until("tool_call")
    answer(runner.client, 1, ok=False, error={"code": "UPSTREAM_ERROR", "message": "no"})
    assert stream.finish().text == "UPSTREAM_ERROR\n"


def test_a_malformed_call_is_an_outcome_and_nothing_is_sent(runner: Runner) -> None:
    code = (
        "print(call_tool('s', 't', [1]))\n"
        "print(call_tools([{'server': 's', 'tool': 't'}, {'server': 's'}]))\n"
        "print(call_tools([]), call_tools([], 33)['error']['member'])"
    )
    finished = start(runner.client, code).finish()
    assert finished.text.splitlines() == [
        "{'ok': False, 'error': {'code': 'INVALID_ARGS', 'message': 'args must be a dict', "
        "'sent': 'no', 'member': 'args'}}",
        "{'ok': False, 'error': {'code': 'INVALID_ARGS', 'message': 'requests[1].tool must be text "
        "of 1 to 256 bytes', 'sent': 'no', 'index': 1, 'member': 'tool'}}",
        "[] max_parallel",
    ]
    assert "tool_call" not in [event["type"] for event in finished.events]


def test_more_calls_at_once_than_the_job_allows_are_lowered(runner: Runner) -> None:
    stream = start(runner.client, "call_tools([{'server': 's', 'tool': 't'}], max_parallel=32)")
    assert stream.until("tool_call")["batch"]["maxParallel"] == 4
    answer(runner.client, 1, ok=True)
    assert stream.finish().outcome == "Succeeded"


def test_threads_call_one_after_the_other(runner: Runner) -> None:
    code = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    print(sorted(pool.map(lambda n: call_tool('s', 't')['result'], range(8))))"
    )
    stream = start(runner.client, code)
    for call in range(1, 9):
        assert stream.until("tool_call")["call"] == call
        answer(runner.client, call, ok=True, result=call)
    assert stream.finish().text == "[1, 2, 3, 4, 5, 6, 7, 8]\n"


def test_a_process_that_code_forks_cannot_call_tools(runner: Runner) -> None:
    code = (
        "import os\n"
        "if os.fork() == 0:\n"
        "    try:\n"
        "        call_tool('s', 't')\n"
        "    except RuntimeError as error:\n"
        "        os._exit(7 if 'only the process of the run' in str(error) else 8)\n"
        "status = os.wait()[1]\n"
        "print(os.waitstatus_to_exitcode(status), call_tool('s', 't')['ok'])"
    )
    stream = start(runner.client, code)
    stream.until("tool_call")
    answer(runner.client, 1, ok=True)
    assert stream.finish().text == "7 True\n"


def test_a_call_that_an_exception_has_left_holds_up_no_other(runner: Runner) -> None:
    code = (
        "import signal, sys, threading\n"
        "def leave(*_): raise TimeoutError\n"
        "signal.signal(signal.SIGALRM, leave)\n"
        "main = threading.get_ident()\n"
        "def interrupt():\n"
        "    while sys._current_frames()[main].f_code.co_name != '_take': pass\n"
        "    signal.pthread_kill(main, signal.SIGALRM)\n"
        "threading.Thread(target=interrupt).start()\n"
        "try:\n"
        "    call_tool('s', 'slow')\n"
        "except TimeoutError:\n"
        "    print('left', flush=True)\n"
        "print(call_tool('s', 'quick')['result'])"
    )
    stream = start(runner.client, code)
    stream.until("tool_call")
    stream.until("output")
    answer(runner.client, 1, ok=True, result="late")
    assert stream.until("tool_call")["tool"] == "quick"
    answer(runner.client, 2, ok=True, result="in time")
    assert stream.finish().text == "in time\n"


def test_the_time_limit_ends_a_run_that_waits_for_a_result(runner: Runner) -> None:
    stream = start(runner.client, "n = 1\ncall_tool('s', 't')", timeoutMs=500)
    stream.until("tool_call")
    finished = stream.finish()
    assert (finished.outcome, finished.error["line"]) == ("DeadlineExceeded", 2)


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    call_tool('s', 't')\nexcept BaseException:\n    pass\nprint('after')",
        "try:\n    call_tools([{'server': 's', 'tool': 't'}])\nfinally:\n    print('after')",
        "import threading\nt = threading.Thread(target=lambda: call_tool('s', 't'))\nt.start()\n"
        "t.join()\nprint('after')",
    ],
    ids=["except", "finally", "thread"],
)
def test_a_result_that_ends_the_run_does_so_wherever_it_comes(runner: Runner, code: str) -> None:
    stream = start(runner.client, "\n" + code)
    stream.until("tool_call")
    last = {"code": "MAX_TOOL_CALLS_EXCEEDED", "message": "over"}
    answer(runner.client, 1, ok=False, error=last, terminate=True)
    finished = stream.finish()
    assert (finished.outcome, finished.text) == ("CodeError", "")
    error = finished.error
    assert (error["type"], error["code"]) == ("ToolCallError", "MAX_TOOL_CALLS_EXCEEDED")
    assert error["traceback"].endswith("ToolCallError: over")
    assert 'File "main.py", line 3' in error["traceback"]


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_an_outcome_that_cannot_be_read_is_unknown(runner: Runner, text: bytes) -> None:
    stream = start(runner.client, "print(call_tool('s', 't')['error']['code'])")
    stream.until("tool_call")
    assert runner.client.tool_result(1, text).status == 200
    assert stream.finish().text == "OUTCOME_UNKNOWN\n"


def test_a_job_without_tools_has_no_such_names(runner: Runner) -> None:
    finished = runner.client.run("print([name for name in dir() if 'call_tool' in name])")
    assert finished.text == "[]\n"


def test_code_mode_calls_tools(runner: Runner) -> None:
    job = {
        "kind": "python",
        "code": "print(call_tool('s', 't')['result'])",
        "mode": "code",
        "tools": TOOLS,
        "limits": LIMITS,
    }
    assert runner.client.stage(job).status == 200
    stream = runner.client.start()
    stream.until("tool_call")
    answer(runner.client, 1, ok=True, result="yes")
    assert stream.finish().text == "yes\n"


def args_of(value: object) -> str:
    return tool_request("s", "t", value).args


def test_arguments_are_written_as_json() -> None:
    assert args_of(None) == "{}"
    assert args_of({"a": "é", "n": [1, None, True]}) == '{"a":"é","n":[1,null,true]}'
    libraries = {"n": np.int64(7), "x": np.float32(0.5), "day": datetime.date(2024, 2, 29)}
    assert args_of(libraries) == '{"n":7,"x":0.5,"day":"2024-02-29"}'


def nested(depth: int) -> Json:
    value: Json = {}
    for _ in range(depth):
        value = {"a": value}
    return value


CYCLE: Json = {}
CYCLE["a"] = CYCLE


@pytest.mark.parametrize(
    "value",
    [
        "text",
        [],
        1,
        {"a": {1, 2}},
        {"a": math.nan},
        {"a": object()},
        {"a": "\ud800"},
        {"a": "x" * 300 * 1024},
        nested(65),
        nested(100_000),
        CYCLE,
        {(1, 2): 3},
    ],
    ids=itertools.count(),
)
def test_arguments_that_json_cannot_hold_are_named(value: object) -> None:
    with pytest.raises(InvalidCallError, match=r"^args ") as error:
        args_of(value)
    assert error.value.place == {"member": "args"}


@pytest.mark.parametrize(
    ("requests", "message", "place"),
    [
        (None, "requests must be a list", {"member": "requests"}),
        ({}, "requests must be a list", {"member": "requests"}),
        ([{"server": "s", "tool": "t"}] * 101, "has 101 entries", {"member": "requests"}),
        ([7], r"requests\[0\] must be a dict", {"index": 0}),
        ([{"tool": "t"}], r"requests\[0\].server must be text", {"index": 0, "member": "server"}),
        (
            [{"server": "s", "tool": "t", "arguments": {}}],
            "unknown member arguments",
            {"index": 0, "member": "arguments"},
        ),
        (
            [{"server": "s", "tool": "t", "args": {"a": "x" * 250_000}}] * 5,
            "take 1250040 bytes",
            {"member": "requests"},
        ),
    ],
)
def test_a_malformed_batch_is_named(requests: object, message: str, place: Json) -> None:
    with pytest.raises(InvalidCallError, match=message) as error:
        tool_requests(requests)
    assert error.value.place == place


@pytest.mark.parametrize("number", [0, 33, 1.0, True, None, "4", {"max_parallel": 4}])
def test_max_parallel_is_a_number_within_bounds(number: object) -> None:
    with pytest.raises(InvalidCallError, match="max_parallel must be a whole number"):
        parallel_calls(number)
