"""The parts of the measurements of warm pools that need no cluster."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import queue
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from bench import arrivals, fresh_process, memory, warm_pool
from bench.api_writes import Writes, api_writes, writes_per_run
from bench.burst import BurstError
from bench.kubernetes import ApiError, Object
from bench.meter import Cost, least
from bench.node import Component
from bench.quantities import quantity
from bench.report import draw
from bench.report.conditions import fsync
from bench.report.distribution import distribution
from bench.report.result import Result, as_json, table, violations
from bench.warm import cli, runs_of_class, timed_runs
from bench.warm.client import Client
from bench.warm.phases import data, knee
from bench.warm.phases.knee import Step
from bench.warm.timed_runs import TimedRun, timed_code

_MS = 1_000_000


def _run(name: str, posted: int, first: int, *, warm: bool = True) -> TimedRun:
    stages = {"bound": (posted + 5) * _MS, "finished": (first + 3) * _MS}
    return TimedRun(
        name=name,
        posted=posted * _MS,
        acknowledged=None,
        created_seen=(posted + 2) * _MS,
        bound_seen=(posted + 7) * _MS,
        first=first * _MS,
        last=(first + 1) * _MS,
        ended_seen=(first + 10) * _MS,
        stages=stages,
        pod=f"pod-{name}",
        is_warm=warm,
        has_libraries=True,
    )


def test_the_code_of_a_run_prints_when_it_began_and_ended() -> None:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(timed_code("value = 7"), {})
    first, has_libraries, last = json.loads(output.getvalue())
    assert 0 < first <= last
    assert has_libraries == ("pandas" in sys.modules)


def test_the_first_statement_of_the_code_reads_the_clock() -> None:
    assert timed_code().splitlines()[0] == 'first = __import__("time").time_ns()'


def test_parts_of_a_run_are_milliseconds() -> None:
    parts = timed_runs.stages_ms([_run("a", 100, 117)])
    assert parts == {
        "create to first instruction": [17],
        "create to seen by a watch": [2],
        "create to decision to bind": [5],
        "create to bind seen by a watch": [7],
        "first to last instruction": [1],
        "last instruction to end decided": [2],
        "last instruction to answer": [9],
        "create to answer": [27],
    }


def test_when_the_operator_has_seen_a_run_is_a_part_of_it() -> None:
    run = _run("a", 100, 117)
    seen = dataclasses.replace(run, stages={**run.stages, "queued": 103 * _MS})
    assert timed_runs.stages_ms([seen])["create to seen by the operator"] == [3]


def test_overtaking_is_counted_by_the_order_of_creation() -> None:
    in_order = [_run("a", 1, 10), _run("b", 2, 11), _run("c", 3, 12)]
    assert timed_runs.overtaken(in_order) == 0
    late = [_run("c", 3, 12), _run("a", 1, 30), _run("b", 2, 11)]
    assert timed_runs.overtaken(late) == 2


def test_the_order_of_runs_is_that_in_which_the_api_server_creates_them() -> None:
    sent_first = dataclasses.replace(_run("a", 1, 30), created_seen=9 * _MS)
    assert timed_runs.in_order([sent_first, _run("b", 2, 11)])[0].name == "b"
    assert timed_runs.overtaken([sent_first, _run("b", 2, 11)]) == 0


def test_runs_per_second_count_from_the_first_create_to_the_last_answer() -> None:
    runs = [_run("a", 0, 90), _run("b", 100, 490)]
    assert timed_runs.per_second(runs) == pytest.approx(4)


def test_starts_per_second_count_from_the_first_create_to_the_last_first_instruction() -> None:
    runs = [_run("a", 0, 90), _run("b", 100, 500)]
    assert timed_runs.starts_per_second(runs) == pytest.approx(4)


def test_steady_starts_leave_out_the_first_and_the_last_runs() -> None:
    firsts = [0, 900, 1000, 1100, 1200, 9000]
    runs = [_run(str(first), 0, first) for first in firsts]
    assert timed_runs.steady_starts_per_second(runs, 1) == pytest.approx(10)


def test_runs_that_follow_each_other_are_not_concurrent() -> None:
    in_turn = [_run("a", 0, 10), _run("b", 0, 11), _run("c", 0, 12)]
    assert timed_runs.most_concurrent(in_turn) == 1
    assert timed_runs.most_concurrent([*in_turn, _run("d", 0, 10)]) == 2


def test_shares_tell_warm_pods_from_others() -> None:
    runs = [_run("a", 0, 1), _run("b", 0, 1, warm=False)]
    assert timed_runs.warm_share(runs) == 0.5
    assert timed_runs.library_share(runs) == 1


def test_percentiles_are_interpolated() -> None:
    found = distribution([float(number) for number in range(101)])
    assert (found.count, found.p50, found.p90, found.p99, found.max) == (101, 50, 90, 99, 100)
    assert distribution([1.0, 2.0]).p90 == pytest.approx(1.9)
    assert distribution([4.0]).p99 == 4


def test_arrivals_are_at_their_rate() -> None:
    assert arrivals.evenly(3, 2) == [0, 0.5, 1]
    assert arrivals.at_once(2) == [0, 0]
    times = arrivals.poisson(2000, 5)
    assert times == sorted(times)
    assert len(times) / times[-1] == pytest.approx(5, rel=0.1)
    assert times == arrivals.poisson(2000, 5)


@pytest.mark.parametrize(
    ("text", "number"), [("100m", 0.1), ("2", 2), ("1.5Gi", 1.5 * 2**30), ("64Mi", 2**26)]
)
def test_quantities_are_read(text: str, number: float) -> None:
    assert quantity(text) == pytest.approx(number)


def test_an_unknown_quantity_is_an_error() -> None:
    with pytest.raises(ValueError, match="7Zi"):
        quantity("7Zi")


def _series(verb: str, path: str, count: float, seconds: float) -> str:
    resource, _, part = path.partition("/")
    labels = f'{{group="",resource="{resource}",subresource="{part}",verb="{verb}"}}'
    name = "apiserver_request_duration_seconds"
    return f"{name}_sum{labels} {seconds}\n{name}_count{labels} {count}\n"


def test_writes_are_counted_by_verb_and_resource() -> None:
    metrics = (
        _series("PATCH", "pods/status", 3, 0.03)
        + _series("PATCH", "pods/status", 1, 0.01)
        + _series("LIST", "pods", 50, 1)
        + _series("PUT", "leases", 99, 1)
    )
    before = api_writes(metrics)
    assert before == {"PATCH pods/status": Writes(4, 0.04)}
    after = {"POST pods": Writes(10, 0.1), "PATCH pods/status": Writes(24, 0.24)}
    made = writes_per_run(before, {**after, "POST events": Writes()}, 10)
    assert list(made) == ["PATCH pods/status", "POST pods"]
    assert made["PATCH pods/status"].count == 2
    assert made["PATCH pods/status"].mean_ms == pytest.approx(10)


def test_the_class_of_a_measurement_is_nobodys_default_and_keeps_no_pod() -> None:
    spec = {
        "image": "runner",
        "defaultFor": ["python"],
        "allowedNamespaces": ["*"],
        "resources": {"cpu": "1", "memory": "512Mi"},
    }
    own = warm_pool.class_spec(spec, "runs", {"memory": "192Mi"}, 1024)
    assert own == {
        "image": "runner",
        "allowedNamespaces": ["runs"],
        "resources": {"cpu": "1", "memory": "192Mi"},
        "output": {"limitBytes": 1024},
        "warmPool": {"min": 0},
    }
    assert spec["defaultFor"] == ["python"]


def test_the_room_of_a_node_is_what_requests_leave() -> None:
    pod = {"spec": {"containers": [{"resources": {"requests": {"cpu": "930m"}}}, {}]}}
    allocatable = {"cpu": "2", "memory": "1Gi", "pods": "250"}
    assert warm_pool.room_beside(allocatable, [pod], {"cpu": 0.1, "memory": 1.0}) == 10
    assert warm_pool.room_beside(allocatable, [pod], {"cpu": 0.1, "memory": 2.0**29}) == 1
    assert warm_pool.room_beside({**allocatable, "pods": "1"}, [pod], {"cpu": 0.1}) == 0


def test_the_knee_is_the_rate_before_calls_wait() -> None:
    steps = [Step(1, 20, 1), Step(2, 30, 1), Step(4, 41, 1)]
    assert knee.knee(steps) == 2
    assert knee.knee([*steps[:2], Step(4, 30, 0.9)]) == 2
    assert knee.knee([Step(1, 20, 0.5)]) == 0


def test_the_knee_of_an_earlier_measurement_is_found(tmp_path: Path) -> None:
    (tmp_path / "knee.json").write_text(as_json(Result("knee", {}, {knee.FIGURE: 1.4})))
    assert knee.found_before(tmp_path) == 1.4


def test_a_fresh_process_counts_what_it_does_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh_process, "_CODE", "import sys, time; {first}; print(time.time_ns())")
    file = tmp_path / "written"
    statement = "time.sleep(0.05); open(sys.argv[1], 'w').close()"
    fresh = fresh_process.fresh_process(Path(sys.executable), statement, file)
    assert file.exists()
    assert 50 <= fresh.first <= fresh.ended


def _run_of(class_name: str, pod: str, *, warm: bool) -> Object:
    return {
        "spec": {"className": class_name},
        "status": {"pod": {"name": pod, "warm": warm}},
    }


def test_runs_of_a_front_end_are_known_by_their_class() -> None:
    runs = [
        _run_of("bench", "a", warm=True),
        _run_of("bench", "b", warm=False),
        _run_of("other", "c", warm=True),
        {"spec": {"className": "bench"}},
        {"spec": {}, "status": {"phase": "Pending"}},
    ]
    pods = runs_of_class.pods_had(runs, "bench")
    assert pods == {"a": True, "b": False}
    assert runs_of_class.warm_share(pods, 2) == 0.5


def test_calls_that_made_no_run_are_an_error() -> None:
    with pytest.raises(ValueError, match="3 calls made 1 runs"):
        runs_of_class.warm_share({"a": True}, 3)


def test_a_peer_that_takes_longer_has_a_ratio_above_1() -> None:
    assert data.ratio([90, 10, 30], [10, 2, 90]) == 3


def test_the_command_line_of_etcd_says_whether_it_waits_for_the_disk() -> None:
    assert fsync(["etcd", "--data-dir=/a"]) == "fsync"
    assert fsync(["etcd", "--data-dir=/a", "--unsafe-no-fsync"]) == "no fsync"


def test_the_memory_of_a_process_is_what_is_resident() -> None:
    assert memory.resident_bytes("Name:\tetcd\nVmPeak:\t 9 kB\nVmRSS:\t  512 kB\n") == 512 * 1024
    with pytest.raises(ValueError, match="VmRSS"):
        memory.resident_bytes("Name:\tkthreadd\n")


def test_memory_is_read_at_the_end_however_short_it_was(tmp_path: Path) -> None:
    for name, size in (("leader", 4096), ("other", 1024)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "memory.stat").write_text(f"anon {size}\n")
    with memory.LargestPod([[tmp_path / "other"], [tmp_path / "leader"]]) as largest:
        pass
    assert largest.peak == 4096


_RANGES = Path(__file__).resolve().parents[2] / "bench" / "ranges"
_FIRST = "create to first instruction"
_CLAIM = "claim to Ready / run to first instruction"


def test_each_phase_has_a_range() -> None:
    phases = {*cli._PHASES, *cli._PHASES_OF_FRONT_END}
    assert phases <= {file.stem for file in _RANGES.iterdir()}


@pytest.mark.parametrize(
    ("phase", "figure", "bound", "goal"),
    [
        *(
            (phase, f"{series}: {_FIRST} {percentile}", "max", goal)
            for phase, series in (("warm", "full pool"), ("poisson", "half the knee"))
            for percentile, goal in (("p50", 20), ("p90", 30), ("p99", 60))
        ),
        ("call", "MCP call p50", "max", 40),
        ("call", "fresh process / MCP call", "min", 12),
        ("data", "mcp-server-motherduck / call", "min", 3),
        *(
            ("agent-sandbox", f"{_CLAIM}, {series}, {percentile}", "min", 1)
            for series in ("4 s gaps", "20 at once")
            for percentile in ("p50", "p90", "p99")
        ),
        *(("burst-20", f"{number}: {_FIRST} p90", "max", 150) for number in (1, 2, 3)),
        *(("calls-20", f"{n}: calls / fresh processes, p90", "max", 0.25) for n in (1, 2, 3)),
        ("burst-100", f"1: {_FIRST} p90", "max", 600),
        ("burst-100-of-10", "warm Pods among the first 10 that were created", "min", 10),
        ("burst-100-of-10", "runs that one was overtaken by / Pods with room", "max", 1),
        ("burst-100-of-10", "runs / bare Pods per second", "min", 0.85),
        ("data", "ms that df takes beyond a run without data", "max", 50),
        ("control-plane", "at once: most that ran at the same time", "min", 1000),
        ("control-plane", "at once: operator MiB", "max", 512),
        ("control-plane", "at once: starts per second", "min", 40),
        ("control-plane", "operator CPU of a run, 10,000 kept / 100 kept", "max", 1.1),
    ],
)
def test_each_goal_has_a_row_that_is_no_weaker(
    phase: str, figure: str, bound: str, goal: float
) -> None:
    row = json.loads((_RANGES / f"{phase}.json").read_text())[figure]
    assert row[bound] <= goal if bound == "max" else row[bound] >= goal


_RESULT = Result(
    "warm",
    {"a: create to first instruction": [10.0, 20.0, 30.0]},
    {"share": 0.5},
    {"a": Cost({"POST pods": Writes(1, 0.004)}, {"operator": 80.0}, {"operator": 300.0})},
)


def test_a_figure_outside_of_its_range_is_named_with_value_and_bound(tmp_path: Path) -> None:
    ranges = {
        "a: create to first instruction p50": {"max": 15},
        "a: create to first instruction max": {"max": 30},
        "share": {"min": 1},
        "a: API writes": {"max": 1},
        "a: MiB of operator": {"max": 299},
        "other": {"max": 1},
    }
    (tmp_path / "warm.json").write_text(json.dumps(ranges))
    assert violations(_RESULT, tmp_path) == [
        "warm: 'a: create to first instruction p50' is 20, above 15",
        "warm: 'share' is 0.50, below 1",
        "warm: 'a: MiB of operator' is 300, above 299",
        "warm: 'other' has a range, but was not measured",
    ]


def test_what_is_used_when_idle_is_the_least_of_some_measurements() -> None:
    busy = {Component.KUBELET: 0.1, Component.OPERATOR: 0.2}
    idle = {Component.KUBELET: 0.2, Component.OPERATOR: 0.05}
    assert least([busy, idle, busy]) == idle


def test_a_phase_without_a_range_passes(tmp_path: Path) -> None:
    assert violations(_RESULT, tmp_path) == []


def test_where_something_is_absent_only_what_was_measured_has_a_range(tmp_path: Path) -> None:
    ranges = {"other": {"max": 1}, "share": {"min": 1}}
    (tmp_path / "warm.json").write_text(json.dumps(ranges))
    result = dataclasses.replace(_RESULT, absent=["the peer"])
    assert violations(result, tmp_path) == ["warm: 'share' is 0.50, below 1"]


def test_what_is_absent_is_in_the_table_and_in_the_json() -> None:
    result = Result("warm", {}, {}, absent=["the peer, which --peer names"])
    assert "Absent: the peer, which --peer names." in table(result).splitlines()
    assert json.loads(as_json(result))["absent"] == ["the peer, which --peer names"]


def test_conditions_are_in_the_table() -> None:
    result = Result("warm", {}, {}, conditions={"peer": "image --option"})
    assert "| peer | `image --option` |" in table(result).splitlines()


def test_the_table_has_percentiles_figures_and_costs() -> None:
    lines = table(_RESULT).splitlines()
    assert "| a: create to first instruction | 3 | 20 | 28 | 30 | 30 |" in lines
    assert "| share | 0.50 |" in lines
    assert "| POST pods | 1.00 | 4.00 |" in lines
    assert "| operator | 80 |" in lines
    assert "| operator | 300 |" in lines


def test_the_picture_is_an_svg(tmp_path: Path) -> None:
    (tmp_path / "warm.json").write_text(as_json(_RESULT))
    draw.draw(tmp_path / "warm.json", tmp_path / "warm.svg")
    assert "<svg" in (tmp_path / "warm.svg").read_text()


class _Answers:
    """A connection whose requests make runs that end at once."""

    def __init__(self, cluster: _Cluster) -> None:
        self._cluster = cluster
        self.is_waiting = False
        self._is_open = False

    def keep_open(self) -> None:
        assert not self.is_waiting
        self._is_open = True

    def send(self, method: str, path: str, body: Object) -> None:
        assert self._is_open and not self.is_waiting
        self.is_waiting = True
        self._is_open = False
        self._cluster.created(body)

    def receive(self) -> Object:
        self.is_waiting = False
        return {}


class _Cluster:
    """As much of the API as a client needs; each run succeeds unless told otherwise."""

    def __init__(self, phase: str = "Succeeded") -> None:
        self._phase = phase
        self._events: queue.SimpleQueue[tuple[str, Object]] = queue.SimpleQueue()
        self._kept: list[Object] = []
        self._unfinished = 0
        self.most_unfinished = 0
        self.deletions_of_a_part = 0
        self.deleted: list[str] = []

    def connect(self) -> _Answers:
        return _Answers(self)

    def get(self, path: str) -> Object:
        return {"metadata": {"resourceVersion": "1"}, "items": self._kept}

    def delete(self, path: str) -> None:
        self.deleted.append(path)
        if self.deletions_of_a_part > 0:
            self.deletions_of_a_part -= 1
            raise TimeoutError
        self._kept.clear()

    def follow(self, *_: object, **query: str) -> Iterator[tuple[str, Object]]:
        while True:
            event, run = self._events.get()
            self._unfinished -= "result" in run["status"]
            yield event, run

    def created(self, run: Object) -> None:
        self._kept.append(run)
        self._unfinished += 1
        self.most_unfinished = max(self.most_unfinished, self._unfinished)
        now = datetime.now(UTC).isoformat()
        pod = {"name": "pod-1", "warm": True}
        result = {"output": "[1, true, 2]"}
        ended = {"phase": self._phase, "pod": pod, "timings": {"bound": now}, "result": result}
        for status in ({}, {"pod": pod}, ended):
            self._events.put(("MODIFIED", {**run, "status": status}))


def test_a_client_follows_all_runs_with_one_watch() -> None:
    cluster = _Cluster()
    with Client(cluster, "runs", connections=2) as client:  # type: ignore[arg-type]
        runs = client.run_all(arrivals.at_once(5), {"code": "x"})
        alone = client.run({"code": "x"})
    assert len({run.name for run in runs}) == 5
    assert [run.posted for run in runs] == sorted(run.posted for run in runs)
    assert all(run.posted <= run.created_seen <= run.bound_seen <= run.ended_seen for run in runs)
    assert alone.acknowledged is not None
    assert len(cluster.deleted) == 1


class _WatchEnds(_Cluster):
    """Its watch is refused once somebody asks for its first event."""

    def follow(self, *_: object, **query: str) -> Iterator[tuple[str, Object]]:
        raise ApiError("watch: 404")
        yield


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failed_watch_raises_only_where_somebody_waits_for_a_run() -> None:
    with Client(_WatchEnds(), "runs"):  # type: ignore[arg-type]
        pass
    with (
        pytest.raises(ApiError, match="watch: 404"),
        Client(_WatchEnds(), "runs") as client,  # type: ignore[arg-type]
    ):
        client.run({"code": "x"})


def test_runs_in_turn_are_never_more_at_once_than_wanted() -> None:
    cluster = _Cluster()
    with Client(cluster, "runs", connections=2) as client:  # type: ignore[arg-type]
        runs = client.run_in_turn(20, 3, {"code": "x"})
    assert len({run.name for run in runs}) == 20
    assert cluster.most_unfinished <= 3


def test_runs_are_deleted_until_none_is_left() -> None:
    cluster = _Cluster()
    cluster.deletions_of_a_part = 2
    with Client(cluster, "runs") as client:  # type: ignore[arg-type]
        client.run({"code": "x"})
    assert len(cluster.deleted) == 3


def test_a_run_that_fails_ends_the_phase_and_its_runs_are_deleted() -> None:
    cluster = _Cluster(phase="Failed")
    with (
        pytest.raises(BurstError, match="ended with status"),
        Client(cluster, "runs") as client,  # type: ignore[arg-type]
    ):
        client.run({"code": "x"})
    assert len(cluster.deleted) == 1


def _pod(name: str, state: str = "running", **metadata: str) -> Object:
    containers = [{"name": "worker"}, {"name": "supervisor"}]
    statuses = [{"name": one["name"], "state": {state: {}}} for one in containers]
    return {
        "metadata": {"name": name, **metadata},
        "spec": {"containers": containers},
        "status": {"containerStatuses": statuses},
    }


class _Pods:
    """A collection whose watch has these events; remembers patches.

    The status of the class counts one more Pod each time, from none on.
    """

    def __init__(self, *events: tuple[str, Object]) -> None:
        self._events = events
        self.patched: list[tuple[str, Object]] = []
        self._statuses: list[Object] = [{}]

    def get(self, path: str) -> Object:
        assert path == "/apis/assay.dev/v1alpha1/runclasses/bench-1"
        status = self._statuses[-1]
        self._statuses.append({"status": {"warmPool": {"ready": len(self._statuses)}}})
        return status

    def watch(self, *_: object, **query: str) -> Iterator[tuple[str, Object]]:
        yield from self._events

    def merge(self, path: str, changes: Object, kind: str = "merge") -> Object:
        self.patched.append((path, changes))
        return {}


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses, which take no time."""
    pauses: list[float] = []
    monkeypatch.setattr(warm_pool.time, "sleep", pauses.append)
    return pauses


