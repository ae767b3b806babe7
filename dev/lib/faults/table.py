"""The faults, and how a run that meets one may end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cluster import control_plane, etcd, kubelet, network_policy, processes, second_node
from cluster.settings import REPOSITORY
from e2e import installation, settings
from e2e.commands import kubectl
from e2e.commands import run as command
from faults.site import FaultTestError, Run, Site, wait_for
from soak.counter import COUNTER
from soak.faults import pids, pids_in_cgroup, pids_of_pod
from soak.measure import store

Ending = tuple[str, str]
COUNTED = "counted"
"""What code prints after the token of a call that has succeeded."""
COMPLETED: Ending = ("Succeeded", "Completed")
POD_LOST: Ending = ("Failed", "PodLost")
RUNNER_LOST: Ending = ("Failed", "RunnerLost")
_FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime")
_SECOND = "second-node"
_MANY = 2_000
_DEV_CLUSTER = REPOSITORY / "dev" / "cluster"


@contextmanager
def _as_it_is(site: Site) -> Iterator[None]:
    yield


@dataclass(frozen=True)
class Fault:
    """A fault that meets a run while it prints a line each 0.1 s, 300 in all.

    Attributes:
        name: for the table.
        inject: a context in which the fault lasts; it is over when that is left.
        endings: the phases and reasons that the run may end with.
        seconds: how long the fault lasts.
        within: how soon the run has ended, in seconds after the fault began.
        prepared: a context around the run, for what the fault requires.
        of_run: fields of the run, also of another code that prints as many lines.
    """

    name: str
    inject: Callable[[Site, Run], contextlib.AbstractContextManager[None]]
    endings: frozenset[Ending] = frozenset({COMPLETED})
    seconds: float = 0
    within: float = 120
    prepared: Callable[[Site], contextlib.AbstractContextManager[None]] = _as_it_is
    of_run: dict[str, object] = field(default_factory=dict)


def _kill(
    find: Callable[[Site, Run], list[int]],
) -> Callable[..., contextlib.AbstractContextManager[None]]:
    @contextmanager
    def inject(site: Site, run: Run) -> Iterator[None]:
        found = find(site, run)
        assert found, "there is no such process"
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        yield

    return inject


@contextmanager
def _killed_at_their_start(site: Site, run: Run) -> Iterator[None]:
    """Operators are killed, and again 3 s after they are back, when they list what is there."""
    for _ in range(3):
        wait_for("operators are back", lambda: len(pids("operator")) == 2, seconds=90)
        time.sleep(3)
        for pid in pids("operator"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for("operators are gone", lambda: not pids("operator"))
    yield


@contextmanager
def _many_runs(site: Site) -> Iterator[None]:
    """Runs that have failed at once, of 16 KB each."""
    runs = [
        {
            "apiVersion": "assay.dev/v1alpha1",
            "kind": "AnalyticsRun",
            "metadata": {"name": f"many-{number}", "labels": {"faults": "many"}},
            "spec": {"className": "missing", "code": "#" * 16_000},
        }
        for number in range(_MANY)
    ]
    namespace = ("-n", settings.RUN_NAMESPACE)
    for first in range(0, _MANY, 500):
        listed = {"apiVersion": "v1", "kind": "List", "items": runs[first : first + 500]}
        kubectl(*namespace, "create", "-f", "-", stdin=json.dumps(listed))
    try:
        yield
    finally:
        kubectl(*namespace, "delete", "analyticsruns", "-l", "faults=many", "--wait=false")


def _component(name: str) -> Callable[[Site, Run], list[int]]:
    return lambda site, run: pids(name)


def _container(name: str) -> Callable[[Site, Run], list[int]]:
    """The processes of a container of a run's Pod."""

    def find(site: Site, run: Run) -> list[int]:
        (container,) = [
            status["containerID"].rpartition("/")[2]
            for status in site.pod(run)["status"]["containerStatuses"]
            if status["name"] == name
        ]
        return pids_in_cgroup(container)

    return find


def _code(site: Site, run: Run) -> list[int]:
    """The process that runs the code, which the worker has started last."""
    return [max(_container("worker")(site, run))]


def _pod(site: Site, run: Run) -> list[int]:
    return pids_of_pod(site.pod(run)["metadata"]["uid"])


