from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay_client._bridge import Bridge
from assay_client._data import OfferedData
from assay_client._http import Endpoint
from assay_client._uploads import Uploads
from fake_assay import SECONDS, FakeAssay, Request

Json = dict[str, Any]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25"},
}


def call(id_: object, tool: str, **arguments: object) -> Json:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


def cancellation(id_: object) -> Json:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}


def result(id_: object, **fields: object) -> Json:
    return {"jsonrpc": "2.0", "id": id_, "result": fields}


class Client:
    """An MCP client, whose standard input and output are pipes as the real ones are."""

    def __init__(self, fake: FakeAssay, data: OfferedData | None = None, key: str = "k") -> None:
        to_bridge, self._input = os.pipe()
        from_bridge, out = os.pipe()
        self._received: queue.Queue[bytes] = queue.Queue()
        self.is_gone = False
        self._out = os.fdopen(out, "wb", buffering=0)
        bridge = Bridge(Endpoint(fake.url, key), self._out, data)
        self.bridge = bridge
        self._lines = os.fdopen(to_bridge, "rb")
        self._from = os.fdopen(from_bridge, "rb")
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        threading.Thread(target=self._read, daemon=True).start()

    def _run(self) -> None:
        self.bridge.run(iter(self._lines), lambda: self.is_gone)
        self._out.close()

    def _read(self) -> None:
        for line in self._from:
            self._received.put(line)
        self._received.put(b"")

    def write(self, line: bytes) -> None:
        os.write(self._input, line + b"\n")

    def send(self, *messages: Json) -> None:
        for message in messages:
            self.write(json.dumps(message).encode())

    def line(self) -> bytes:
        return self._received.get(timeout=SECONDS)

    def read(self) -> Json:
        return json.loads(self.line())

    def close(self) -> list[Json]:
        """Ends the input, and returns what comes until the end of the output."""
        os.close(self._input)
        self._input = -1
        rest = [json.loads(line) for line in iter(self.line, b"")]
        self.thread.join(SECONDS)
        assert not self.thread.is_alive()
        return rest


@pytest.fixture
def connect(fake: FakeAssay) -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def connected(data: OfferedData | None = None, key: str = "k") -> Client:
        clients.append(Client(fake, data, key))
        return clients[-1]

    yield connected
    for client in clients:
        if client._input >= 0:
            client.is_gone = True
            client.close()
        client._lines.close()
        client._from.close()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.005)


def echo(request: Request) -> None:
    request.answer(200, result(request.json.get("id"), received=request.json))


def test_messages_pass_as_they_are(fake: FakeAssay, connect) -> None:
    line = (
        b'{"jsonrpc":"2.0","id":"a\\u00e9","method":"x/y","new":[1.0,1e400,123456789012345678901]}'
    )
    reply = b'{"jsonrpc":"2.0",\n "id":"a\xc3\xa9",\r\n "result":{"big":1e400,"a":1,"a":2}}'
    fake.on("POST", "/mcp", lambda r: r.answer(200, reply))
    client = connect()
    client.write(line + b"\r")
    assert client.line() == reply.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
    (request,) = fake.requests
    assert request.body == line
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Accept"] == "application/json, text/event-stream"
    assert request.headers["Authorization"] == "Bearer k"