def test_a_pool_is_full_when_the_class_counts_as_many_pods(waits: list[float]) -> None:
    pods = _Pods(
        ("ADDED", _pod("used")),
        ("ADDED", _pod("starting", "waiting")),
        ("ADDED", _pod("ending", deletionTimestamp="now")),
        ("ADDED", _pod("taken")),
        ("DELETED", _pod("taken")),
        ("ADDED", _pod("a")),
        ("MODIFIED", _pod("starting")),
    )
    own = warm_pool.Pool(pods, "runs", "bench-1")  # type: ignore[arg-type]
    own.set_size(2)
    own.refill({"used"})
    assert waits == [6.0, 0.1, 0.1]
    assert [path for path, _ in pods.patched] == [
        "/apis/assay.dev/v1alpha1/runclasses/bench-1",
    ]


def test_the_requests_of_a_pod_are_lowered_once(waits: list[float]) -> None:
    pods = _Pods(("ADDED", _pod("a")), ("MODIFIED", _pod("a")), ("ADDED", _pod("b")))
    own = warm_pool.Pool(pods, "runs", "bench-1")  # type: ignore[arg-type]
    own.resize(2, lowers_requests=True)
    assert [path for path, _ in pods.patched[1:]] == [
        "/api/v1/namespaces/runs/pods/a/resize",
        "/api/v1/namespaces/runs/pods/b/resize",
    ]


def test_a_pool_that_does_not_fill_is_an_error(waits: list[float]) -> None:
    own = warm_pool.Pool(_Pods(("ADDED", _pod("a"))), "runs", "bench-1")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="of 2 Pods of the warm pool only 1 run"):
        own.resize(2)
    assert waits == []
