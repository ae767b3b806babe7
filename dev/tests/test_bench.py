"""The parts of the measurements that need no cluster."""

from __future__ import annotations

import http.client
import io
import itertools
import os
import queue
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from bench import cost, cpu, subjects
from bench.burst import (
    Burst,
    BurstError,
    container_names,
    has_name_in,
    has_owner_in,
    pod_ended,
    run_ended,
)
from bench.bursts import Bursts
from bench.container_sampler import ContainerSampler, Sample
from bench.cost import Cost, Round
from bench.kubernetes import ApiError, Connection, Kubernetes, Object
from bench.node import Component, lasting_pods
from bench.subjects import Pods

_NO_PROCESS = 2**30
_TICK = 1 / os.sysconf("SC_CLK_TCK")


class _Watches(Kubernetes):
    """An API server that ends each watch after its events."""

    def __init__(self, *watches: list[tuple[str, Object]]) -> None:
        self._watches = iter(watches)
        self.versions: list[str] = []

    def watch(
        self, path: str, version: str, timeout: float, **query: str
    ) -> Iterator[tuple[str, Object]]:
        self.versions.append(version)
        yield from next(self._watches)


def _event(version: int) -> tuple[str, Object]:
    return ("MODIFIED", {"metadata": {"resourceVersion": str(version)}})


def test_objects_are_followed_beyond_the_end_of_a_watch() -> None:
    api = _Watches([_event(5), _event(6)], [], [_event(9)])
    events = itertools.islice(api.follow("/pods", "3", 1), 3)
    assert [item["metadata"]["resourceVersion"] for _, item in events] == ["5", "6", "9"]
    assert api.versions == ["3", "6", "6"]


def test_events_that_are_lost_are_an_error() -> None:
    api = _Watches([("ERROR", {"code": 410})])
    with pytest.raises(ApiError, match="410"):
        next(api.follow("/pods", "3", 1))


class _EndingWatches(Kubernetes):
    """An API server that creates Pods, which are seen to end and to go in a watch each."""

    def __init__(self) -> None:
        self._name: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._left = ["MODIFIED", "DELETED"]
        self._pod: Object = {}

    def get(self, path: str) -> Object:
        return {"metadata": {"resourceVersion": "1"}}

    def create(self, path: str, item: Object) -> Object:
        self._pod = {**item, "status": {"phase": "Succeeded"}}
        self._pod["metadata"]["resourceVersion"] = "2"
        self._name.put(item["metadata"]["name"])
        return item

    def delete(self, path: str) -> None:
        self._name.put(path)

    def watch(
        self, path: str, version: str, timeout: float, **query: str
    ) -> Iterator[tuple[str, Object]]:
        if path.endswith("/analyticsruns"):
            threading.Event().wait()
        self._name.get()
        yield self._left.pop(0), self._pod


def test_a_burst_is_followed_beyond_the_end_of_a_watch() -> None:
    api = _EndingWatches()
    pods, _ = Bursts(api, "runs").execute(Pods(api, "runs", {}), 1)
    assert (pods.ended, pods.deleted) == (1, 1)


class _Log(Kubernetes):
    """An API server whose only answer is a text."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def _open(self, *_: Any, **__: Any) -> Any:
        return io.BytesIO(self._text)


def test_a_line_of_a_log_is_read_to_its_end_however_long_it_is() -> None:
    line = b"[" + b"1, " * 10_000 + b"1]\n"
    assert _Log(line + b"next\n").first_line("/log", 1) == line


class _Refusing(BaseHTTPRequestHandler):
    """Refuses each request with a long reason, on a connection that stays open."""

    protocol_version = "HTTP/1.1"

    def do_PATCH(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(409)
        self.send_header("Content-Length", "2000")
        self.end_headers()
        self.wfile.write(b"x" * 2000)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing is logged."""


