"""The faults, and how a run that meets one may end."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cluster import control_plane, etcd, kubelet, network_policy, processes
from cluster.progress import step
from cluster.waiting import wait_for
from e2e import installation, settings
from e2e.commands import kubectl
from e2e.commands import run as command
from e2e.errors import E2eError
from faults import changes, nodes
from faults.site import DEV_CLUSTER, FaultTestError, Site
from soak.counter import COUNTER
from soak.kills import pids, pids_in_cgroup, pids_of_pod
from soak.measure import store

Ending = tuple[str, str]
COUNTED = "counted"
"""What code prints after the token of a call that has succeeded."""
COMPLETED: Ending = ("Succeeded", "Completed")
POD_LOST: Ending = ("Failed", "PodLost")
RUNNER_LOST: Ending = ("Failed", "RunnerLost")
_FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime")
_MANY = 2_000


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
        run_fields: fields of the run, also of another code that prints as many lines.
        neighbour_fields: fields of the run that must not notice.
    """

    name: str
    inject: Callable[[Site, str], contextlib.AbstractContextManager[None]]
    endings: frozenset[Ending] = frozenset({COMPLETED})
    seconds: float = 0
    within: float = 120
    prepared: Callable[[Site], contextlib.AbstractContextManager[object]] = contextlib.nullcontext
    run_fields: dict[str, object] = field(default_factory=dict)
    neighbour_fields: dict[str, object] = field(default_factory=dict)


def _kill(
    find: Callable[[Site, str], list[int]],
) -> Callable[..., contextlib.AbstractContextManager[None]]:
    @contextmanager
    def inject(site: Site, run: str) -> Iterator[None]:
        found = find(site, run)
        assert found, "there is no such process"
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        yield

    return inject


@contextmanager
def _killed_at_their_start(site: Site, run: str) -> Iterator[None]:
    """Operators are killed, and again 3 s after they are back, when they list what is there."""
    _kill_operators()
    yield
    for _ in range(2):
        wait_for("operators to be back", lambda: len(pids("operator")) == 2, seconds=90)
        time.sleep(3)
        _kill_operators()