def test_later_messages_carry_the_session_and_the_version_of_the_first_reply(
    fake: FakeAssay, connect, capfd: pytest.CaptureFixture[str]
) -> None:
    def answer(request: Request) -> None:
        if request.json["method"] == "initialize":
            found = result(0, protocolVersion="2025-06-18")
            request.answer(200, found, Mcp_Session_Id="s1")
        else:
            request.answer(202, b"")

    fake.on("POST", "/mcp", answer)
    client = connect()
    client.send(INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert client.read() == result(0, protocolVersion="2025-06-18")
    assert client.close() == []
    first, second = fake.requests
    assert first.headers["Mcp-Session-Id"] is None
    assert first.headers["MCP-Protocol-Version"] is None
    assert second.headers["Mcp-Session-Id"] == "s1"
    assert second.headers["MCP-Protocol-Version"] == "2025-06-18"
    assert "the client asked for MCP 2025-11-25, and" in capfd.readouterr().err


def test_a_session_or_version_that_is_none_stands_in_no_header(fake: FakeAssay, connect) -> None:
    found = result(0, protocolVersion="1\r\nX: y")
    fake.on("POST", "/mcp", lambda r: r.answer(200, found, Mcp_Session_Id="s 1"))
    client = connect()
    client.send(INITIALIZE)
    client.read()
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    client.close()
    headers = fake.requests[1].headers
    assert headers["Mcp-Session-Id"] is None
    assert headers["MCP-Protocol-Version"] is None


@pytest.mark.parametrize("message", [b"1", b'"x"', b"null", b"[1]", b'{"id": [1], "method": 2}'])
def test_messages_of_unexpected_types_do_not_end_the_bridge(
    fake: FakeAssay, connect, message: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    fake.on("POST", "/mcp", lambda r: r.answer(200, {"id": 1, "result": [1]}))
    client = connect()
    client.write(message)
    wait_until(lambda: len(fake.requests) == 1)
    client.send(call(1, "x"))
    while client.read() != {"id": 1, "result": [1]}:
        pass
    client.close()
    assert "Traceback" not in capfd.readouterr().err


def test_a_reply_of_unexpected_types_is_an_error(
    fake: FakeAssay, connect, offered: OfferedData
) -> None:
    structured = {"datasets": [{"resourceName": {}}]}
    fake.on("POST", "/mcp", lambda r: r.answer(200, result(1, structuredContent=structured)))
    client = connect(offered)
    client.send(call(1, "list_datasets"))
    error = client.read()["error"]
    assert error["code"] == -32603
    assert error["message"].startswith("an error in assay-client itself (TypeError: ")


def test_a_message_is_one_line_for_every_reader(fake: FakeAssay, connect) -> None:
    text = "a\u2028b\u2029c\x85d"
    body = json.dumps(result(1, text=text), ensure_ascii=False).encode()
    fake.on("POST", "/mcp", lambda r: r.answer(200, body))
    client = connect()
    client.send(call(1, "x"))
    line = client.line()
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line) == result(1, text=text)


def test_an_endpoint_that_refuses_the_version_is_heard(fake: FakeAssay, connect) -> None:
    error = {"code": -32602, "message": "Unsupported protocol version", "data": {"supported": []}}
    fake.on("POST", "/mcp", lambda r: r.answer(400, {"error": error}))
    client = connect()
    client.send(INITIALIZE)
    assert client.read() == {"jsonrpc": "2.0", "id": 0, "error": error}


def test_notifications_of_a_stream_come_before_its_reply(fake: FakeAssay, connect) -> None:
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}

    def stream(request: Request) -> None:
        request.begin_stream()
        request.handler.wfile.write(b": waiting\n\n")
        request.event(progress)
        request.handler.wfile.write(b'data: {"jsonrpc": "2.0",\ndata: "id": 1, "result": {}}\n\n')

    fake.on("POST", "/mcp", stream)
    client = connect()
    client.send(call(1, "x"))
    assert client.read() == progress
    assert client.line() == b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n'


def test_calls_are_forwarded_side_by_side(fake: FakeAssay, connect) -> None:
    both = threading.Barrier(2)

    def answer(request: Request) -> None:
        both.wait(SECONDS)
        echo(request)

    fake.on("POST", "/mcp", answer)
    client = connect()
    client.send(call(1, "x"), call(2, "x"))
    assert {client.read()["id"], client.read()["id"]} == {1, 2}


def test_a_cancellation_is_forwarded_and_the_call_gets_no_reply(fake: FakeAssay, connect) -> None:
    arrived, over = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        if request.json["method"] == "tools/call":
            arrived.set()
            over.wait(SECONDS)
            echo(request)
        else:
            request.answer(202, b"")

    fake.on("POST", "/mcp", answer)
    client = connect()
    client.send(call("c", "x"))
    assert arrived.wait(SECONDS)
    client.send(cancellation("c"), cancellation("unknown"))
    wait_until(lambda: len(fake.requests) == 2)
    over.set()
    assert client.close() == []
    assert fake.requests[1].json == cancellation("c")
    assert len(fake.requests) == 2