def test_a_connection_can_be_used_after_a_long_refusal() -> None:
    with HTTPServer(("127.0.0.1", 0), _Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        opened = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
        connection = Connection(lambda: opened, {})  # type: ignore[arg-type, return-value]
        for _ in range(2):
            connection.send("PATCH", "/pods/a", {})
            with pytest.raises(ApiError, match="PATCH /pods/a: 409"):
                connection.receive()
        opened.close()
        server.shutdown()


def test_a_run_that_was_refused_has_not_succeeded() -> None:
    refused = {"metadata": {"name": "a"}, "status": {"phase": "Failed", "reason": "InvalidSpec"}}
    with pytest.raises(BurstError, match="InvalidSpec"):
        run_ended(refused)


def test_the_time_of_children_is_counted_apart() -> None:
    before = "S " + " ".join("0" for _ in range(10))
    stat = f"7 (a) b) ) {before} 100 20 3 4 0 0\n"
    assert cpu.own_seconds(stat) == pytest.approx(120 * _TICK)
    assert cpu.seconds_with_children(stat) == pytest.approx(127 * _TICK)


def test_a_process_that_is_gone_is_reported_as_such() -> None:
    with pytest.raises(cpu.GoneError):
        cpu.process_stat(_NO_PROCESS)


def test_children_are_found_by_parent_and_program() -> None:
    with Path("/proc/self/comm").open() as file:
        program = file.read().strip()
    assert os.getpid() in cpu.children(os.getppid(), program)
    assert os.getpid() not in cpu.children(os.getppid(), f"{program}-other")
    assert os.getpid() not in cpu.children(_NO_PROCESS, program)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("cpuacct.usage", "1500000000\n"),
        ("cpu.stat", "nr_periods 3\nusage_usec 1500000\nuser_usec 1000000\n"),
    ],
)
def test_the_cpu_time_of_a_group_is_read_in_both_versions(
    tmp_path: Path, file: str, content: str
) -> None:
    (tmp_path / file).write_text(content)
    assert cpu.group_seconds(tmp_path) == 1.5


def test_a_group_that_is_gone_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(cpu.GoneError):
        cpu.group_seconds(tmp_path / "gone")


def test_the_hierarchy_is_that_of_the_version_that_is_mounted(tmp_path: Path) -> None:
    assert cpu.hierarchy(tmp_path) == tmp_path / "cpuacct"
    (tmp_path / "cgroup.controllers").touch()
    assert cpu.hierarchy(tmp_path) == tmp_path


def test_the_last_sample_of_a_container_that_is_gone_stays(tmp_path: Path) -> None:
    (tmp_path / "cpuacct.usage").write_text("2000000000")
    (tmp_path / "cgroup.procs").write_text(f"{os.getpid()}\n")
    sampler = ContainerSampler(lambda: [("c1", tmp_path)])
    sampler.sample()
    first = sampler.samples["c1"]
    assert first.total == 2.0
    assert first.first_process > 0

    (tmp_path / "cgroup.procs").write_text("")
    sampler.sample()
    assert sampler.samples["c1"] == first

    (tmp_path / "cpuacct.usage").unlink()
    sampler.sample()
    assert sampler.samples["c1"] == first


def _run(name: str, phase: str | None = None) -> dict[str, Any]:
    status = {"phase": phase, "result": {}, "usage": {"cpuSeconds": "0.75"}} if phase else {}
    return {"metadata": {"name": name}, "status": status}


def test_a_burst_counts_each_end_once_and_nothing_of_others() -> None:
    burst = Burst(10.0, has_name_in({"a", "b"}), run_ended)
    assert burst.observe("ADDED", _run("a"), 10.1) is None
    assert burst.observe("MODIFIED", _run("a", "Succeeded"), 11.0) == "a"
    assert burst.observe("MODIFIED", _run("a", "Succeeded"), 12.0) is None
    assert burst.observe("MODIFIED", _run("other", "Succeeded"), 12.0) is None
    assert burst.observe("MODIFIED", _run("b", "Succeeded"), 14.0) == "b"
    assert burst.ended == 2
    assert burst.per_second == 0.5


def test_a_burst_knows_what_is_gone() -> None:
    burst = Burst(0.0, has_owner_in({"a"}), lambda _: False)
    owned = {"metadata": {"name": "pod", "ownerReferences": [{"name": "a"}]}}
    burst.observe("MODIFIED", owned, 1.0)
    assert burst.deleted == 0
    burst.observe("DELETED", owned, 2.0)
    burst.observe("DELETED", {"metadata": {"name": "another"}}, 2.0)
    assert burst.deleted == 1
    assert list(burst.objects) == ["pod"]


def test_a_run_that_fails_ends_the_measurement() -> None:
    with pytest.raises(BurstError, match="run a ended"):
        run_ended(_run("a", "Failed"))


def test_a_pod_ends_when_it_succeeds() -> None:
    def pod(phase: str) -> dict[str, Any]:
        return {"metadata": {"name": "p"}, "status": {"phase": phase}}

    assert not pod_ended(pod("Running"))
    assert pod_ended(pod("Succeeded"))
    with pytest.raises(BurstError, match="Pod p ended"):
        pod_ended(pod("Failed"))


def test_containers_are_named_by_the_status_of_their_pod() -> None:
    statuses = [
        {"name": "worker", "containerID": "containerd://c1"},
        {"name": "supervisor", "containerID": ""},
    ]
    pods = [{"status": {"containerStatuses": statuses}}, {"status": {}}]
    assert container_names(pods) == {"c1": "worker"}