def _kill_operators() -> None:
    for pid in pids("operator"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_for("the end of operators", lambda: not pids("operator"), seconds=60)


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


def _component(name: str) -> Callable[[Site, str], list[int]]:
    return lambda site, run: pids(name)


def _container(name: str) -> Callable[[Site, str], list[int]]:
    """The processes of a container of a run's Pod."""

    def find(site: Site, run: str) -> list[int]:
        (container,) = [
            status["containerID"].rpartition("/")[2]
            for status in site.pod(run)["status"]["containerStatuses"]
            if status["name"] == name
        ]
        return pids_in_cgroup(container)

    return find


def _code(site: Site, run: str) -> list[int]:
    """The process that runs the code, which the worker has started last."""
    return [
        max(_container("worker")(site, run), key=lambda pid: processes.describe(pid).start_ticks)
    ]


def _pod(site: Site, run: str) -> list[int]:
    return pids_of_pod(site.pod(run)["metadata"]["uid"])


def restarted(name: str) -> Callable[..., contextlib.AbstractContextManager[None]]:
    """A part of the cluster is killed, and is back when the fault is over."""

    @contextmanager
    def inject(site: Site, run: str) -> Iterator[None]:
        record = processes.alive(site.paths, name)
        assert record is not None
        processes.stop(record, what=name)
        try:
            yield
        finally:
            command([DEV_CLUSTER, "up"])

    return inject


@contextmanager
def _paused_etcd(site: Site, run: str) -> Iterator[None]:
    record = processes.alive(site.paths, etcd.NAME)
    assert record is not None
    os.kill(record.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(record.pid, signal.SIGCONT)


@contextmanager
def _deleted_policy(site: Site, run: str) -> Iterator[None]:
    kubectl("-n", settings.RUN_NAMESPACE, "delete", "networkpolicy/assay-runner-pods")
    yield
    kubectl("-n", settings.RUN_NAMESPACE, "get", "networkpolicy/assay-runner-pods")


def _inside(site: Site, *words: str) -> list[str]:
    """A command in the namespaces of the first node: what it mounts ends with the cluster."""
    keeper = processes.alive(site.paths, processes.KEEPER)
    assert keeper is not None
    return ["nsenter", "--target", str(keeper.pid), "--mount", "--net", "--pid", "--", *words]


@contextmanager
def _full_store(site: Site, run: str) -> Iterator[None]:
    filler = str(store() / "filler")
    # More than there is room for.
    done = subprocess.run(_inside(site, "fallocate", "--length", "1G", filler), check=False)
    assert done.returncode, "the store is no small one"
    command(_inside(site, "dd", "if=/dev/zero", f"of={filler}", "bs=1M", "conv=sync", "count=63"))
    with contextlib.suppress(E2eError):
        command(_inside(site, "dd", "if=/dev/zero", f"of={filler}.rest", "bs=4k"))
    before = len(site.output(run))
    try:
        wait_for("output that is not stored", lambda: not _grows(site, run), seconds=10)
        assert len(site.output(run)) <= before + 8192, "output was stored"
        yield
    finally:
        command(_inside(site, "rm", filler, f"{filler}.rest"))


def _grows(site: Site, run: str) -> bool:
    before = len(site.output(run))
    time.sleep(1)
    return len(site.output(run)) > before


@contextmanager
def _small_store(site: Site) -> Iterator[None]:
    """The operators' volume is a file system of its own, with room for 64 MiB."""
    directory = str(store())
    mount = ("mount", "-t", "tmpfs", "-o", "size=64m,mode=777", "tmpfs", directory)
    try:
        # A mounted volume does not see what is mounted over its directory later.
        changes.scale_operators(0)
        command(_inside(site, *mount))
        try:
            changes.scale_operators(2)
            yield
        finally:
            changes.scale_operators(0)
            command(_inside(site, "umount", directory))
    finally:
        changes.scale_operators(2)


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
            "NO_FAKE_STAT": "1",
        }
        container = {
            "name": "operator",
            "env": [{"name": name, "value": value} for name, value in environment.items()],
            "volumeMounts": [{"name": "faketime", "mountPath": "/faketime"}],
        }
        volume = {"name": "faketime", "hostPath": {"path": str(_FAKETIME)}}
        pod = {"spec": {"containers": [container], "volumes": [volume]}}
        patch = json.dumps({"spec": {"template": pod}})
        operators = ("-n", settings.SYSTEM_NAMESPACE)
        try:
            kubectl(*operators, "patch", "deployment/assay-operator", "--patch", patch)
            installation.wait_until_rolled_out()
            wait_for(
                f"a Lease with a time {offset} from now", partial(_is_apart, offset), seconds=60
            )
            yield
        finally:
            kubectl(*operators, "rollout", "undo", "deployment/assay-operator")
            installation.wait_until_rolled_out()

    return prepared


def _is_apart(offset: str) -> bool:
    """Whether the leader's clock differs from this machine's by so many minutes."""
    lease = kubectl(
        *("-n", settings.SYSTEM_NAMESPACE, "get", "lease/assay-operator"),
        *("-o", "jsonpath={.spec.renewTime}"),
    )
    apart = datetime.datetime.fromisoformat(lease) - datetime.datetime.now(datetime.UTC)
    return abs(apart.total_seconds() - 60 * int(offset[:-1])) < 20


@contextmanager
def _half_requests(site: Site, run: str) -> Iterator[None]:
    """A hundred requests at each port of each part, from the node, that never end."""
    addresses = _addresses()
    program = str(Path(__file__).with_name("half_requests.py"))
    words = _inside(site, "python3", "-I", program, "100", *addresses)
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as sender:
        assert sender.stdin is not None and sender.stdout is not None
        opened = dict(zip(addresses, map(int, sender.stdout.readline().split()), strict=True))
        step(f"half requests: {opened}")
        # Of two operators, one serves.
        served = {address.partition(":")[2] for address, count in opened.items() if count}
        assert served == {address.partition(":")[2] for address in addresses}, opened
        yield


def _addresses() -> list[str]:
    """Each TCP port of each Pod of Assay's own, and of runs."""
    found = []
    for namespace in (settings.SYSTEM_NAMESPACE, settings.RUN_NAMESPACE):
        for pod in json.loads(kubectl("-n", namespace, "get", "pods", "-o", "json"))["items"]:
            if pod["status"]["phase"] == "Running":
                found += [
                    f"{pod['status']['podIP']}:{port['containerPort']}"
                    for container in pod["spec"]["containers"]
                    for port in container.get("ports", [])
                ]
    return found


@contextmanager
def _lasting(site: Site, run: str) -> Iterator[None]:
    """Nothing happens in mid-run: the fault was there before."""
    yield


def _hostile_neighbour(code: str) -> Callable[..., contextlib.AbstractContextManager[None]]:
    @contextmanager
    def inject(site: Site, run: str) -> Iterator[None]:
        hostile = site.start(code=code, timeoutSeconds=20)
        wait_for(
            "the start of the neighbour",
            lambda: site.document(hostile).get("payloadStarted") == "Yes",
            seconds=60,
        )
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
# What is short fits into a page that the file has already.
_LONG_LINES = f"""
import time
for n in range({LINES}):
    print(n, "x" * 1000)
    time.sleep(0.1)
"""
_PROCESSES = """
import os, signal, time
print("began", flush=True)
for _ in range(10_000):
    try:
        if os.fork() == 0: signal.pause()
    except OSError:
        time.sleep(0.01)
"""
_LONG_LINE = "print('x' * 50_000_000)"
_MANY_PRINTS = "for _ in range(1000): print('x' * 1_000_000)"
_OF_POD = frozenset({POD_LOST, RUNNER_LOST})

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
        run_fields={"language": "javascript", "code": _CALLS},
    ),
    Fault("supervisor: SIGKILL", _kill(_container("supervisor")), _OF_POD),
    Fault("worker: SIGKILL", _kill(_container("worker")), _OF_POD),
    Fault("process of the code: SIGKILL", _kill(_code), _OF_POD | {("Failed", "CodeError")}),
    Fault("all processes of the Pod: SIGKILL", _kill(_pod), _OF_POD),
    Fault("kubelet stopped for 20 s", restarted(kubelet.NAME), seconds=20),
    Fault("API server stopped for 10 s", restarted(control_plane.API_SERVER), seconds=10),
    Fault("etcd paused for 20 s", _paused_etcd, seconds=20),
    Fault("policy engine restarted", restarted(network_policy.NAME), seconds=5),
    Fault("NetworkPolicy deleted", _deleted_policy, seconds=10),
    Fault("Secrets deleted, operators replaced", changes.deleted_secrets),
    Fault("RunClass edited", changes.edited_class),
    Fault("operators scaled to 0 for 20 s", changes.no_operators, seconds=20),
    Fault("registry gone", changes.gone_registry),
    Fault(
        "output store full for 20 s",
        _full_store,
        seconds=20,
        prepared=_small_store,
        run_fields={"code": _LONG_LINES},
    ),
    Fault("clocks of operators 2 min ahead", _lasting, prepared=_clock("+2m")),
    Fault("clocks of operators 2 min behind", _lasting, prepared=_clock("-2m")),
    Fault("100 half requests at each port", _half_requests, seconds=20),
    Fault("beside 10,000 forks", _hostile_neighbour(_PROCESSES)),
    Fault("beside a line of 50 MB", _hostile_neighbour(_LONG_LINE)),
    Fault("beside 1 GB of prints", _hostile_neighbour(_MANY_PRINTS)),
    Fault(
        "node lost",
        nodes.lost,
        frozenset({POD_LOST}),
        # The node's grace of 50 s, a toleration of 20 s, and 15 s.
        within=85,
        prepared=nodes.with_second,
        run_fields={"runClass": nodes.ON_SECOND},
        neighbour_fields={"runClass": nodes.ON_FIRST},
    ),
    Fault(
        "node drained",
        nodes.drained,
        frozenset({POD_LOST}),
        # The parts of Assay leave it one replica after the other.
        within=300,
        prepared=nodes.with_idle_pods_on_first,
        run_fields={"runClass": nodes.WARM},
        neighbour_fields={"runClass": nodes.ON_SECOND},
    ),
)