def test_a_refusal_has_the_words_of_the_endpoint(
    fake: FakeAssay, connect, capfd: pytest.CaptureFixture[str]
) -> None:
    fake.on("POST", "/mcp", lambda r: r.refuse(401, "An API key is needed\x1b[2J"))
    client = connect()
    client.send(call(1, "x"))
    error = client.read()["error"]
    assert error["code"] == 401
    assert error["message"].endswith(
        "(ASSAY_API_KEY holds the key, or --key-file names a file with it)"
    )
    assert client.close() == []
    said = capfd.readouterr().err
    assert "answered 401: An API key is needed\\x1b[2J" in said


def test_a_redirect_is_not_followed(fake: FakeAssay, connect) -> None:
    fake.on("POST", "/mcp", lambda r: r.answer(307, b"", Location="http://127.0.0.1:1/mcp"))
    client = connect()
    client.send(call(1, "x"))
    assert "redirects to" in client.read()["error"]["message"]
    assert len(fake.requests) == 1


def test_an_endpoint_that_goes_away_and_comes_back_is_used_again(fake: FakeAssay, connect) -> None:
    answers = [lambda r: r.disconnect(), echo]
    fake.on("POST", "/mcp", lambda r: answers.pop(0)(r))
    client = connect()
    client.send(call(1, "x"))
    message = client.read()["error"]["message"]
    assert "broke" in message
    assert message.endswith("the call may have been carried out: list_runs shows it")
    client.send(call(2, "x"))
    assert client.read()["id"] == 2


def test_without_an_endpoint_each_request_gets_an_error(fake: FakeAssay, connect) -> None:
    fake.stop()
    client = connect()
    client.send(INITIALIZE, call(1, "x"), {"jsonrpc": "2.0", "method": "notifications/initialized"})
    replies = [client.read(), client.read()]
    assert {reply["id"] for reply in replies} == {0, 1}
    assert all("nothing answers at" in reply["error"]["message"] for reply in replies)
    assert client.close() == []


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"\xff",
        b"[" * 100_000,
        *(b'{"method": "x", "id": ' + b"[" * n + b"]" * n + b"}" for n in (2000, 50_000)),
    ],
)
def test_a_malformed_line_gets_an_error_and_the_next_is_read(
    fake: FakeAssay, connect, line: bytes
) -> None:
    fake.on("POST", "/mcp", echo)
    client = connect()
    client.write(line)
    assert client.read()["error"]["code"] == -32700
    client.write(b"")
    client.send(call(1, "x"))
    assert client.read()["id"] == 1


@pytest.mark.parametrize("body", [b"", b"\n\n", b"<html>"])
def test_an_answer_without_a_reply_is_an_error(fake: FakeAssay, connect, body: bytes) -> None:
    fake.on("POST", "/mcp", lambda r: r.answer(200, body))
    client = connect()
    client.send(call(1, "x"))
    assert client.read()["error"]["message"].endswith("sent no reply")


def test_a_stream_that_breaks_off_is_an_error(fake: FakeAssay, connect) -> None:
    def half(request: Request) -> None:
        request.handler.send_response(200)
        request.handler.send_header("Content-Type", "text/event-stream")
        request.handler.send_header("Transfer-Encoding", "chunked")
        request.handler.end_headers()
        request.handler.wfile.write(b"5\r\ndata:\r\n")

    fake.on("POST", "/mcp", half)
    client = connect()
    client.send(call(1, "x"))
    assert "broke" in client.read()["error"]["message"]


def test_the_end_of_the_input_waits_for_calls_in_progress(fake: FakeAssay, connect) -> None:
    arrived, over = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        arrived.set()
        over.wait(SECONDS)
        echo(request)

    fake.on("POST", "/mcp", answer)
    client = connect()
    client.send(call(1, "x"))
    assert arrived.wait(SECONDS)
    threading.Timer(0.1, over.set).start()
    assert [reply["id"] for reply in client.close()] == [1]
    assert len(fake.requests) == 1


