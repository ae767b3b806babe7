from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from assay_client import AssayError, Client, RunFailed, _http, _retry
from fake_assay import FakeAssay, Request

Json = dict[str, Any]


@pytest.fixture
def client(fake: FakeAssay, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(_retry.time, "sleep", lambda seconds: None)
    return Client(fake.url, "key")


def run(phase: str = "Succeeded", **fields: object) -> Json:
    reason = {"Succeeded": "Completed", "Failed": "CodeError"}.get(phase, "")
    return {"name": "r1", "phase": phase, "reason": reason, "message": "The code ended", **fields}


def printed(text: str) -> Json:
    return {"head": text, "bytes": len(text), "storedBytes": len(text), "truncated": False}


def test_a_run_is_created_awaited_and_returned_with_its_output(
    fake: FakeAssay, client: Client
) -> None:
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, run(output=printed("a?"))))
    fake.on("GET", "/api/v1/runs/r1/output", lambda r: r.answer(200, b"a\x1b"))
    found = client.run("print(1)", datasets=["a", "b", "c"], timeout_seconds=9, mode="code")
    assert (found.name, found.phase, found.output) == ("r1", "Succeeded", "a\x1b")
    created = fake.requests[0]
    assert created.json == {
        "code": "print(1)",
        "language": "python",
        "dataset": "a",
        "datasets": ["b", "c"],
        "timeoutSeconds": 9,
        "mode": "code",
        "waitSeconds": 45,
    }
    assert len(created.headers["Idempotency-Key"]) == 32


def test_a_run_that_takes_long_is_followed_to_its_end(fake: FakeAssay, client: Client) -> None:
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, run("Running")))
    parts = [b"ab", b"cd"]

    def output(request: Request) -> None:
        assert request.query["follow"] == "true"
        assert int(request.query["offset"]) == 4 - 2 * len(parts)
        request.handler.send_response(200)
        request.handler.send_header("Content-Length", str(2 * len(parts)))
        request.handler.end_headers()
        request.handler.wfile.write(parts.pop(0))

    fake.on("GET", "/api/v1/runs/r1/output", output)
    fake.on("GET", "/api/v1/runs/r1", lambda r: r.answer(200, run()))
    assert client.run("x").output == "abcd"


def test_output_beyond_all_measure_is_not_collected(
    fake: FakeAssay, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_http, "MAX_BYTES", 1000)
    fake.on("GET", "/api/v1/runs/r1/output", lambda r: r.answer(200, b"x" * 1001))
    fake.on("GET", "/api/v1/runs/r1", lambda r: r.answer(200, run("Running")))
    with pytest.raises(AssayError, match="run r1 has printed more than 1000 bytes: read its") as e:
        client.wait("r1")
    assert e.value.code == "TooLarge"
    assert len(b"".join(client.output("r1"))) == 1001


def test_a_run_that_fails_is_raised_with_what_it_printed(fake: FakeAssay, client: Client) -> None:
    error = {"type": "KeyError", "message": "'x'", "line": 2}
    failed = run("Failed", error=error, output=printed(""))
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, failed))
    with pytest.raises(RunFailed, match="run r1: Failed, KeyError: 'x'") as caught:
        client.run("x")
    assert caught.value.code == "RunFailed"
    assert caught.value.run.error == error
    assert client.run("x", check=False).reason == "CodeError"


def test_the_creation_of_a_run_is_retried_with_the_same_key(
    fake: FakeAssay, client: Client
) -> None:
    answers = [
        lambda r: r.disconnect(),
        lambda r: r.refuse(503, "restarting"),
        lambda r: r.refuse(429, "too many", Retry_After="1"),
        lambda r: r.answer(201, run(output=printed(""))),
    ]
    fake.on("POST", "/api/v1/runs", lambda r: answers.pop(0)(r))
    client.run("x")
    assert len({r.headers["Idempotency-Key"] for r in fake.requests}) == 1
    client_key = "report-1"
    answers.append(lambda r: r.answer(201, run(output=printed(""))))
    client.run("x", idempotency_key=client_key)
    assert fake.requests[-1].headers["Idempotency-Key"] == client_key


def test_what_is_refused_for_good_is_not_retried(fake: FakeAssay, client: Client) -> None:
    fake.on("POST", "/api/v1/runs", lambda r: r.refuse(422, "'timeoutSeconds' must be"))
    with pytest.raises(AssayError, match="must be"):
        client.run("x")
    assert len(fake.requests) == 1