_SAMPLES = {"s": Sample(0.2, 0.2), "w": Sample(0.9, 0.05), "other": Sample(9.0, 9.0)}
_NAMES = {"s": "supervisor", "w": "worker"}


def test_the_time_of_a_run_pod_is_divided_among_its_processes() -> None:
    assert cost.split_pods(1.25, _SAMPLES, _NAMES, [_run("a", "Succeeded")]) == pytest.approx(
        {"supervisor": 0.2, "launcher": 0.05, "worker": 0.75, "rest of the Pod": 0.25}
    )


def test_the_time_of_another_pod_is_that_of_its_worker_and_the_rest() -> None:
    assert cost.split_pods(1.25, _SAMPLES, _NAMES, []) == pytest.approx(
        {"worker": 0.9, "rest of the Pod": 0.35}
    )


def _run_pod() -> dict[str, Any]:
    mount = {"name": "scratch", "mountPath": "/scratch"}
    return {
        "metadata": {"name": "run", "labels": {"a": "b"}},
        "spec": {
            "nodeName": "node",
            "priority": 0,
            "restartPolicy": "Never",
            "volumes": [{"name": "scratch", "emptyDir": {}}],
            "containers": [
                {
                    "name": "worker",
                    "command": ["x"],
                    "workingDir": "/scratch",
                    "volumeMounts": [mount],
                },
                {"name": "supervisor", "command": ["y"], "volumeMounts": [mount]},
            ],
        },
    }


def test_a_pod_of_the_same_shape_has_everything_but_the_commands() -> None:
    spec = subjects.same_shape(_run_pod(), "import this")
    worker, supervisor = spec["containers"]
    assert worker["command"] == ["python3", "-I", "-c", "import this"]
    assert supervisor["command"] == ["true"]
    assert worker["volumeMounts"] and supervisor["volumeMounts"] and spec["volumes"]
    assert "nodeName" not in spec


def test_a_pod_of_one_container_has_no_volume() -> None:
    run_pod = _run_pod()
    spec = subjects.one_container(run_pod, "import this")
    (worker,) = spec["containers"]
    assert worker["command"] == ["python3", "-I", "-c", "import this"]
    assert "volumes" not in spec
    assert "volumeMounts" not in worker
    assert "workingDir" not in worker
    assert run_pod == _run_pod()


def _cost(pods: float, per_second: float, processes: dict[str, float]) -> Cost:
    components = dict.fromkeys(Component, 0.1) | {Component.PODS: pods}
    return Cost(components, processes, per_second)


def test_the_table_has_medians_and_ratios_of_the_same_round() -> None:
    def round_(factor: float) -> Round:
        one = _cost(factor * 0.3, factor, {"worker": 0.2, "rest of the Pod": 0.1})
        run = _cost(factor * 1.3, factor / 2, {"supervisor": 0.1, "worker": 0.2})
        return Round({cost.RUN: run, cost.SAME_SHAPE: one, cost.ONE_CONTAINER: one}, 0.012, 0.5)

    lines = cost.table([round_(1.0), round_(1.0), round_(3.0)]).splitlines()
    assert "| kubelet | 100 | 100 | 100 |" in lines
    assert "| supervisor | 100 |  |  |" in lines
    assert "| worker | 200 | 200 | 200 |" in lines
    assert "| total | 2000 | 1000 | 1000 |" in lines
    assert "| ended per second | 0.50 | 1.00 | 1.00 |" in lines
    assert any(
        line.startswith("CPU of a run / one container, round by round: median 2.00")
        for line in lines
    )
    assert any("500 ms with the same imports, 12 ms without" in line for line in lines)


class _Pods(Kubernetes):
    """An API server with these Pods."""

    def __init__(self, *pods: Object) -> None:
        self._pods = list(pods)

    def get(self, path: str) -> Object:
        """Return all of them."""
        return {"items": self._pods}


def _pod(uid: str, component: str, **metadata: str) -> Object:
    labels = {"app.kubernetes.io/component": component}
    return {"metadata": {"uid": uid, "labels": labels, **metadata}}


def test_a_pod_that_is_being_deleted_is_not_counted_on() -> None:
    pods = _Pods(
        _pod("a", "operator"),
        _pod("b", "mcp-frontend"),
        _pod("c", "mcp-frontend", deletionTimestamp="2026-01-02T03:04:05Z"),
    )
    assert lasting_pods(pods) == {Component.OPERATOR: ["a"], Component.FRONT_END: ["b"]}