def test_calls_are_cancelled_if_the_client_is_gone(fake: FakeAssay, connect) -> None:
    arrived, cancelled = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        if request.json["method"] == "tools/call":
            arrived.set()
            cancelled.wait(SECONDS)
        else:
            request.answer(202, b"")
            cancelled.set()

    fake.on("POST", "/mcp", answer)
    client = connect()
    client.send(call(1, "x"))
    assert arrived.wait(SECONDS)
    client.is_gone = True
    assert client.close() == []
    assert fake.requests[1].json["params"]["requestId"] == 1


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    folder = tmp_path / "Meine Umsätze"
    folder.mkdir()
    (folder / "sales.csv").write_bytes(b"a\n1\n")
    (folder / "Kosten ä.csv").write_bytes(b"a\n2\n")
    (folder / "notes.txt").touch()
    return folder


@pytest.fixture
def offered(fake: FakeAssay, tables: Path, tmp_path: Path) -> OfferedData:
    uploads = Uploads(Endpoint(fake.url, "k"), tmp_path / "r", lambda s: None, lambda s: None)
    return OfferedData(tables, uploads)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("execute_custom_analytics_code", {"dataset_name": "sales", "python_code": "df"}),
        ("execute_custom_analytics_code", {"datasets": ["x", "SALES"], "files": {"a.py": "sales"}}),
        ("analytics_execute_query", {"query_type": "sql", "query": "", "files": ["s*"]}),
        ("analytics_execute_query", {"query_type": "sql", "query": "FROM sales", "files": []}),
        ("analytics_profile_dataset", {"file_path": "/workspace/sales.csv"}),
        ("describe_dataset", {"dataset_name": "sales"}),
    ],
)
def test_a_table_is_uploaded_before_a_call_that_names_it(
    fake: FakeAssay, connect, offered: OfferedData, tool: str, arguments: Json
) -> None:
    fake.on("POST", "/mcp", echo)
    client = connect(offered)
    client.send(call(1, tool, **arguments))
    assert client.read()["result"]["received"] == call(1, tool, **arguments)
    assert fake.uploads == [("sales", b"a\n1\n")]
    assert fake.requests[-1].path == "/mcp"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("execute_custom_analytics_code", {"dataset_name": "other", "python_code": "sales"}),
        ("execute_custom_analytics_code", {"python_code": "1", "files": {"sales": "1"}}),
        ("analytics_execute_query", {"query_type": "sql", "query": "SELECT sales", "files": []}),
        ("load_dataset", {"dataset_name": "sales", "text": "a"}),
        ("delete_dataset", {"dataset_name": "sales"}),
        ("analytics_cache_invalidate", {"file_path": "sales"}),
        ("of_another_server", {"dataset_name": "sales"}),
        ("list_runs", {}),
    ],
)
def test_other_calls_upload_nothing(
    fake: FakeAssay, connect, offered: OfferedData, tool: str, arguments: Json
) -> None:
    fake.on("POST", "/mcp", echo)
    client = connect(offered)
    client.send(call(1, tool, **arguments))
    client.read()
    assert fake.uploads == []


def test_a_table_that_cannot_be_uploaded_is_the_reply_and_the_call_is_not_sent(
    fake: FakeAssay, connect, offered: OfferedData
) -> None:
    fake.put("sales", b"of somebody else")
    client = connect(offered)
    client.send(call(1, "describe_dataset", dataset_name="sales"))
    reply = client.read()["result"]
    assert reply["isError"] is True
    assert reply["content"][0]["text"].startswith(
        "EXECUTION ERROR: the endpoint has another dataset 'sales', which is not the file sales.csv"
    )
    assert "/mcp" not in fake.paths("POST")


