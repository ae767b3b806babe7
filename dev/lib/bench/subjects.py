"""What is created to measure its cost: runs, and Pods to compare them with."""

from __future__ import annotations

import contextlib
import copy
import http.client
import json
import urllib.parse
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bench.burst import pod_ended, run_ended
from bench.kubernetes import Kubernetes, Object
from cluster.waiting import wait_for

# What a worker imports before it has a job.
IMPORTS = "import pandas as pd, numpy as np"

_REST_SECONDS = 60
_BLOCK_BYTES = 1024 * 1024
_LOAD_SECONDS = 900
# Fields that the API server or the scheduler adds, or that tie a Pod to its owner.
_NOT_OF_THE_SPEC = ("nodeName", "serviceAccount", "priority", "preemptionPolicy")


class Subject(Protocol):
    """Something that ends by itself."""

    @property
    def path(self) -> str:
        """Of the API server's collection."""

    def create(self) -> str:
        """Create one; returns its name."""

    def ended(self, item: Object) -> bool:
        """Whether it has ended; raises BurstError if it did not succeed."""

    def after_end(self, name: str) -> None:
        """Do with one that has ended what its user does."""

    def remove(self, name: str) -> None:
        """Remove what is left of one whose Pod is gone."""


@dataclass(frozen=True)
class FrontEnd:
    """Assay's REST endpoint."""

    url: str
    key: str

    def request(self, method: str, path: str, body: Object | None = None) -> Object:
        """Send a request; returns the response's JSON. RuntimeError if it is refused."""
        server = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPConnection(
            server.hostname or "", server.port, timeout=_REST_SECONDS
        )
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        connection.request(method, f"/api/v1{path}", content, headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        if response.status >= http.client.BAD_REQUEST:
            raise RuntimeError(f"{method} {path}: {response.status} {text[:500]!r}")
        answer: Object = json.loads(text) if text else {}
        return answer

    def upload(self, name: str, file: Path, options: Mapping[str, str]) -> None:
        """Load a file as a dataset, and wait until it is Ready; RuntimeError if it fails."""
        server = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPConnection(
            server.hostname or "", server.port, timeout=_LOAD_SECONDS, blocksize=_BLOCK_BYTES
        )
        query = urllib.parse.urlencode({"format": file.suffix[1:], **options})
        # A request that is refused is so before its body has been read.
        with file.open("rb") as body, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request(
                "PUT",
                f"/api/v1/datasets/{name}?{query}",
                body,
                {"Authorization": f"Bearer {self.key}", "Content-Length": str(file.stat().st_size)},
            )
        response = connection.getresponse()
        text = response.read()
        connection.close()
        if response.status >= http.client.BAD_REQUEST:
            raise RuntimeError(f"upload of {name}: {response.status} {text[:500]!r}")
        wait_for(
            f"dataset {name}",
            lambda: self._phase(name) in ("Ready", "Failed"),
            seconds=_LOAD_SECONDS,
        )
        if self._phase(name) == "Failed":
            raise RuntimeError(f"dataset {name} failed: {self.request('GET', f'/datasets/{name}')}")

    def _phase(self, name: str) -> str | None:
        try:
            phase: str = self.request("GET", f"/datasets/{name}")["phase"]
        except RuntimeError:
            return None
        return phase


@dataclass(frozen=True)
class Runs:
    """Runs of trivial code, created by the front end, or else by the API server."""

    kubernetes: Kubernetes
    namespace: str
    front_end: FrontEnd | None

    @property
    def path(self) -> str:
        return runs_path(self.namespace)

    def create(self) -> str:
        spec = {"code": "print('x')"}
        if self.front_end is not None:
            name: str = self.front_end.request("POST", "/runs", spec)["name"]
            return name
        run = {
            "apiVersion": "assay.dev/v1alpha1",
            "kind": "AnalyticsRun",
            "metadata": {"name": f"bench-{uuid.uuid4().hex[:8]}"},
            "spec": spec,
        }
        return _name(self.kubernetes.create(self.path, run))

    def ended(self, item: Object) -> bool:
        return run_ended(item)

    def after_end(self, name: str) -> None:
        if self.front_end is not None:
            self.front_end.request("GET", f"/runs/{name}")

    def remove(self, name: str) -> None:
        self.kubernetes.delete(f"{self.path}/{name}")


@dataclass(frozen=True)
class Pods:
    """Pods of one spec."""

    kubernetes: Kubernetes
    namespace: str
    spec: Object

    @property
    def path(self) -> str:
        return pods_path(self.namespace)

    def create(self) -> str:
        metadata = {"name": f"bench-{uuid.uuid4().hex[:8]}"}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": self.spec}
        return _name(self.kubernetes.create(self.path, pod))

    def ended(self, item: Object) -> bool:
        return pod_ended(item)

    def after_end(self, name: str) -> None:
        self.kubernetes.delete(f"{self.path}/{name}")

    def remove(self, name: str) -> None:
        """Nothing is left."""


def pods_path(namespace: str) -> str:
    """Of the API server's collection of Pods."""
    return f"/api/v1/namespaces/{namespace}/pods"


def runs_path(namespace: str) -> str:
    """Of the API server's collection of runs."""
    return f"/apis/assay.dev/v1alpha1/namespaces/{namespace}/analyticsruns"


def same_shape(run_pod: Object, code: str) -> Object:
    """The spec of a Pod with a run Pod's containers and volumes, of which the worker runs `code`.

    Its supervisor ends at once.
    """
    spec: Object = copy.deepcopy(run_pod["spec"])
    for name in _NOT_OF_THE_SPEC:
        spec.pop(name, None)
    commands = {"worker": ["python3", "-I", "-c", code], "supervisor": ["true"]}
    for container in spec["containers"]:
        container["command"] = commands[container["name"]]
    return spec


def one_container(run_pod: Object, code: str) -> Object:
    """The same without supervisor and volumes."""
    spec = same_shape(run_pod, code)
    (worker,) = (container for container in spec["containers"] if container["name"] == "worker")
    del worker["volumeMounts"]
    worker.pop("workingDir", None)
    spec["containers"] = [worker]
    del spec["volumes"]
    return spec


def _name(item: Object) -> str:
    name: str = item["metadata"]["name"]
    return name
