"""JavaScript and TypeScript from the request to the result, as the launcher starts the worker.

`./mvnw package` makes the worker. Without it, or without a JDK, the tests are skipped and say so.
"""

from __future__ import annotations

import base64
import json
import signal
from pathlib import Path

import pytest

import jvm_layout
from local_runner import NewRunner, Runner
from runner_client import LIMITS, Finished, Json, Stream, script_job

pytestmark = [pytest.mark.slow, *jvm_layout.needs("javascript.jar")]

MIB = 2**20
# As a class has it at least: V8 may take 32 MiB of it.
MEMORY = 256 * MIB


@pytest.fixture(scope="module")
def jvm_runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worker's directory as in the image."""
    return jvm_layout.make(tmp_path_factory.mktemp("jvm-runner"))


def _start(new_runner: NewRunner, directory: Path, **further: str) -> Runner:
    place = {"ASSAY_JVM_RUNNER": str(directory)}
    return new_runner(
        "javascript",
        supervisor_environment={"ASSAY_WORKER": "javascript", **place},
        worker_environment={"ASSAY_MEMORY_BYTES": str(MEMORY), **place, **further},
    )


@pytest.fixture
def runner(new_runner: NewRunner, jvm_runner: Path) -> Runner:
    return _start(new_runner, jvm_runner)


def _run(runner: Runner, code: str, **members: object) -> Finished:
    assert runner.client.stage(script_job(code, **members)).status == 200
    return runner.client.start().finish()


def _value(finished: Finished) -> object:
    return json.loads(base64.b64decode(finished.result["valueJson"]))


def test_a_script_returns_its_last_expression(runner: Runner) -> None:
    finished = _run(
        runner,
        "console.log('sum of', input.numbers);\ninput.numbers.reduce((a, b) => a + b)",
        input='{"numbers": [1, 2, 3.5]}',
    )
    assert (finished.outcome, finished.output) == ("Succeeded", b"sum of [1, 2, 3.5]\n")
    assert _value(finished) == 6.5


def test_typescript_loses_its_types(runner: Runner) -> None:
    code = "enum Color { Red = 1 }\nconst color: Color = await (Promise.resolve(Color.Red));\ncolor"
    finished = _run(runner, code, language="typescript")
    assert (finished.outcome, finished.output, _value(finished)) == ("Succeeded", b"", 1)


def test_a_warm_worker_has_run_scripts_of_which_nothing_is_left(
    new_runner: NewRunner, jvm_runner: Path
) -> None:
    runner = _start(new_runner, jvm_runner, ASSAY_WARM_UP="true")
    finished = _run(runner, "console.log('own'); Object.keys(globalThis)")
    assert (finished.outcome, finished.output, _value(finished)) == ("Succeeded", b"own\n", [])


def test_an_error_has_a_code_and_a_place(runner: Runner) -> None:
    finished = _run(runner, "console.log('before');\n  null.property")
    assert (finished.outcome, finished.output) == ("CodeError", b"before\n")
    assert finished.result["error"] == {
        "type": "TypeError",
        "message": "Cannot read properties of null (reading 'property')",
        "line": 2,
        "column": 8,
        "code": "RUNTIME_ERROR",
        "traceback": "TypeError: Cannot read properties of null (reading 'property')\n"
        "    at script:2:8",
    }
    assert finished.result["valueJson"] is None


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("javascript", "let a = 1;\nlet a", ("SYNTAX_ERROR", 2, 5)),
        ("typescript", "let a: = 1", ("TRANSPILE_ERROR", 1, 8)),
        ("javascript", "() => 1", ("SERIALIZATION_ERROR", None, None)),
        ("javascript", "new Promise(() => {})", ("RUNTIME_ERROR", None, None)),
    ],
)
def test_each_kind_of_error_has_its_code_and_no_chatter_of_libraries(
    runner: Runner, language: str, code: str, expected: tuple[str, int | None, int | None]
) -> None:
    finished = _run(runner, code, language=language)
    error = finished.result["error"]
    assert (finished.outcome, finished.output) == ("CodeError", b"")
    assert (error["code"], error["line"], error["column"]) == expected