def test_uploads_and_deletions_are_not_retried(
    fake: FakeAssay, client: Client, tmp_path: Path
) -> None:
    fake.before_upload = lambda r: r.refuse(503, "restarting") is None
    fake.on("DELETE", "/", lambda r: r.refuse(503, "restarting"))
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(AssayError, match="restarting"):
        client.load("a", tmp_path / "a.csv")
    with pytest.raises(AssayError, match="restarting"):
        client.delete_dataset("a")
    assert len(fake.requests) == 2


def test_a_wrong_address_is_not_retried(fake: FakeAssay, client: Client) -> None:
    fake.stop()
    with pytest.raises(AssayError, match="nothing answers"):
        client.datasets()
    with pytest.raises(AssayError, match="nothing answers"):
        list(client.output("r1"))


def test_a_query_reads_the_datasets_that_it_names(fake: FakeAssay, client: Client) -> None:
    fake.put("Sales 2024", b"")
    fake.put("other", b"")
    table = {
        "columns": [{"name": "n", "type": "BIGINT"}],
        "rows": [[1], [2]],
        "totalRows": 2,
        "truncated": False,
    }
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, run(value={"json": {"table": table}})))
    found = client.query('SELECT n FROM "sales_2024" WHERE n > $least', input={"least": 0})
    assert found.rows == [[1], [2]]
    assert found.columns == [("n", "BIGINT")]
    assert not found.is_truncated
    body = fake.requests[-1].json
    assert body["dataset"] == "Sales 2024"
    assert "datasets" not in body
    assert (body["language"], body["replyRows"], body["input"]) == ("sql", 1000, {"least": 0})
    assert client.query("SELECT 1", datasets=[], limit=1).is_truncated


def test_a_column_of_the_name_of_a_dataset_is_not_one_that_a_query_reads(
    fake: FakeAssay, client: Client
) -> None:
    table = {"columns": [], "rows": []}
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, run(value={"json": {"table": table}})))
    for name in ("sales", "region", "units", "broken"):
        fake.put(name, b"")
    client.query("SELECT region, units FROM main.sales, 'broken.csv'")
    body = fake.requests[-1].json
    assert [body["dataset"], *body["datasets"]] == ["sales", "broken"]


def test_rows_that_the_status_has_no_room_for_come_in_pages(
    fake: FakeAssay, client: Client
) -> None:
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, run(value={"bytes": 99999})))
    rows = [[i, None] for i in range(5)]

    def page(request: Request) -> None:
        arguments = request.json["params"]["arguments"]
        wanted = arguments["rows"]
        assert arguments["name"] == "r1"
        start = wanted["offset"]
        found = {
            "columns": ["i", "t"],
            "rows": rows[start : start + min(2, wanted["limit"])],
            "storedRows": 5,
            "totalRows": 7,
        }
        request.answer(200, {"result": {"structuredContent": {"rows": found}}})

    fake.on("POST", "/mcp", page)
    found = client.query("SELECT", datasets=[])
    assert (found.rows, found.total_rows, found.is_truncated) == (rows, 7, True)
    assert client.query("SELECT", datasets=[], limit=3).rows == rows[:3]


def test_a_table_becomes_a_frame(fake: FakeAssay, client: Client) -> None:
    pandas = pytest.importorskip("pandas")
    table = {"columns": [{"name": "a", "type": "VARCHAR"}], "rows": [["x"], [None]]}
    fake.on("POST", "/api/v1/runs", lambda r: r.answer(201, run(value={"json": {"table": table}})))
    frame = client.query("SELECT", datasets=[]).frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.shape == (2, 1)


def test_a_file_is_loaded_with_its_options(fake: FakeAssay, client: Client, tmp_path: Path) -> None:
    (tmp_path / "a ä.csv.gz").write_bytes(b"zz")
    counts: list[int] = []
    loaded = client.load("a b", tmp_path / "a ä.csv.gz", options={"sep": ";"}, sent=counts.append)
    assert (loaded.name, loaded.phase, loaded.rows) == ("a b", "Ready", 1)
    (request,) = fake.requests
    assert request.path == "/api/v1/datasets/a b"
    assert request.query == {
        "format": "csv",
        "compression": "gzip",
        "options": '{"sep": ";"}',
        "replace": "false",
        "wait": "true",
    }
    assert counts == [2]


