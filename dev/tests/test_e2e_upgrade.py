"""How dev/e2e --upgrade calls, and what it takes for a failure."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from bench.mcp import ToolResult
from e2e import call_log, cli, settings, upgrade
from e2e.call_log import Call, Seen
from e2e.errors import E2eError
from e2e.installation import Installed
from e2e.steady_caller import Client, SteadyCaller


def call(marker: str = "", error: str = "", phase: str = "upgrade") -> Call:
    return Call("SQL", phase, 1.0, 0.5, error, marker)


def problems(calls: list[Call], *runs: Seen) -> list[str]:
    return call_log.problems(calls, call_log.by_marker(runs))


def test_a_call_that_ran_once_and_one_that_makes_no_run_are_no_problem() -> None:
    run = Seen("run-a", '{"code": "print(7000001)"}', "7000001\n")
    assert problems([call("7000001"), call()], run, Seen("run-b", "{}")) == []


def test_a_failed_call_is_reported_with_its_time_and_text() -> None:
    (found,) = problems([call(error="ConnectionRefusedError: no")])
    assert found == "1.0 s, upgrade: SQL failed after 0.5 s: ConnectionRefusedError: no"


def test_a_call_with_two_runs_ran_twice_whether_it_failed_or_not() -> None:
    runs = [Seen(name, "SELECT 7000001") for name in ("run-a", "run-b")]
    assert problems([call("7000001")], *runs) == [
        "1.0 s, upgrade: SQL 7000001 made 2 runs: run-a, run-b"
    ]
    assert len(problems([call("7000001", "reset")], *runs)) == 2


def test_a_run_that_printed_twice_ran_twice() -> None:
    run = Seen("run-a", "print(7000001)", "7000001\n7000001\n")
    assert problems([call("7000001")], run) == ["1.0 s, upgrade: SQL 7000001 ran 2 times in run-a"]


def test_an_answered_call_without_a_run_is_reported_and_a_failed_one_may_have_none() -> None:
    assert problems([call("7000001")], Seen("run-a", "print(17000001)")) == [
        "1.0 s, upgrade: SQL 7000001 was answered, and no run is there"
    ]
    assert len(problems([call("7000001", "refused")])) == 1


def test_each_phase_has_a_row_and_the_last_row_has_the_problems() -> None:
    calls = [call("7000001"), call(), call(error="no", phase="rollback")]
    rows = call_log.outcomes(calls, [f"problem {number}" for number in range(12)])
    assert [row.passed for row in rows] == [True, False, False]
    assert rows[0].case.startswith("upgrade: 2 calls, 1 runs; p50 0.50 s")
    assert rows[2].message.endswith("problem 9\n2 more")
    assert call_log.outcomes(calls[:2], [])[-1].passed


def test_the_caller_calls_every_kind_in_turn_and_waits_for_none(tmp_path: Path) -> None:
    first = threading.Event()
    made: list[tuple[str, str]] = []

    def one(kind: str, marker: str) -> None:
        made.append((kind, marker))
        if len(made) == 1:
            assert first.wait(60)
        if kind == "fails":
            raise RuntimeError("no")

    log = tmp_path / "log"
    caller = SteadyCaller(
        one, ["SQL", "Python"], ["list", "fails"], lambda call: call_log.add(call, log), 0.001
    )
    caller.start("before")
    caller.enter("upgrade")
    # The first call, of SQL, is still on its way: there is a later one.
    assert caller.wait_for(2, seconds=60)
    first.set()
    calls = caller.stop()
    assert len(calls) == len(made)
    logged = [Call(**json.loads(line)) for line in log.read_text().splitlines()]
    assert sorted(logged, key=lambda call: call.began) == calls
    assert calls[0].kind == "SQL" and calls[0].seconds >= calls[1].seconds
    markers = [one.marker for one in calls if one.marker]
    assert len(set(markers)) == len(markers) == sum(kind in ("SQL", "Python") for kind, _ in made)
    assert {bool(one.error) for one in calls if one.kind == "fails"} == {True}
    assert {one.error for one in calls if one.kind != "fails"} == {""}


def test_a_kind_that_has_not_ended_in_this_phase_is_waited_for() -> None:
    caller = SteadyCaller(lambda kind, marker: None, ["SQL"], ["list"], every=0.001)
    caller.start("before")
    assert caller.wait_for(1, seconds=60)
    caller.stop()
    caller.enter("upgrade")
    assert not caller.wait_for(1, seconds=0)


def tools(monkeypatch: pytest.MonkeyPatch, *texts: str) -> tuple[Client, list[tuple[str, object]]]:
    client = Client(Installed("http://example.test:8787/mcp", "key", "other"))
    replies = iter(texts)
    made: list[tuple[str, object]] = []

    def answer(name: str, arguments: object) -> ToolResult:
        made.append((name, arguments))
        text = next(replies)
        return ToolResult({}, text, text.startswith("error"), 0.1)

    monkeypatch.setattr(client, "_tool", answer)
    return client, made


def test_a_reply_that_names_a_run_that_continues_is_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    continues = "The run run-a1 continues: Running after 10 s. get_run"
    client, made = tools(monkeypatch, continues, continues, "7000001")
    assert client.tool("code_execution", code="1").text == "7000001"
    assert [name for name, _ in made] == ["code_execution", "get_run", "get_run"]
    assert made[1][1] == {"name": "run-a1", "wait_seconds": 10}


def test_an_error_of_a_tool_is_a_failure_and_the_call_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client, made = tools(monkeypatch, "error: lost", "7000001")
    with pytest.raises(RuntimeError, match="code_execution: error: lost"):
        client.tool("code_execution", code="1")
    assert len(made) == 1


def test_the_files_of_an_earlier_commit_are_kept_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    git = ["git", "-C", str(tree), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for text in ("one", "two"):
        (tree / "file").write_text(text)
        for command in (["init", "--quiet"], ["add", "."], ["commit", "-m", text]):
            subprocess.run([*git, *command], check=True, capture_output=True)
    monkeypatch.setattr(upgrade, "REPOSITORY", tree)
    monkeypatch.setattr(settings, "cache", lambda: tmp_path / "cache")
    before, after = upgrade.version("HEAD~1"), upgrade.version("HEAD")
    assert [(one.tree / "file").read_text() for one in (before, after)] == ["one", "two"]
    assert before.tag == f"upgrade-{before.commit[:12]}" != after.tag
    (before.tree / "built").touch()
    assert (upgrade.version("HEAD~1").tree / "built").exists()
    with pytest.raises(E2eError):
        upgrade.version("missing")


def test_an_upgrade_runs_no_scenarios(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["--upgrade", "HEAD~1", "--all"])
    assert end.value.code == 2
    assert "--upgrade" in capsys.readouterr().err
