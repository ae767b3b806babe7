"""A class of its own for a measurement, with a warm pool whose size changes."""

from __future__ import annotations

import copy
import time
import urllib.parse
import uuid
from collections.abc import Collection, Mapping
from typing import Self

from bench.kubernetes import Kubernetes, Object, count_until
from bench.quantities import quantity
from bench.subjects import pods_path
from cluster.waiting import wait_for

CLASSES = "/apis/assay.dev/v1alpha1/runclasses"
_WITHOUT_RUN = "assay.dev/warm-pool,!assay.dev/run-uid"
_CLASS_LABEL = "assay.dev/run-class"
_SECONDS = 600.0
# The operator writes the status of a class every 5 s (PoolStatusWriter): before that, it may count
# Pods that runs have taken since.
_STATUS_SECONDS = 6.0
_LOWEST = {"cpu": "1m", "memory": "16Mi"}
# Of what a node has: the rest is for Pods that come and go.
_USABLE = 0.97


class Pool:
    """Idle Pods of one class in one namespace, found by the class.

    Whether a Pod can take a run, its supervisor tells only the operator, which counts such Pods in
    the status of the class, a few seconds late; runs tell whether they got one.

    Args:
        kubernetes: the API server.
        namespace: that of the Pods.
        name: of the class.
    """

    def __init__(self, kubernetes: Kubernetes, namespace: str, name: str) -> None:
        self._kubernetes = kubernetes
        self._namespace = namespace
        self.name = name
        self.size = 0
        self._lowers_requests = False

    def resize(self, size: int, *, lowers_requests: bool = False) -> None:
        """Keep this many idle Pods; returns when all of them can take a run.

        Args:
            size: how many.
            lowers_requests: whether their requests are lowered once they run, so that more of them
                fit on a node than it has room for. Their limits stay.
        """
        self._lowers_requests = lowers_requests
        self.set_size(size)
        self.refill()

    def set_size(self, size: int) -> None:
        """The same without waiting."""
        self._kubernetes.merge(f"{CLASSES}/{self.name}", {"spec": {"warmPool": {"min": size}}})
        self.size = size

    def refill(self, used: Collection[str] = ()) -> None:
        """Wait until all idle Pods can take a run.

        Args:
            used: names of Pods that runs have had, which may still look idle.

        Raises:
            RuntimeError: if that takes more than ten minutes.
        """
        if self.size > 0:
            self._wait_until_running(used)
            time.sleep(_STATUS_SECONDS)
            wait_for(
                f"{self.size} Pods of class {self.name} that can take a run",
                lambda: self._ready() >= self.size,
                seconds=_SECONDS,
            )

    def _ready(self) -> int:
        """How many idle Pods can take a run, as the operator counted them last."""
        status = self._kubernetes.get(f"{CLASSES}/{self.name}").get("status", {})
        ready: int = status.get("warmPool", {}).get("ready", 0)
        return ready

    def _wait_until_running(self, used: Collection[str]) -> None:
        path, lowered = pods_path(self._namespace), set(used)

        def counts(pod: Object) -> bool:
            name = pod["metadata"]["name"]
            if name in used or not _runs(pod):
                return False
            if self._lowers_requests and name not in lowered:
                lowered.add(name)
                self._kubernetes.merge(f"{path}/{name}/resize", _lowered(pod), "strategic-merge")
            return True

        selector = f"{_WITHOUT_RUN},{_CLASS_LABEL}={self.name}"
        found = count_until(self._kubernetes, path, selector, self.size, counts, _SECONDS)
        if found < self.size:
            raise RuntimeError(f"of {self.size} Pods of the warm pool only {found} run")

    def image(self) -> str:
        """That of its workers."""
        image: str = self._kubernetes.get(f"{CLASSES}/{self.name}")["spec"]["image"]
        return image

    def remove(self) -> None:
        """Delete the class, and wait until all of its Pods are gone."""
        self._kubernetes.delete(f"{CLASSES}/{self.name}")
        selector = urllib.parse.quote(f"{_CLASS_LABEL}={self.name}")
        path = f"{pods_path(self._namespace)}?labelSelector={selector}"
        wait_for(
            f"the end of the Pods of class {self.name}",
            lambda: not self._kubernetes.get(path)["items"],
            seconds=_SECONDS,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def create(
    kubernetes: Kubernetes,
    namespace: str,
    like: str,
    resources: Mapping[str, str],
    output: int,
    fields: Mapping[str, object] | None = None,
) -> Pool:
    """Create a class for a measurement, without idle Pods yet.

    Args:
        kubernetes: the API server.
        namespace: the only one that may use it.
        like: the class that it is a copy of.
        resources: what its worker has instead.
        output: bytes of output that a run may have, which its supervisor's memory follows from.
        fields: others that it has instead.
    """
    name = f"bench-{uuid.uuid4().hex[:8]}"
    copied = kubernetes.get(f"{CLASSES}/{like}")["spec"]
    spec = {**class_spec(copied, namespace, resources, output), **(fields or {})}
    kubernetes.create(
        CLASSES,
        {
            "apiVersion": "assay.dev/v1alpha1",
            "kind": "RunClass",
            "metadata": {"name": name},
            "spec": spec,
        },
    )
    return Pool(kubernetes, namespace, name)


def class_spec(spec: Object, namespace: str, resources: Mapping[str, str], output: int) -> Object:
    """The spec of such a class, from that of the other; it is nobody's default."""
    own = copy.deepcopy(spec)
    own.pop("defaultFor", None)
    own["allowedNamespaces"] = [namespace]
    own["resources"] = {**own["resources"], **resources}
    own["output"] = {"limitBytes": output}
    own["warmPool"] = {"min": 0}
    return own


def room(kubernetes: Kubernetes, each: Mapping[str, float]) -> int:
    """How many more Pods with these requests (cores and bytes) the only node has room for."""
    (node,) = kubernetes.get("/api/v1/nodes")["items"]
    pods = [
        pod
        for pod in kubernetes.get("/api/v1/pods")["items"]
        if pod["status"]["phase"] in ("Pending", "Running")
    ]
    return room_beside(node["status"]["allocatable"], pods, each)


def room_beside(
    allocatable: Mapping[str, str], pods: Collection[Object], each: Mapping[str, float]
) -> int:
    """The same from what a node has and the Pods on it."""
    left = {name: quantity(allocatable[name]) * _USABLE for name in each}
    for pod in pods:
        for container in pod["spec"]["containers"]:
            requests = container.get("resources", {}).get("requests", {})
            for name in left:
                left[name] -= quantity(requests.get(name, "0"))
    places = int(quantity(allocatable["pods"])) - len(pods)
    return max(0, min(places, *(int(left[name] // each[name]) for name in each)))


def _lowered(pod: Object) -> Object:
    containers = [
        {"name": container["name"], "resources": {"requests": _LOWEST}}
        for container in pod["spec"]["containers"]
    ]
    return {"spec": {"containers": containers}}


def _runs(pod: Object) -> bool:
    """Whether all of its containers run, and it is to stay."""
    statuses = pod.get("status", {}).get("containerStatuses", [])
    return (
        "deletionTimestamp" not in pod["metadata"]
        and len(statuses) == len(pod["spec"]["containers"])
        and all("running" in status.get("state", {}) for status in statuses)
    )