@pytest.mark.parametrize(
    "code",
    [
        "for (;;) {}",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
        "(function f() { Promise.resolve().then(f) })()",
    ],
    ids=["loop", "expression", "wait", "promises"],
)
def test_a_script_without_an_end_is_stopped_in_time_and_its_output_is_kept(
    runner: Runner, code: str
) -> None:
    limits = {**LIMITS, "timeoutMs": 500, "stopGraceMs": 5000}
    finished = _run(runner, f"console.log('before');\n{code}", limits=limits)
    assert (finished.outcome, finished.output) == ("DeadlineExceeded", b"before\n")
    # It is killed by SIGTERM, and does not wait for the end of the grace period.
    assert finished.result["exit"] == {"code": None, "signal": signal.SIGTERM}
    assert finished.result["durationMs"] < 3000


@pytest.mark.parametrize(
    "code",
    [
        "const all = []; for (;;) all.push({a: all.length})",
        "const all = []; for (;;) all.push(JSON.stringify(Array(1000).fill(all.length)))",
        "const a = Array.from({length: 100}, (_, i) => ('x' + i).repeat(2e6));"
        " a.map(x => x.replaceAll('x', 'y'))",
    ],
    ids=["objects", "text", "strings"],
)
def test_a_full_heap_is_a_lack_of_memory(runner: Runner, code: str) -> None:
    finished = _run(runner, f"console.log('before'); {code}")
    assert (finished.outcome, finished.output) == ("MemoryExceeded", b"before\n")
    assert finished.result["exit"] == {"code": None, "signal": signal.SIGTRAP}
    assert finished.result["usage"]["peakMemoryBytes"] < MEMORY


def test_a_string_of_1_gib_is_an_error_of_the_script(runner: Runner) -> None:
    finished = _run(runner, "try { 'x'.repeat(2 ** 30) } catch (error) { error.message }")
    assert (finished.outcome, _value(finished)) == ("Succeeded", "Invalid string length")


def test_a_flood_of_output_is_cut_and_the_value_is_there(runner: Runner) -> None:
    finished = _run(
        runner,
        "const line = 'x'.repeat(999); for (let i = 0; i < 20000; i++) console.log(line); 'end'",
        limits={**LIMITS, "outputBytes": 10_000},
    )
    assert (finished.outcome, _value(finished)) == ("Succeeded", "end")
    output = finished.result["output"]
    assert (output["bytes"], output["storedBytes"]) == (20_000_000, 10_000)


def test_the_largest_value_and_the_largest_code_fit(runner: Runner) -> None:
    code = "input.length; 'x'.repeat(262142) //"
    finished = _run(
        runner, code + "c" * (262_144 - len(code)), input=json.dumps("i" * (262_144 - 2))
    )
    assert finished.outcome == "Succeeded"
    assert len(base64.b64decode(finished.result["valueJson"])) == 262_144


def test_a_cancelled_script_is_stopped(runner: Runner) -> None:
    assert runner.client.stage(script_job("console.log('on'); for (;;) {}")).status == 200
    stream = runner.client.start()
    assert next(iter(stream))["type"] == "started"
    assert runner.client.call("cancel").status == 200
    assert stream.finish().outcome == "Cancelled"


def test_a_worker_that_does_not_start_says_why(new_runner: NewRunner, tmp_path: Path) -> None:
    directory = tmp_path / "broken"
    directory.mkdir()
    start = directory / "start-javascript"
    start.write_text("#!/bin/sh\necho no such library >&2\nexit 3\n")
    start.chmod(0o755)
    finished = _run(_start(new_runner, directory), "1")
    error: Json = finished.result["error"]
    assert (finished.outcome, finished.output) == ("StartFailed", b"")
    assert error["message"] == (
        "The process ended with exit code 3 before it ran code: no such library"
    )


def test_a_worker_without_its_program_says_so(new_runner: NewRunner, tmp_path: Path) -> None:
    finished = _run(_start(new_runner, tmp_path / "missing"), "1")
    assert finished.outcome == "StartFailed"
    assert "No such file or directory" in finished.result["error"]["message"]


TOOLS = {"maxParallel": 32, "resultBytes": 8 * MIB}


def _start_calling(runner: Runner, code: str, **members: object) -> Stream:
    assert runner.client.stage(script_job(code, tools=TOOLS, **members)).status == 200
    return runner.client.start()


def _answer(runner: Runner, call: int, **outcome: object) -> None:
    assert runner.client.tool_result(call, json.dumps(outcome).encode()).status == 200