def test_a_dataset_of_somebody_else_with_the_same_bytes_is_named_in_the_reply(
    fake: FakeAssay, connect, offered: OfferedData
) -> None:
    fake.put("sales", b"a\n1\n")
    block = {"type": "text", "text": "sales"}
    fake.on("POST", "/mcp", lambda r: r.answer(200, result(r.json["id"], content=[block])))
    client = connect(offered)
    client.send(call(1, "describe_dataset", dataset_name="sales"))
    first, second = client.read()["result"]["content"]
    assert first == block
    assert (
        "somebody has loaded the bytes of sales.csv, perhaps with other options" in second["text"]
    )
    client.send(call(2, "describe_dataset", dataset_name="sales"))
    assert client.read()["result"]["content"] == [block]


def test_the_list_of_datasets_names_the_tables_that_are_not_uploaded_yet(
    fake: FakeAssay, connect, offered: OfferedData
) -> None:
    fake.put("sales", b"a\n1\n")
    listed = {
        "content": [{"type": "text", "text": "sales: Ready"}],
        "structuredContent": {"datasets": list(fake.datasets.values()), "omitted": 0},
    }
    fake.on("POST", "/mcp", lambda r: r.answer(200, result(1, **listed)))
    client = connect(offered)
    client.send(call(1, "list_datasets"))
    reply = client.read()["result"]
    assert reply["content"][0] == listed["content"][0]
    first, second = reply["content"][1]["text"].splitlines()
    assert first == (
        "Tables of the user's folder, which are datasets too and are uploaded when a call first"
        " names them: Kosten a"
    )
    assert second.startswith("Not offered: notes.txt: only files directly in the folder")
    assert reply["structuredContent"]["notUploaded"] == ["Kosten a"]
    assert reply["structuredContent"]["omitted"] == 0
    assert fake.uploads == []


def test_progress_of_an_upload_has_the_token_of_its_call(
    fake: FakeAssay, connect, offered: OfferedData
) -> None:
    fake.on("POST", "/mcp", echo)
    message = call(1, "describe_dataset", dataset_name="sales")
    message["params"]["_meta"] = {"progressToken": "p"}
    client = connect(offered)
    client.send(message)
    first, second = client.read()["params"], client.read()["params"]
    assert (first["progressToken"], first["message"]) == ("p", "Uploading sales.csv (4 bytes)")
    assert 0 <= first["progress"] < second["progress"] < 0.001
    assert client.read()["id"] == 1


def test_a_call_that_is_cancelled_during_its_upload_is_not_sent(
    fake: FakeAssay, connect, offered: OfferedData
) -> None:
    arrived, over = threading.Event(), threading.Event()

    def hold(request: Request) -> bool:
        arrived.set()
        over.wait(SECONDS)
        return False

    fake.before_upload = hold
    client = connect(offered)
    client.send(call(1, "describe_dataset", dataset_name="sales"))
    assert arrived.wait(SECONDS)
    client.send(cancellation(1))
    assert client.close() == []
    over.set()
    assert "/mcp" not in fake.paths("POST")


def test_what_the_agent_loads_itself_is_not_replaced_by_the_file(
    fake: FakeAssay, connect, offered: OfferedData
) -> None:
    def answer(request: Request) -> None:
        if request.json["params"]["name"] == "load_dataset":
            fake.put("sales", b"of the agent")
        request.answer(200, result(request.json["id"], isError=False, content=[]))

    fake.on("POST", "/mcp", answer)
    client = connect(offered)
    client.send(call(1, "load_dataset", dataset_name="sales", text="a"))
    client.read()
    client.send(call(2, "describe_dataset", dataset_name="sales"))
    assert client.read()["result"]["isError"] is False
    assert fake.uploads == []


@pytest.mark.parametrize(
    "named",
    [
        {"files": ["t*"]},
        {"files": ["t?", "t1?"]},
        {"query": "FROM " + ", ".join(f"t{i}" for i in range(17))},
    ],
)
def test_too_many_tables_are_an_error_before_any_is_uploaded(
    fake: FakeAssay, connect, offered: OfferedData, tables: Path, named: Json
) -> None:
    for i in range(17):
        (tables / f"t{i}.csv").touch()
    client = connect(offered)
    client.send(call(1, "analytics_execute_query", query_type="sql", **named))
    text = client.read()["result"]["content"][0]["text"]
    assert "the call names 17 tables of the folder, and the limit is 16: name fewer" in text
    assert fake.requests == []
