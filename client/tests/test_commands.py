from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay_client._commands import main
from fake_assay import SECONDS, FakeAssay

Json = dict[str, Any]
SOURCES = Path(__file__).parents[1] / "src"


@pytest.fixture(autouse=True)
def _endpoint(fake: FakeAssay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ENDPOINT", fake.url)


class Ended:
    """What a command did."""

    def __init__(self, capfd: pytest.CaptureFixture[str], *arguments: str) -> None:
        try:
            self.code = main(arguments)
        except SystemExit as e:
            self.code = int(str(e.code))
        self.out, self.err = capfd.readouterr()


def run(phase: str = "Succeeded", reason: str = "Completed", **fields: object) -> Json:
    found = {"name": "r1", "phase": phase, "reason": reason, "message": "It ended"}
    return {**found, "createdAt": "2026-01-01T00:00:00Z", "durationMs": 42, **fields}


def offer_run(fake: FakeAssay, ended: Json, output: bytes = b"") -> None:
    fake.on("GET", "/api/v1/runs/r1/output", lambda r: r.answer(200, output))
    fake.on("GET", "/api/v1/runs/r1", lambda r: r.answer(200, ended))
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, run("Pending", "")))


@pytest.mark.parametrize(
    ("phase", "reason", "code"),
    [
        ("Succeeded", "Completed", 0),
        ("Failed", "CodeError", 1),
        ("Failed", "GuardRefused", 1),
        ("Failed", "OutOfMemory", 4),
        ("TimedOut", "DeadlineExceeded", 124),
        ("Cancelled", "Cancelled", 130),
    ],
)
def test_the_exit_code_of_run_says_how_the_run_ended(
    fake: FakeAssay, capfd, phase: str, reason: str, code: int
) -> None:
    offer_run(fake, run(phase, reason), b"\x1b[31mraw\n")
    ended = Ended(capfd, "run", "--code", "print(1)", "-d", "a", "-d", "b")
    assert (ended.code, ended.out) == (code, "\x1b[31mraw\n")
    assert (f"run r1: {phase}, It ended (42ms)" in ended.err) == (code != 0)
    assert fake.requests[0].json == {
        "code": "print(1)",
        "language": "python",
        "dataset": "a",
        "datasets": ["b"],
    }


def test_run_prints_the_error_of_the_code_with_escapes(fake: FakeAssay, capfd) -> None:
    error = {"type": "E", "message": "m", "traceback": "line\n\x1b[2J"}
    offer_run(fake, run("Failed", "CodeError", error=error))
    assert "line\n\\x1b[2J\n" in Ended(capfd, "run", "-c", "x").err


def test_run_reads_a_file_in_the_language_of_its_ending(
    fake: FakeAssay, capfd, tmp_path: Path
) -> None:
    offer_run(fake, run())
    (tmp_path / "q ä.sql").write_text("SELECT 'ä'", encoding="utf-8")
    assert Ended(capfd, "run", str(tmp_path / "q ä.sql"), "--detach").out == "r1\n"
    assert fake.requests[0].json == {"code": "SELECT 'ä'", "language": "sql"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "give either FILE or --code"),
        (["run", "a", "-c", "b"], "give either FILE or --code"),
        (["run", "nowhere.py"], "nowhere.py cannot be read"),
        (["nope"], "invalid choice: 'nope'"),
        (["runs", "--limit", "x"], "invalid int value"),
        (["runs", "--endpoint", "ftp://x"], "--endpoint: invalid URL"),
        (["runs", "--key-file", "nowhere"], "--key-file: nowhere cannot be read"),
        (["datasets", "load", "a", "nowhere.csv"], "nowhere.csv does not exist"),
        (["datasets", "load", "a", "b.csv", "--option", "sep"], "--option: expected NAME=VALUE"),
    ],
)
def test_a_wrong_command_line_has_the_exit_code_2_and_one_sentence(
    fake: FakeAssay, capfd, arguments: list[str], message: str
) -> None:
    ended = Ended(capfd, *arguments)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert fake.requests == []