@pytest.mark.parametrize(
    ("name", "file", "message"),
    [
        ("a", "a.txt", "has none of the endings .csv, .tsv"),
        ("_a", "a.csv", "'_a' is not a valid name of a dataset: a dataset's name has"),
        ("a", "missing.csv", "does not exist"),
    ],
)
def test_what_cannot_be_loaded_is_said_before_anything_is_sent(
    fake: FakeAssay, client: Client, tmp_path: Path, name: str, file: str, message: str
) -> None:
    for existing in ("a.txt", "a.csv"):
        (tmp_path / existing).touch()
    with pytest.raises(AssayError, match=message):
        client.load(name, tmp_path / file)
    assert fake.requests == []


def test_an_upload_that_breaks_says_that_it_is_not_resumed(
    fake: FakeAssay, client: Client, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_bytes(b"x" * 10_000_000)

    def broken(request: Request) -> bool:
        request.handler.send_response_only(100)
        request.handler.end_headers()
        request.disconnect()
        return True

    fake.before_upload = broken
    with pytest.raises(AssayError, match="an upload is not resumed") as caught:
        client.load("a", tmp_path / "a.csv")
    assert caught.value.code == "Disconnected"


def test_a_dataset_that_failed_is_an_error(fake: FakeAssay, client: Client, tmp_path: Path) -> None:
    fake.fails_to_load = "ParserError: line 2"
    (tmp_path / "a.csv").touch()
    with pytest.raises(AssayError, match=r"a\.csv was not loaded: ParserError: line 2") as caught:
        client.load("a", tmp_path / "a.csv")
    assert caught.value.code == "DatasetFailed"


def offer(fake: FakeAssay, path: str, content: bytes) -> None:
    listed = {
        "path": path,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "mediaType": "text/csv",
    }
    fake.on("GET", f"/api/v1/runs/r1/artifacts/{path}", lambda r: r.answer(200, content))
    fake.on("GET", "/api/v1/runs/r1/artifacts", lambda r: r.answer(200, {"items": [listed]}))


def test_artifacts_are_bytes_files_or_frames(
    fake: FakeAssay, client: Client, tmp_path: Path
) -> None:
    offer(fake, "artifacts/a.csv", b"n\n1\n")
    (listed,) = client.artifacts("r1")
    assert (listed.path, listed.bytes, listed.media_type) == ("artifacts/a.csv", 4, "text/csv")
    assert client.artifact("r1", "artifacts/a.csv") == b"n\n1\n"
    saved = client.download("r1", "artifacts/a.csv", tmp_path)
    assert saved == tmp_path / "artifacts" / "a.csv"
    pytest.importorskip("pandas")
    assert client.frame("r1", "artifacts/a.csv")["n"].tolist() == [1]
    with pytest.raises(AssayError, match="the run has no file 'nope'"):
        client.artifact("r1", "nope")


def test_a_file_of_a_hostile_name_is_not_saved(
    fake: FakeAssay, client: Client, tmp_path: Path
) -> None:
    offer(fake, "../evil", b"x")
    with pytest.raises(AssayError, match="cannot be that of a file here"):
        client.download("r1", "../evil", tmp_path / "in")
    assert client.artifact("r1", "../evil") == b"x"


def test_without_pandas_frames_say_what_to_install(
    fake: FakeAssay, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(AssayError, match="pip install pandas"):
        client.frame("r1", "a.csv")


def test_lists_and_single_objects_have_all_fields_of_rest(fake: FakeAssay, client: Client) -> None:
    fake.put("sales", b"")["columns"] = [{"name": "a", "type": "int64"}]
    fake.on("GET", "/api/v1/runs/r1", lambda r: r.answer(200, run("Running", new=1)))
    fake.on("GET", "/api/v1/runs", lambda r: r.answer(200, {"items": [run("Failed")]}))
    fake.on("POST", "/api/v1/runs/r1/cancel", lambda r: r.answer(202, run("Running")))
    assert client.dataset("sales").columns == [("a", "int64")]
    assert [d.name for d in client.datasets()] == ["sales"]
    assert client.get_run("r1").json["new"] == 1
    assert [r.phase for r in client.runs(limit=5, phase="Failed")] == ["Failed"]
    assert fake.requests[-1].query == {"limit": "5", "phase": "Failed"}
    assert not client.cancel("r1").has_ended
    assert json.loads(fake.requests[-1].body) == {}
    with pytest.raises(AssayError) as caught:
        client.dataset("nope")
    assert caught.value.code == "NotFound"
