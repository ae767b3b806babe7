"""The parts of the comparison with agent-sandbox that need no cluster."""

from __future__ import annotations

import contextlib
import json
import queue
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from bench import arrivals
from bench.kubernetes import ApiError, Object
from bench.warm.agent_sandbox import installation, sandboxes
from bench.warm.agent_sandbox.claims import ClaimClient, TimedClaim, stages_ms
from bench.warm.agent_sandbox.installation import Installation
from bench.warm.agent_sandbox.sandboxes import SandboxPool
from bench.warm.phases import agent_sandbox

_MS = 1_000_000


def _item(name: str, ready: str, **metadata: object) -> Object:
    condition = {"type": "Ready", "status": ready}
    return {"metadata": {"name": name, **metadata}, "status": {"conditions": [condition]}}


class _Connection:
    """One whose requests create claims that become Ready at once."""

    def __init__(self, cluster: _Cluster) -> None:
        self._cluster = cluster
        self.is_waiting = False

    def keep_open(self) -> None:
        assert not self.is_waiting

    def send(self, method: str, path: str, body: Object) -> None:
        self.is_waiting = True
        self._cluster.claimed(path, body)

    def receive(self) -> Object:
        self.is_waiting = False
        return {}


class _Cluster:
    """As much of the API as the comparison needs: collections, and events of one watch."""

    def __init__(self, *events: tuple[str, Object]) -> None:
        self._events: queue.SimpleQueue[tuple[str, Object]] = queue.SimpleQueue()
        for event in events:
            self._events.put(event)
        self.lists: dict[str, list[Object]] = {}
        self.ready: list[int] = []
        self.served: set[str] = set()
        self.created: list[tuple[str, Object]] = []
        self.deleted: list[str] = []

    def connect(self) -> _Connection:
        return _Connection(self)

    def get(self, path: str) -> Object:
        if path.count("/") == 3 and path.startswith("/apis/") and path not in self.served:
            raise ApiError(f"GET {path}: 404")
        if path.endswith("/sandboxwarmpools/bench"):
            return {"status": {"readyReplicas": self.ready.pop(0)}}
        items = self.lists.get(path.rpartition("/")[2], [])
        return {"metadata": {"resourceVersion": "1"}, "items": items}

    def create(self, path: str, item: Object) -> Object:
        self.created.append((path, item))
        return item

    def delete(self, path: str) -> None:
        self.deleted.append(path)

    def watch(self, *_: object, **query: str) -> Iterator[tuple[str, Object]]:
        # A watch ends, also one in the thread of a client that has been closed.
        with contextlib.suppress(queue.Empty):
            while True:
                yield self._events.get(timeout=10)

    follow = watch

    def claimed(self, path: str, claim: Object) -> None:
        self.created.append((path, claim))
        name = claim["metadata"]["name"]
        for status in ("False", "True"):
            seen = _item(name, status)
            seen["status"]["sandbox"] = {"name": f"sandbox-of-{name}"}
            self._events.put(("MODIFIED", seen))


def test_claims_of_the_pool_are_followed_until_they_are_ready() -> None:
    cluster = _Cluster()
    with ClaimClient(cluster, "peers", connections=2) as client:  # type: ignore[arg-type]
        claims = [*client.claim_all(arrivals.at_once(3)), client.claim()]
    assert len({claim.sandbox for claim in claims}) == 4
    assert all(claim.posted <= claim.created_seen <= claim.ready_seen for claim in claims)
    path, claim = cluster.created[0]
    assert path == "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/peers/sandboxclaims"
    assert claim["kind"] == "SandboxClaim"
    assert claim["spec"] == {"warmPoolRef": {"name": "bench"}}
    assert len(cluster.deleted) == 1


def test_parts_of_a_claim_are_milliseconds() -> None:
    parts = stages_ms([TimedClaim(100 * _MS, 102 * _MS, 130 * _MS, "a")])
    assert parts == {"create to Ready": [30], "create to seen by a watch": [2]}