def _restarted(name: str) -> Callable[..., contextlib.AbstractContextManager[None]]:
    """A part of the cluster is killed, and is back when the fault is over."""

    @contextmanager
    def inject(site: Site, run: Run) -> Iterator[None]:
        record = processes.alive(site.paths, name)
        assert record is not None
        processes.stop(record, what=name)
        try:
            yield
        finally:
            command([_DEV_CLUSTER, "up"])

    return inject


@contextmanager
def _paused_etcd(site: Site, run: Run) -> Iterator[None]:
    record = processes.alive(site.paths, etcd.NAME)
    assert record is not None
    os.kill(record.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(record.pid, signal.SIGCONT)


@contextmanager
def _deleted_policy(site: Site, run: Run) -> Iterator[None]:
    kubectl("-n", settings.RUN_NAMESPACE, "delete", "networkpolicy/assay-runner-pods")
    yield
    kubectl("-n", settings.RUN_NAMESPACE, "get", "networkpolicy/assay-runner-pods")


@contextmanager
def _lost_node(site: Site, run: Run) -> Iterator[None]:
    assert site.pod(run)["spec"]["nodeName"] == site.paths.second.node.name
    second_node.stop(site.paths)
    yield


@contextmanager
def _full_store(site: Site, run: Run) -> Iterator[None]:
    directory = store()
    free = os.statvfs(directory)
    filler = directory / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize)
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def _small_store(site: Site) -> Iterator[None]:
    """The operators' volume is a file system of its own, with little room."""
    directory = store()
    command(["mount", "-t", "tmpfs", "-o", "size=64m,mode=777", "tmpfs", directory])
    try:
        # A mounted volume does not see what is mounted over its directory later.
        _replace_operators()
        yield
    finally:
        command(["umount", "--lazy", directory])
        _replace_operators()


def _replace_operators() -> None:
    """Operators come back with the volume as it is now."""
    operator = ("-n", settings.SYSTEM_NAMESPACE, "scale", "deployment/assay-operator")
    for replicas in (0, 2):
        kubectl(*operator, f"--replicas={replicas}")
        installation.wait_until_rolled_out()


