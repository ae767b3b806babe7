"""A warm pool of sandboxes, in a namespace of its own."""

from __future__ import annotations

import time
import urllib.parse
import uuid
from collections.abc import Collection, Iterable
from typing import Self

from bench.kubernetes import Kubernetes, Object, count_until
from bench.subjects import pods_path
from cluster.waiting import wait_for

EXTENSIONS = "extensions.agents.x-k8s.io/v1beta1"
POOL = "bench"
_TEMPLATE = "bench"
# Sandboxes of a pool that no claim has.
_IDLE = "agents.x-k8s.io/warm-pool-sandbox"
_LAUNCH_TYPE = "agents.x-k8s.io/launch-type"
_SECONDS = 600.0
# As long as a pool of runs is given to come to rest.
_REST_SECONDS = 3.0


class SandboxPool:
    """Idle sandboxes whose only container sleeps. A context manager, which removes all of it.

    Args:
        kubernetes: the API server.
        image: that of the container; the node has it, and it has the program sleep.
        size: how many are kept idle.
    """

    def __init__(self, kubernetes: Kubernetes, image: str, size: int) -> None:
        self._kubernetes = kubernetes
        self._size = size
        self.namespace = f"bench-{uuid.uuid4().hex[:8]}"
        self._path = f"/apis/agents.x-k8s.io/v1beta1/namespaces/{self.namespace}/sandboxes"
        self._create("/api/v1/namespaces", "v1", "Namespace", self.namespace)
        template = {"podTemplate": {"spec": pod_spec(image)}}
        self._create_extension("SandboxTemplate", _TEMPLATE, template)
        spec = {"replicas": size, "sandboxTemplateRef": {"name": _TEMPLATE}}
        self._create_extension("SandboxWarmPool", POOL, spec)

    def refill(self, used: Collection[str] = ()) -> None:
        """Wait until all idle sandboxes are Ready, and no Pods but theirs are left.

        Args:
            used: names of sandboxes that claims have had, which may still look idle.

        Raises:
            ClusterError, RuntimeError: if that takes more than ten minutes.
        """
        # The pool's own count may be of before the last claims, so a watch has to show them; but
        # the API server refuses watches of a kind that has just been installed.
        wait_for("idle sandboxes", self._has_been_full, seconds=_SECONDS)
        self._wait_until_ready(used)
        pods = pods_path(self.namespace)
        wait_for(
            "the end of sandboxes of deleted claims",
            lambda: len(self._kubernetes.get(pods)["items"]) <= self._size,
            seconds=_SECONDS,
        )
        time.sleep(_REST_SECONDS)

    def warm_share(self, sandboxes: Collection[str]) -> float:
        """The share of these that were idle ones of the pool before; claims still have them."""
        found = set(warm(self._kubernetes.get(self._path)["items"]))
        return sum(name in found for name in sandboxes) / len(sandboxes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Delete the namespace, and wait until it is gone: its end needs the controller."""
        path = f"/api/v1/namespaces/{self.namespace}"
        self._kubernetes.delete(path)
        wait_for(f"the end of namespace {self.namespace}", self._is_gone, seconds=_SECONDS)

    def _wait_until_ready(self, used: Collection[str]) -> None:
        found = count_until(
            self._kubernetes,
            self._path,
            _IDLE,
            self._size,
            lambda sandbox: sandbox["metadata"]["name"] not in used and is_ready(sandbox),
            _SECONDS,
        )
        if found < self._size:
            raise RuntimeError(f"of {self._size} idle sandboxes only {found} are Ready")

    def _has_been_full(self) -> bool:
        pool = self._kubernetes.get(f"{self._extensions('SandboxWarmPool')}/{POOL}")
        ready: int = pool.get("status", {}).get("readyReplicas", 0)
        return ready >= self._size

    def _is_gone(self) -> bool:
        field = urllib.parse.quote(f"metadata.name={self.namespace}")
        return not self._kubernetes.get(f"/api/v1/namespaces?fieldSelector={field}")["items"]

    def _create_extension(self, kind: str, name: str, spec: Object) -> None:
        self._create(self._extensions(kind), EXTENSIONS, kind, name, spec=spec)

    def _extensions(self, kind: str) -> str:
        return f"/apis/{EXTENSIONS}/namespaces/{self.namespace}/{kind.lower()}s"

    def _create(self, path: str, version: str, kind: str, name: str, **others: Object) -> None:
        metadata = {"name": name}
        item = {"apiVersion": version, "kind": kind, "metadata": metadata, **others}
        self._kubernetes.create(path, item)


def pod_spec(image: str) -> Object:
    """That of a sandbox, whose container does nothing and ends when it is told to."""
    container = {
        "name": "idle",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["sleep", "infinity"],
    }
    return {"containers": [container], "terminationGracePeriodSeconds": 1}


def is_ready(item: Object) -> bool:
    """Whether a sandbox or a claim is to stay, and has the condition Ready."""
    conditions = item.get("status", {}).get("conditions", [])
    return "deletionTimestamp" not in item["metadata"] and any(
        condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions
    )


def warm(sandboxes: Iterable[Object]) -> list[str]:
    """Names of those that were started by a pool."""
    return [
        sandbox["metadata"]["name"]
        for sandbox in sandboxes
        if sandbox["metadata"].get("labels", {}).get(_LAUNCH_TYPE) == "warm"
    ]