def test_a_script_calls_a_tool_and_uses_its_result(runner: Runner) -> None:
    stream = _start_calling(
        runner,
        "const found: any = call_tool('store', 'list', {city: 'é'});\n"
        "({n: found.result.rows.length, content: found.raw.content.length})",
        language="typescript",
    )
    event = stream.until("tool_call")
    assert (event["call"], event["batch"]) == (1, None)
    assert (event["server"], event["tool"]) == ("store", "list")
    assert json.loads(base64.b64decode(event["args"])) == {"city": "é"}
    _answer(runner, 1, ok=True, result={"rows": [1, 2]}, raw={"content": [{}]})
    assert _value(stream.finish()) == {"n": 2, "content": 1}


def test_a_script_calls_tools_in_a_batch(runner: Runner) -> None:
    stream = _start_calling(
        runner,
        "call_tools(Array.from({length: 100}, (_, n) => ({server: 's', tool: 't', args: {n}})),"
        " {max_parallel: 31}).map(outcome => outcome.result)",
    )
    events = [stream.until("tool_call") for _ in range(100)]
    batch = {"first": 1, "size": 100, "maxParallel": 31}
    assert all(event["batch"] == batch for event in events)
    for event in reversed(events):
        n = json.loads(base64.b64decode(event["args"]))["n"]
        _answer(runner, event["call"], ok=True, result=n)
    assert _value(stream.finish()) == [*range(100)]


def test_the_largest_results_fit_into_the_smallest_class(runner: Runner) -> None:
    stream = _start_calling(
        runner,
        "call_tools(Array(4).fill({server: 's', tool: 't'})).map(outcome => outcome.result.length)",
    )
    size = 2 * MIB - 100
    for _ in range(4):
        call = stream.until("tool_call")["call"]
        _answer(runner, call, ok=True, result="x" * size)
    finished = stream.finish()
    assert _value(finished) == [size] * 4
    assert finished.result["usage"]["peakMemoryBytes"] < MEMORY


def test_one_result_of_the_largest_size_fits_too(runner: Runner) -> None:
    stream = _start_calling(runner, "call_tool('s', 't').result.length")
    stream.until("tool_call")
    _answer(runner, 1, ok=True, result="x" * (8 * MIB - 100))
    assert _value(stream.finish()) == 8 * MIB - 100


@pytest.mark.parametrize(
    "code",
    [
        "try { call_tool('s', 't') } catch {} finally { console.log('after') }",
        "(async () => { await null; try { call_tool('s', 't') } catch {} console.log('on') })()",
    ],
    ids=["finally", "promise"],
)
def test_a_result_that_ends_the_run_cannot_be_caught(runner: Runner, code: str) -> None:
    stream = _start_calling(runner, f"\n{code}")
    stream.until("tool_call")
    last = {"code": "MAX_TOOL_CALLS_EXCEEDED", "message": "over", "sent": "no"}
    _answer(runner, 1, ok=False, error=last, terminate=True)
    finished = stream.finish()
    assert (finished.outcome, finished.output) == ("CodeError", b"")
    error = finished.result["error"]
    assert (error["code"], error["message"], error["line"]) == (last["code"], "over", 2)


def test_a_script_that_waits_for_a_result_is_stopped_in_time(runner: Runner) -> None:
    limits = {**LIMITS, "timeoutMs": 500, "stopGraceMs": 5000}
    stream = _start_calling(runner, "call_tool('s', 't')", limits=limits)
    stream.until("tool_call")
    finished = stream.finish()
    assert finished.outcome == "DeadlineExceeded"
    assert finished.result["durationMs"] < 3000
    assert runner.client.tool_result(1, b"{}").code == "CallNotOpen"


def test_a_warm_worker_numbers_its_calls_from_1(new_runner: NewRunner, jvm_runner: Path) -> None:
    runner = _start(new_runner, jvm_runner, ASSAY_WARM_UP="true")
    stream = _start_calling(runner, "call_tool('s', 't').ok")
    assert stream.until("tool_call")["call"] == 1
    _answer(runner, 1, ok=True)
    assert _value(stream.finish()) is True


def test_a_script_without_tools_is_denied_each_call(runner: Runner) -> None:
    finished = _run(runner, "call_tool('s', 't')")
    value = _value(finished)
    assert isinstance(value, dict)
    assert value["error"]["code"] == "ACCESS_DENIED"
    assert [event["type"] for event in finished.events] == ["started", "result"]