def test_an_invalid_variable_has_the_exit_code_5(capfd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ENDPOINT", "ftp://x")
    ended = Ended(capfd, "runs")
    assert ended.code == 5
    assert ended.err.startswith("assay-client: ASSAY_ENDPOINT: invalid URL 'ftp://x'")


def test_an_error_of_the_command_itself_is_one_sentence(
    fake: FakeAssay, capfd, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.on("GET", "/api/v1/runs", lambda r: r.answer(200, {"items": [1]}))
    ended = Ended(capfd, "runs")
    assert ended.code == 6
    assert ended.err.startswith("assay-client: an error in the command itself (AttributeError: ")
    assert ended.err.count("\n") == 1
    monkeypatch.setenv("ASSAY_LOG_LEVEL", "DEBUG")
    ended = Ended(capfd, "runs")
    assert ended.code == 6
    assert "Traceback" in ended.err


def test_names_that_an_endpoint_chooses_have_no_control_characters(fake: FakeAssay, capfd) -> None:
    hostile = {**run(), "name": "r\x1b[2J'; id"}
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, hostile))
    assert Ended(capfd, "run", "-c", "1", "--detach").out == "r\\x1b[2J'; id\n"
    ended = Ended(capfd, "run", "-c", "1")
    assert "'assay-client logs -f RUN' follows it" in ended.err


def test_a_refusal_names_commands_in_place_of_requests(fake: FakeAssay, capfd) -> None:
    message = "There is no 'x'; GET /api/v1/datasets lists the existing ones \x1b[2J"
    fake.on("GET", "/api/v1/datasets/x", lambda r: r.refuse(404, message))
    ended = Ended(capfd, "datasets", "describe", "x")
    assert ended.code == 3
    assert ended.err == (
        "assay-client: There is no 'x'; 'assay-client datasets ls' lists the existing ones"
        " \\x1b[2J\n"
    )


def test_lists_are_tables_without_control_characters(fake: FakeAssay, capfd) -> None:
    fake.put("sales", b"")["message"] = "a\x1b[2J\nb"
    fake.on("GET", "/api/v1/runs", lambda r: r.answer(200, {"items": [run(dataset="sales")]}))
    lines = Ended(capfd, "datasets", "ls").out.splitlines()
    assert lines[0].split() == ["NAME", "PHASE", "ROWS", "COLUMNS", "FORMAT", "AGE", "MESSAGE"]
    assert lines[1].endswith("a\\x1b[2J b")
    lines = Ended(capfd, "runs", "-n", "1").out.splitlines()
    assert lines[1].split()[:5] == ["r1", "Succeeded", "Completed", "sales", "42ms"]
    found = Ended(capfd, "datasets", "ls", "--output", "json").out
    assert json.loads(found)["items"][0]["message"] == "a\x1b[2J\nb"
    assert "\x1b" not in found


def test_query_prints_its_rows(fake: FakeAssay, capfd) -> None:
    table = {
        "columns": [{"name": "a\x1b", "type": "VARCHAR"}, {"name": "b", "type": "BIGINT"}],
        "rows": [["x,\x1b", None], ["y", 1]],
        "totalRows": 9,
        "truncated": True,
    }
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, run(value={"json": {"table": table}})))
    ended = Ended(capfd, "query", "SELECT 1")
    assert ended.out == "a\\x1b    b\nx,\\x1b   NULL\ny        1\n"
    assert "2 of 9 rows" in ended.err
    assert Ended(capfd, "query", "SELECT 1", "--output", "csv").out == 'a\x1b,b\n"x,\x1b",\ny,1\n'
    assert json.loads(Ended(capfd, "query", "SELECT 1", "--output", "json").out)["totalRows"] == 9


