"""A second node, and what becomes of a node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from cluster import second_node
from cluster.waiting import wait_for
from e2e import installation, settings
from e2e.commands import kubectl
from e2e.commands import run as command
from e2e.errors import E2eError
from faults import classes
from faults.site import DEV_CLUSTER, FaultTestError, Site, read
from soak.kills import COMPONENTS
from soak.repeated import Repeated

ON_FIRST, ON_SECOND = "first-node", "second-node"
WARM = "faults-warm"
"""A class whose Pods may be on each node."""
_IDLE_PODS = 2
_COMPONENT = "app.kubernetes.io/component"
_DRAIN_SECONDS = 240


@contextmanager
def with_second(site: Site) -> Iterator[None]:
    """The cluster has a second node, and a class for each node."""
    nodes = {ON_FIRST: site.paths.node, ON_SECOND: site.paths.second.node}
    try:
        command([DEV_CLUSTER, "up", "--nodes", "2"])
        for name, node in nodes.items():
            classes.create(name, nodeSelector={"kubernetes.io/hostname": node.name})
        yield
    finally:
        second_node.remove(site.paths)
        classes.remove(*nodes)
        kubectl("delete", "--ignore-not-found", f"node/{site.paths.second.node.name}")


@contextmanager
def with_idle_pods_on_first(site: Site) -> Iterator[None]:
    """The same, and a class with idle Pods on the first node, where all of Assay is."""
    first, second = site.paths.node.name, site.paths.second.node.name
    with with_second(site):
        try:
            kubectl("cordon", second)
            classes.create(WARM, languages=["python"], warmPool={"min": _IDLE_PODS})
            wait_for("idle Pods", lambda: classes.pool(WARM)[0] == _IDLE_PODS, seconds=120)
            kubectl("uncordon", second)
            yield
        finally:
            kubectl("uncordon", first, second)
            classes.remove(WARM)
            # Of a node that is removed, Kubernetes notices only later that its Pods are gone.
            installation.wait_until_rolled_out()
            _drain(second)
            installation.wait_until_rolled_out()


@contextmanager
def lost(site: Site, run: str) -> Iterator[None]:
    """The second node, with the run, loses its power."""
    assert site.pod(run)["spec"]["nodeName"] == site.paths.second.node.name
    second_node.stop(site.paths)
    yield


@contextmanager
def drained(site: Site, run: str) -> Iterator[None]:
    """The first node is drained, with the run and all of Assay."""
    first, second = site.paths.node.name, site.paths.second.node.name
    # Its Pod is lost at the same time as the leader, which writes that the code was started.
    wait_for(
        "payloadStarted",
        lambda: site.document(run).get("payloadStarted") == "Yes",
        seconds=10,
    )
    if missing := absent(_pods(), first, _leader(), site.pod(run)["metadata"]["name"]):
        raise FaultTestError(f"{first} has no {', no '.join(missing)}")
    watch = _Watch(site)
    try:
        watch.start()
        with ThreadPoolExecutor(1) as threads:
            draining = threads.submit(_drain, first)
            yield
            draining.result()
        watch.stop()
        if watch.problems:
            raise FaultTestError("; ".join(watch.problems))
        wait_for(
            f"idle Pods on {second}",
            lambda: len(idle(_pods(), second)) == classes.pool(WARM)[0] == _IDLE_PODS,
            seconds=120,
        )
        # Its Pod can be on the other node only.
        again = site.ended(site.start(code="print('ok')", timeoutSeconds=60))
        if again["phase"] != "Succeeded":
            raise FaultTestError(f"a run on {second} ended as {again['reason']}")
    finally:
        watch.stop()
        kubectl("uncordon", first)
        site.ended(run)
        classes.remove(WARM)


def _drain(node: str) -> None:
    kubectl(
        *("drain", node, "--ignore-daemonsets", "--delete-emptydir-data"),
        f"--timeout={_DRAIN_SECONDS}s",
    )


def _pods() -> list[dict[str, Any]]:
    """All Pods of Assay, and of runs."""
    found: list[dict[str, Any]] = []
    for namespace in (settings.SYSTEM_NAMESPACE, settings.RUN_NAMESPACE):
        found += read("pods", namespace=namespace)["items"]
    return found


def _leader() -> str:
    lease = read("lease/assay-operator", namespace=settings.SYSTEM_NAMESPACE)
    return str(lease["spec"]["holderIdentity"])


def absent(pods: Sequence[dict[str, Any]], node: str, leader: str, run_pod: str) -> list[str]:
    """What a node has to have to be drained, and has not.

    Args:
        leader: the Pod of the leading operator.
        run_pod: the Pod of the run.
    """
    there = [pod for pod in pods if pod["spec"].get("nodeName") == node]
    names = {pod["metadata"]["name"] for pod in there}
    found = {
        "leader": leader in names,
        "front end": any(_component(pod) == "mcp-frontend" for pod in there),
        "idle Pod": any(pod["metadata"]["name"] != run_pod for pod in idle(pods, node)),
        "run": run_pod in names,
    }
    return [what for what, is_there in found.items() if not is_there]


def idle(pods: Sequence[dict[str, Any]], node: str) -> list[dict[str, Any]]:
    """The idle Pods on a node; one that was given to a run counts until its labels say so."""
    return [
        pod
        for pod in pods
        if pod["spec"].get("nodeName") == node
        and "assay.dev/warm-pool" in (labels := pod["metadata"].get("labels", {}))
        and "assay.dev/run-uid" not in labels
    ]


def ready_by_component(pods: Sequence[dict[str, Any]]) -> Counter[str]:
    """How many Pods of each component are ready and stay, as a disruption budget counts them."""
    return Counter(
        _component(pod)
        for pod in pods
        if "deletionTimestamp" not in pod["metadata"]
        and any(
            condition["type"] == "Ready" and condition["status"] == "True"
            for condition in pod["status"].get("conditions", [])
        )
    )


def _component(pod: dict[str, Any]) -> str:
    return str(pod["metadata"].get("labels", {}).get(_COMPONENT, ""))


class _Watch:
    """Looks, from `start` to `stop`, whether Assay serves.

    Attributes:
        problems: what must not be, a line each.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._repeated = Repeated(self._look, lambda: 1.0)
        self.problems: list[str] = ["nobody looked"]

    def start(self) -> None:
        """Begin."""
        self._repeated.start()

    def stop(self) -> None:
        """Look no more; may be repeated."""
        self._repeated.stop()

    def _look(self) -> None:
        if self.problems == ["nobody looked"]:
            self.problems = []
        if refusal := self._site.refusal():
            self.problems.append(f"a request was refused: {refusal}")
        try:
            ready = ready_by_component(read("pods", namespace=settings.SYSTEM_NAMESPACE)["items"])
        except E2eError as failure:
            self.problems.append(str(failure))
            return
        self.problems += [f"no {name} was ready" for name in COMPONENTS if not ready[name]]