def _clock(offset: str) -> Callable[[Site], contextlib.AbstractContextManager[None]]:
    """The operators' clocks differ from those of all others."""

    @contextmanager
    def prepared(site: Site) -> Iterator[None]:
        if not (_FAKETIME / "libfaketime.so.1").exists():
            raise FaultTestError("install the package faketime")
        environment = {
            "LD_PRELOAD": "/faketime/libfaketime.so.1",
            "FAKETIME": offset,
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        container = {
            "name": "operator",
            "env": [{"name": name, "value": value} for name, value in environment.items()],
            "volumeMounts": [{"name": "faketime", "mountPath": "/faketime"}],
        }
        volume = {"name": "faketime", "hostPath": {"path": str(_FAKETIME)}}
        pod = {"spec": {"containers": [container], "volumes": [volume]}}
        patch = json.dumps({"spec": {"template": pod}})
        operator = ("-n", settings.SYSTEM_NAMESPACE, "patch", "deployment/assay-operator")
        kubectl(*operator, "--patch", patch)
        installation.wait_until_rolled_out()
        try:
            yield
        finally:
            kubectl(
                *("-n", settings.SYSTEM_NAMESPACE, "rollout", "undo", "deployment/assay-operator")
            )
            installation.wait_until_rolled_out()

    return prepared


@contextmanager
def _nothing(site: Site, run: Run) -> Iterator[None]:
    yield


@contextmanager
def _second_node(site: Site) -> Iterator[None]:
    """The cluster has a second node, and a class whose Pods go there."""
    command([_DEV_CLUSTER, "up", "--nodes", "2"])
    of = json.loads(kubectl("get", "runclass/python", "-o", "json"))
    selector = {"kubernetes.io/hostname": site.paths.second.node.name}
    spec = {**of["spec"], "nodeSelector": selector, "defaultFor": None, "warmPool": None}
    runclass = {
        "apiVersion": of["apiVersion"],
        "kind": of["kind"],
        "metadata": {"name": _SECOND},
        "spec": {name: value for name, value in spec.items() if value is not None},
    }
    kubectl("apply", "-f", "-", stdin=json.dumps(runclass))
    try:
        yield
    finally:
        second_node.stop(site.paths)
        kubectl("delete", f"runclass/{_SECOND}", f"node/{site.paths.second.node.name}")


@contextmanager
def _half_requests(site: Site, run: Run) -> Iterator[None]:
    """A hundred requests at each port of each part that never end."""
    with contextlib.ExitStack() as open_sockets:
        for host, port in _ports(site):
            # A policy may let nobody in.
            with contextlib.suppress(OSError):
                for _ in range(100):
                    sent = socket.create_connection((host, port), timeout=1)
                    open_sockets.enter_context(sent)
                    sent.sendall(b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{")
        yield


def _ports(site: Site) -> list[tuple[str, int]]:
    listed = json.loads(kubectl("-n", settings.SYSTEM_NAMESPACE, "get", "pods", "-o", "json"))
    pods = [*listed["items"]]
    listed = json.loads(kubectl("-n", settings.RUN_NAMESPACE, "get", "pods", "-o", "json"))
    pods += listed["items"]
    return [
        (pod["status"]["podIP"], port["containerPort"])
        for pod in pods
        if pod["status"].get("podIP")
        for container in pod["spec"]["containers"]
        for port in container.get("ports", [])
    ]


def _hostile_neighbour(code: str) -> Callable[..., contextlib.AbstractContextManager[None]]:
    @contextmanager
    def inject(site: Site, run: Run) -> Iterator[None]:
        hostile = site.start(code=code, timeoutSeconds=20)
        try:
            yield
        finally:
            site.ended(hostile)

    return inject


LINES = 300
_CALLS = f"""
for (let n = 0; n < {LINES}; n++) {{
  const token = `fault-${{Date.now()}}-${{n}}`;
  const reply = call_tool('{COUNTER}', 'count', {{token}});
  console.log(token, reply.ok ? '{COUNTED}' : reply.error.code);
  for (const began = Date.now(); Date.now() - began < 100;);
}}
return 1"""
_PROCESSES = "import os, signal\nfor _ in range(10_000):\n    if os.fork() == 0: signal.pause()"
_LONG_LINE = "print('x' * 50_000_000)"
_MANY_PRINTS = "for _ in range(1000): print('x' * 1_000_000)"
_OF_POD = frozenset({POD_LOST, RUNNER_LOST})
_CUT_OFF = 20.0

FAULTS = (
    Fault("front ends: SIGKILL", _kill(_component("mcp-frontend"))),
    Fault("operators: SIGKILL of both", _kill(_component("operator"))),
    Fault(
        "operators: SIGKILL while they list 2,000 runs",
        _killed_at_their_start,
        within=240,
        prepared=_many_runs,
    ),
    Fault(
        "tool gateways: SIGKILL",
        _kill(_component("tool-gateway")),
        of_run={"language": "javascript", "code": _CALLS},
    ),
    Fault("supervisor: SIGKILL", _kill(_container("supervisor")), _OF_POD),
    Fault("worker: SIGKILL", _kill(_container("worker")), _OF_POD),
    Fault("process of the code: SIGKILL", _kill(_code), _OF_POD | {("Failed", "CodeError")}),
    Fault("all processes of the Pod: SIGKILL", _kill(_pod), _OF_POD),
    Fault("kubelet stopped for 20 s", _restarted(kubelet.NAME), seconds=_CUT_OFF),
    Fault("API server stopped for 10 s", _restarted(control_plane.API_SERVER), seconds=10),
    Fault("etcd paused for 20 s", _paused_etcd, seconds=_CUT_OFF),
    Fault("policy engine restarted", _restarted(network_policy.NAME), seconds=5),
    Fault("NetworkPolicy deleted", _deleted_policy, seconds=10),
    Fault("output store full for 20 s", _full_store, seconds=_CUT_OFF, prepared=_small_store),
    Fault("clocks of operators 2 min ahead", _nothing, prepared=_clock("+2m")),
    Fault("clocks of operators 2 min behind", _nothing, prepared=_clock("-2m")),
    Fault("100 half requests at each port", _half_requests, seconds=_CUT_OFF),
    Fault("beside 10,000 processes", _hostile_neighbour(_PROCESSES)),
    Fault("beside a line of 50 MB", _hostile_neighbour(_LONG_LINE)),
    Fault("beside 1 GB of prints", _hostile_neighbour(_MANY_PRINTS)),
    Fault(
        "node lost",
        _lost_node,
        frozenset({POD_LOST}),
        # The node's grace of 50 s, 30 s of toleration, and 30 s.
        within=110,
        prepared=_second_node,
        of_run={"runClass": _SECOND},
    ),
)