def test_datasets_are_loaded_described_and_removed(fake: FakeAssay, capfd, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a;b\n1;2\n")
    options = ["--option", "sep=;", "--option", "usecols=1", "--option", "nrows=2"]
    ended = Ended(capfd, "datasets", "load", "a", str(tmp_path / "a.csv"), *options, "--replace")
    assert (ended.code, ended.out) == (0, "a: 1 rows, 2 columns\n")
    assert json.loads(fake.requests[0].query["options"]) == {
        "sep": ";",
        "usecols": ["1"],
        "nrows": 2,
    }
    assert "Phase:" in Ended(capfd, "datasets", "describe", "a").out
    fake.on("DELETE", "/api/v1/datasets/a", lambda r: r.answer(204))
    assert Ended(capfd, "datasets", "rm", "a").code == 0
    fake.fails_to_load = "ParserError"
    failed = Ended(capfd, "datasets", "load", "b", str(tmp_path / "a.csv"))
    assert failed.code == 4
    assert "a.csv was not loaded: ParserError" in failed.err


def test_artifacts_are_listed_and_saved(
    fake: FakeAssay, capfd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"hello\n\x1b"
    listed = {
        "path": "artifacts/a.txt",
        "bytes": 7,
        "sha256": hashlib.sha256(content).hexdigest(),
        "mediaType": "text/plain",
    }
    hostile = {**listed, "path": "../evil"}
    items = [listed]
    fake.on("GET", "/api/v1/runs/r1/artifacts/artifacts/a.txt", lambda r: r.answer(200, content))
    fake.on("GET", "/api/v1/runs/r1/artifacts", lambda r: r.answer(200, {"items": items}))
    assert "artifacts/a.txt   7" in Ended(capfd, "artifacts", "ls", "r1").out
    one = ["artifacts", "get", "r1", "artifacts/a.txt"]
    assert Ended(capfd, *one, "-o", "-").out == "hello\n\x1b"
    with monkeypatch.context() as patched:
        patched.setattr(sys.stdout, "isatty", lambda: True)
        assert Ended(capfd, *one, "-o", "-").out == "hello\n\\x1b"
    assert Ended(capfd, *one, "-o", str(tmp_path)).code == 0
    assert (tmp_path / "a.txt").read_bytes() == content
    assert Ended(capfd, *one, "-o", str(tmp_path)).code == 2
    assert Ended(capfd, *one, "-o", str(tmp_path / "b"), "--force").code == 0
    assert Ended(capfd, "artifacts", "get", "r1", "-o", str(tmp_path / "all")).code == 0
    assert (tmp_path / "all" / "artifacts" / "a.txt").read_bytes() == content
    items[:] = [hostile]
    refused = Ended(capfd, "artifacts", "get", "r1", "-o", str(tmp_path / "evil" / "in"))
    assert refused.code == 2
    assert not (tmp_path / "evil").exists()


def test_no_endpoint_is_one_sentence(fake: FakeAssay, capfd) -> None:
    fake.stop()
    ended = Ended(capfd, "runs")
    assert ended.code == 3
    assert ended.err.count("\n") == 1
    assert "nothing answers at" in ended.err


def test_the_bridge_is_a_process_that_ends_with_its_input(fake: FakeAssay, tmp_path: Path) -> None:
    def answer(request) -> None:
        request.answer(200, {"jsonrpc": "2.0", "id": request.json["id"], "result": {}})

    fake.on("POST", "/mcp", answer)
    folder = tmp_path / "Daten ä"
    folder.mkdir()
    (folder / "sales.csv").write_text("a\n1\n")
    params = {"name": "describe_dataset", "arguments": {"dataset_name": "sales"}}
    message = {"jsonrpc": "2.0", "id": "ä", "method": "tools/call", "params": params}
    done = subprocess.run(
        [sys.executable, "-m", "assay_client", "mcp-stdio", "--data", str(folder)],
        input=json.dumps(message, ensure_ascii=False).encode() + b"\n",
        capture_output=True,
        cwd=SOURCES,
        timeout=SECONDS,
        check=True,
    )
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": "ä", "result": {}}
    assert b"offers 1 tables of" in done.stderr
    assert fake.uploads == [("sales", b"a\n1\n")]


def test_the_bridge_says_at_once_what_is_wrong_with_its_options(
    fake: FakeAssay, capfd, tmp_path: Path
) -> None:
    ended = Ended(capfd, "mcp-stdio", "--data", str(tmp_path / "nowhere"))
    assert ended.code == 5
    assert "is not a folder that can be read" in ended.err
