"""The parts of the measurements of scripts that need no cluster, no server and no peer."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from bench import cpu
from bench.kubernetes import Object
from bench.mcp import McpClient, ToolResult
from bench.memory_limit import MemoryLimit
from bench.report.result import Result
from bench.scripts import cli, gateway, peer, script_class, tool_server, typed_source
from bench.scripts.hops import HOPS, hops, ways
from bench.scripts.phases import computing, endless_allocation
from bench.scripts.phases.endless_loop import busy_cores
from bench.scripts.phases.queue import Slot, latest, most_at_once, overtaken, slot_of
from bench.scripts.script_client import Reply, Script, ScriptClient, ScriptError, reply
from bench.scripts.sources import source
from bench.scripts.summary import summary
from bench.scripts.upstream import Served, intervals
from cluster.settings import REPOSITORY

_RANGES = REPOSITORY / "bench" / "ranges"


def _result(structured: Object, text: str = "") -> ToolResult:
    return ToolResult(structured, text, False, 0.25)


def test_a_script_is_sent_with_what_it_is_given() -> None:
    assert Script("1").arguments() == {"code": "1", "language": "javascript"}
    script = Script("input.a", {"a": 1}, {"timeout_ms": 5}, "typescript")
    assert script.arguments() == {
        "code": "input.a",
        "language": "typescript",
        "input": {"a": 1},
        "options": {"timeout_ms": 5},
    }


def test_a_reply_is_read_as_structured_content_and_as_text() -> None:
    own = reply(_result({"ok": True, "value": [1], "execution_id": "run-1"}, "cut"))
    assert (own.value, own.error, own.run, own.milliseconds) == ([1], "", "run-1", 250)
    other = reply(_result({}, '{"ok": true, "value": {"a": 2}}'))
    assert (other.value, other.error, other.run) == ({"a": 2}, "", "")


def test_a_failed_script_has_the_code_of_its_error_and_no_value() -> None:
    failed = reply(_result({}, '{"ok": false, "error": {"code": "TIMEOUT", "message": "late"}}'))
    assert (failed.value, failed.error) == (None, "TIMEOUT")


def test_a_reply_that_is_no_outcome_is_an_error_with_its_text() -> None:
    with pytest.raises(ScriptError, match="Code execution is disabled"):
        reply(_result({}, "Code execution is disabled."))


def test_a_lost_connection_is_an_outcome_where_it_is_measured() -> None:
    class Lost:
        def call(self, tool: str, arguments: Object) -> ToolResult:
            raise ConnectionResetError

        def close(self) -> None:
            """Nothing is open."""

    found = ScriptClient(Lost).run_apart(Script("1"))  # type: ignore[arg-type]
    assert (found.value, found.error) == (None, "no reply: ConnectionResetError")


class _Session(BaseHTTPRequestHandler):
    """A server of MCP that requires a session."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        begins = message["method"] == "initialize"
        if not begins and self.headers.get("Mcp-Session-Id") != "session-1":
            self._answer(400, {})
        elif begins:
            result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {}}
            self._answer(200, {"id": 0, "result": result}, {"Mcp-Session-Id": "session-1"})
        elif message["method"] == "notifications/initialized":
            self._answer(202, None)
        else:
            version = self.headers["MCP-Protocol-Version"]
            content = [{"type": "text", "text": version}]
            self._answer(200, {"id": 1, "result": {"content": content}})

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing is logged."""

    def _answer(self, status: int, body: Object | None, headers: Object | None = None) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def session_url() -> Iterator[str]:
    """The address of such a server."""
    with HTTPServer(("127.0.0.1", 0), _Session) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/mcp"
        server.shutdown()


def test_a_client_keeps_its_session_and_the_version_of_the_server(session_url: str) -> None:
    client = McpClient(session_url, None)
    client.initialize()
    assert client.call("any", {}).text == "2025-06-18"
    client.close()


def test_one_more_call_is_the_time_between_the_begins_of_two() -> None:
    calls = [Served(began, began + 1) for began in (10.0, 12.0, 15.0, 15.5)]
    assert intervals(calls, uncounted=1) == [3.0, 0.5]


_LOG = """\
2026-01-02T03:04:05.000Z INFO  Main started
{"time":"2026-01-02T03:04:05.123456789Z","run":"uid-1","call":1,"tool":"timed","millis":1}
{"time":"2026-01-02T03:04:05.125Z","run":"uid-2","call":1,"tool":"uid-1","millis":1}
{"time":"2026-01-02T03:04:06Z","run":"uid-1","call":2,"tool":"timed","millis":0}
""".splitlines()


def test_the_calls_of_a_run_are_found_in_the_log_of_the_gateway() -> None:
    found = gateway.calls_in_log(_LOG, "uid-1")
    second = gateway.epoch_ms("2026-01-02T03:04:05Z")
    assert found == {1: pytest.approx(second + 123.456), 2: second + 1000}


def _records(*calls: tuple[int, int, int]) -> list[Object]:
    return [
        {
            "call": call,
            "begun": f"1970-01-01T00:00:00.{begun:03}Z",
            "ended": f"1970-01-01T00:00:00.{ended:03}Z",
        }
        for call, begun, ended in calls
    ]


def test_the_hops_of_a_call_add_up_to_what_the_script_sees() -> None:
    (way,) = ways([[100.0, 109.0]], _records((1, 102, 107)), {1: 103.0}, [Served(104.5, 105.0)])
    found = {name: values[0] for name, values in hops([way]).items()}
    assert found == dict(zip(HOPS, (2.0, 1.0, 1.5, 0.5, 2.0, 2.0), strict=True))
    assert sum(found.values()) == 9.0


@pytest.mark.parametrize(
    ("records", "at_gateway", "served"),
    [
        (_records(), {1: 103.0}, [Served(104, 105)]),
        (_records((2, 102, 107)), {1: 103.0}, [Served(104, 105)]),
        (_records((1, 102, 107)), {}, [Served(104, 105)]),
        (_records((1, 102, 107)), {1: 103.0}, []),
    ],
)
def test_a_part_that_does_not_have_a_call_is_an_error(
    records: list[Object], at_gateway: dict[int, float], served: list[Served]
) -> None:
    with pytest.raises(ValueError, match="1 calls of the script"):
        ways([[100.0, 109.0]], records, at_gateway, served)


def test_the_peer_listens_on_the_loopback_address_and_tells_nobody(tmp_path: Path) -> None:
    settings = peer.config(1234, tmp_path, "key", "bench", "http://198.51.100.1/mcp")
    assert settings["listen"] == "127.0.0.1:1234"
    assert settings["data_dir"] == str(tmp_path)
    assert settings["enable_code_execution"] is True
    assert not settings["telemetry"]["enabled"] and not settings["update_check"]["enabled"]
    (server,) = settings["mcpServers"]
    assert (server["name"], server["url"]) == ("bench", "http://198.51.100.1/mcp")
    assert server["enabled"] and not server["quarantined"]


def test_the_conditions_of_the_peer_have_its_version_and_no_key() -> None:
    conditions = peer.PeerProgram(Path("/mcpproxy"), "v1").conditions
    assert conditions["mcpproxy-go"] == "v1"
    assert "MCPPROXY_TELEMETRY=false" in str(conditions)
    assert "api_key" not in str(conditions)


def test_a_memory_limit_of_cgroup_v2_leaves_no_swap(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("memory")
    limit = MemoryLimit(1000, tmp_path).__enter__()
    (group,) = tmp_path.glob("assay-bench-*")
    assert (group / "memory.max").read_text() == "1000"
    assert (group / "memory.swap.max").read_text() == "0"
    (group / "memory.events").write_text("oom 3\noom_kill 2\n")
    assert limit.kills() == 2
    assert limit.command(["a", "b"])[3:] == [group / "cgroup.procs", "a", "b"]


def test_a_memory_limit_of_cgroup_v1_is_in_the_hierarchy_of_memory(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    limit = MemoryLimit(1000, tmp_path).__enter__()
    (group,) = (tmp_path / "memory").glob("assay-bench-*")
    assert (group / "memory.limit_in_bytes").read_text() == "1000"
    (group / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
    assert limit.kills() == 1


def test_the_cgroups_of_a_pod_are_found_in_both_versions(tmp_path: Path) -> None:
    (tmp_path / "cpuacct" / "parent" / "kubepods" / "burstable" / "podu1").mkdir(parents=True)
    assert [group.name for group in cpu.pod_groups("parent", "u1", tmp_path)] == ["podu1"]
    assert cpu.pod_groups("parent", "u2", tmp_path) == []
    (tmp_path / "cgroup.controllers").touch()
    (tmp_path / "parent" / "kubepods" / "podu1").mkdir(parents=True)
    assert [group.name for group in cpu.pod_groups("parent", "u1", tmp_path)] == ["podu1"]


class _Busy:
    """A process that keeps some cores busy, by a clock that only sleeping moves."""

    def __init__(self, cores: float, ends_at: float) -> None:
        self.now = 0.0
        self._cores = cores
        self._ends_at = ends_at

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def clock(self) -> float:
        return self.now

    def seconds(self) -> float:
        if self.now >= self._ends_at:
            raise cpu.GoneError("process")
        return self.now * self._cores


def test_cores_in_use_are_read_from_a_second_after_the_answer_on() -> None:
    busy = _Busy(1.5, ends_at=100)
    assert busy_cores(busy.seconds, busy.clock, busy.sleep) == pytest.approx(1.5)
    assert busy.now == pytest.approx(2, abs=0.06)


def test_what_is_gone_a_second_after_the_answer_uses_no_core() -> None:
    busy = _Busy(1.5, ends_at=0.9)
    assert busy_cores(busy.seconds, busy.clock, busy.sleep) == 0


def test_what_ends_while_it_is_read_has_used_what_it_did_until_then() -> None:
    busy = _Busy(1.0, ends_at=1.5)
    assert busy_cores(busy.seconds, busy.clock, busy.sleep) == pytest.approx(0.9, abs=0.06)


def test_a_slot_that_is_left_can_be_taken_in_the_same_moment() -> None:
    slots = [Slot(0, 10), Slot(5, 12), Slot(10, 20)]
    assert most_at_once(slots) == 2
    assert most_at_once([*slots, Slot(11, 13)]) == 3


def test_a_run_has_its_pod_from_some_time_of_the_second_in_which_that_was_created() -> None:
    def slot(finished: str) -> Slot:
        timings = {"podCreated": "1970-01-01T00:00:05Z", "finished": finished}
        return slot_of({"status": {"timings": timings}})

    slots = [slot("1970-01-01T00:00:09.250Z"), slot("1970-01-01T00:00:05.250Z")]
    assert slots == [Slot(5000, 9250), Slot(5000, 5250)]
    assert latest(slots) == [Slot(5999, 9250), Slot(5250, 5250)]


def test_a_script_is_overtaken_by_those_that_came_later_and_got_a_pod_before() -> None:
    assert overtaken([Slot(0, 9), Slot(1, 9), Slot(2, 9)]) == 0
    assert overtaken([Slot(0, 9), Slot(3, 9), Slot(1, 9), Slot(2, 9)]) == 2


def test_ratios_of_computing_scripts_are_those_of_medians() -> None:
    samples = {}
    for place, name in enumerate(computing.SCRIPTS, 1):
        samples[f"{name}: Assay"] = [10.0, 10.0, 1000.0]
        samples[f"{name}: mcpproxy-go"] = [place * 100.0] * 3
    found = computing.ratios(samples)
    assert found["median of mcpproxy-go / Assay"] == 30
    assert found["least of mcpproxy-go / Assay"] == 10


def test_others_are_unharmed_if_they_have_the_right_value() -> None:
    def ended(value: object) -> Reply:
        return Reply(value, "", "", 1.0, 0.0)

    good = [ended(500000500000), ended(None), ended(3)]
    assert endless_allocation.Ends(ended(None), good).unharmed == 1


def test_a_source_without_types_has_the_same_statements() -> None:
    both = typed_source.typed_source(20 * 1024)
    assert 19 * 1024 < len(both.typescript) <= 20 * 1024
    for word in ("interface", "type ", "number", " as ", "!;"):
        assert word in both.typescript
        assert word not in both.javascript
    calls = both.typescript.count("function ")
    assert calls == both.javascript.count("function ")
    assert both.value == sum(number + 3 for number in range(1, calls + 1))


def test_scripts_call_the_tools_of_the_server_that_is_declared() -> None:
    assert tool_server.item("http://198.51.100.1/mcp")["metadata"]["name"] == tool_server.SERVER
    for name in ("calls", "batches", "held"):
        assert f"'{tool_server.SERVER}'" in source(name)
    assert all(source(name) for name in computing.SCRIPTS)


def test_a_class_gets_back_what_it_had_and_nothing_that_it_had_not() -> None:
    spec = {"maxConcurrentRuns": 10, "languages": ["javascript"]}
    assert script_class.settings(spec) == {"maxConcurrentRuns": 10, "warmPool": None}


def test_the_summary_has_a_line_for_each_figure_with_a_range(tmp_path: Path) -> None:
    ranges = {"a": {"max": 1}, "b": {"min": 2, "max": 4}, "of the peer": {"max": 1}}
    (tmp_path / "one.json").write_text(json.dumps(ranges))
    result = Result("one", {}, {"a": 1.5, "b": 3}, absent=["peer"])
    assert summary([result], tmp_path).splitlines()[2:] == [
        "| one | a | <= 1 | 1.50, not met |",
        "| one | b | >= 2 and <= 4 | 3.00 |",
        "| one | of the peer | <= 1 | absent |",
    ]


def test_each_phase_has_a_range() -> None:
    ranges = {file.stem for file in _RANGES.glob("*.json")}
    assert set(cli._PHASES) <= ranges