@pytest.mark.parametrize(
    ("item", "ready"),
    [
        (_item("a", "True"), True),
        (_item("a", "False"), False),
        (_item("a", "True", deletionTimestamp="now"), False),
        ({"metadata": {"name": "a"}}, False),
    ],
)
def test_what_is_to_stay_is_ready_by_its_condition(item: Object, ready: bool) -> None:
    assert sandboxes.is_ready(item) == ready


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses, which take no time."""
    pauses: list[float] = []
    monkeypatch.setattr(sandboxes.time, "sleep", pauses.append)
    return pauses


def test_a_pool_of_sandboxes_is_full_when_as_many_unused_ones_are_ready(
    waits: list[float],
) -> None:
    cluster = _Cluster(
        ("ADDED", _item("used", "True")),
        ("ADDED", _item("starting", "False")),
        ("ADDED", _item("claimed", "True")),
        ("DELETED", _item("claimed", "True")),
        ("ADDED", _item("a", "True")),
        ("MODIFIED", _item("starting", "True")),
    )
    cluster.ready = [1, 2]
    pool = SandboxPool(cluster, "runner:1", 2)  # type: ignore[arg-type]
    pool.refill({"used"})
    assert cluster.ready == []
    assert waits[-1] > 1
    kinds = [item["kind"] for _, item in cluster.created]
    assert kinds == ["Namespace", "SandboxTemplate", "SandboxWarmPool"]
    assert cluster.created[-1][1]["spec"]["replicas"] == 2


def test_a_pool_of_sandboxes_is_removed_with_its_namespace() -> None:
    cluster = _Cluster()
    with SandboxPool(cluster, "runner:1", 2) as pool:  # type: ignore[arg-type]
        pass
    assert cluster.deleted == [f"/api/v1/namespaces/{pool.namespace}"]


def test_a_sandbox_is_warm_if_a_pool_has_started_it() -> None:
    label = "agents.x-k8s.io/launch-type"
    cluster = _Cluster()
    cluster.lists["sandboxes"] = [
        _item("a", "True", labels={label: "warm"}),
        _item("b", "True", labels={label: "cold"}),
        _item("idle", "True", labels={label: "warm"}),
    ]
    pool = SandboxPool(cluster, "runner:1", 1)  # type: ignore[arg-type]
    assert pool.warm_share(["a", "b"]) == 0.5


@pytest.fixture
def kubectl(tmp_path: Path) -> Path:
    """A program that logs its arguments, and prints an empty list."""
    program = tmp_path / "kubectl"
    program.write_text(f'#!/bin/sh\necho "$3" >> {tmp_path}/log\necho \'{{"items": []}}\'\n')
    program.chmod(0o755)
    return program


def test_it_is_removed_when_a_measurement_fails(kubectl: Path) -> None:
    cluster = _Cluster()

    def apply_serves_it(path: str, get: Callable[[str], Object] = cluster.get) -> Object:
        if kubectl.with_name("log").exists():
            cluster.served.add(path)
        return get(path)

    cluster.get = apply_serves_it  # type: ignore[method-assign]
    own = Installation(cluster, kubectl, Path("config"), Path("manifests"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a claim failed"), own.installed():
        raise ValueError("a claim failed")
    assert kubectl.with_name("log").read_text().split() == ["apply", "get", "delete"]


def test_one_that_somebody_else_has_installed_is_left_alone(kubectl: Path) -> None:
    cluster = _Cluster()
    cluster.served.add("/apis/extensions.agents.x-k8s.io/v1beta1")
    own = Installation(cluster, kubectl, Path("config"), Path("manifests"))  # type: ignore[arg-type]
    with pytest.raises(SystemExit, match="installed already"), own.installed():
        pass
    assert not kubectl.with_name("log").exists()


def test_conditions_are_images_and_arguments_of_deployments() -> None:
    container = {"name": "controller", "image": "sandbox:1", "args": ["--extensions"]}
    deployment = {
        "kind": "Deployment",
        "spec": {"template": {"spec": {"containers": [container]}}},
    }
    found = installation.conditions([{"kind": "Service"}, deployment])
    assert found == {"agent-sandbox, controller": "sandbox:1 --extensions"}


def test_ratios_are_of_the_same_percentile_and_series() -> None:
    samples = {
        "claims, 4 s gaps: create to Ready": [30.0],
        "runs, 4 s gaps: create to first instruction": [15.0],
        "claims, 20 at once: create to Ready": [100.0],
        "runs, 20 at once: create to first instruction": [200.0],
    }
    found = agent_sandbox.ratios(samples)
    assert found["claim to Ready / run to first instruction, 4 s gaps, p50"] == 2
    assert found["claim to Ready / run to first instruction, 20 at once, p99"] == 0.5
    assert len(found) == 6


def test_all_figures_that_the_ranges_name_are_measured() -> None:
    ranges = Path(__file__).resolve().parents[2] / "bench" / "ranges" / "agent-sandbox.json"
    samples = {
        f"{who}, {name}: create to {what}": [1.0]
        for who, what in (("claims", "Ready"), ("runs", "first instruction"))
        for name in ("4 s gaps", "20 at once")
    }
    named = set(json.loads(ranges.read_text()))
    assert set(agent_sandbox.ratios(samples)) <= named
