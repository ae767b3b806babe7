"""Pods of one container that are made from those of runs, and what they print."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass

from bench.burst import has_owner_in
from bench.kubernetes import Kubernetes, Object
from bench.subjects import pods_path, runs_path, same_shape
from cluster.waiting import wait_for

_SECONDS = 300.0


@dataclass(frozen=True)
class Output:
    """The first line that a Pod printed, and seconds from its creation until it was read."""

    text: str
    seconds: float


def pod_of_run(kubernetes: Kubernetes, namespace: str, run_spec: Object) -> Object:
    """Create a run, and delete it once its Pod is known."""
    name = f"bench-{uuid.uuid4().hex[:8]}"
    run = {
        "apiVersion": "assay.dev/v1alpha1",
        "kind": "AnalyticsRun",
        "metadata": {"name": name},
        "spec": run_spec,
    }
    kubernetes.create(runs_path(namespace), run)
    is_its = has_owner_in({name})
    found: list[Object] = []

    def appeared() -> bool:
        found[:] = filter(is_its, kubernetes.get(pods_path(namespace))["items"])
        return bool(found)

    try:
        wait_for(f"the Pod of run {name}", appeared, seconds=_SECONDS)
    finally:
        kubernetes.delete(f"{runs_path(namespace)}/{name}")
    return found[0]


def with_worker_alone(run_pod: Object, code: str) -> Object:
    """The spec of a Pod with a run Pod's worker, which runs `code`, and what that mounts."""
    spec = same_shape(run_pod, code)
    spec["containers"] = [one for one in spec["containers"] if one["name"] == "worker"]
    mounted = {mount["name"] for mount in spec["containers"][0]["volumeMounts"]}
    spec["volumes"] = [volume for volume in spec["volumes"] if volume["name"] in mounted]
    return spec


def first_output(kubernetes: Kubernetes, namespace: str, spec: Object) -> Output:
    """Create a Pod, read the first line of its log, and delete it; returns once it is gone."""
    path, name = pods_path(namespace), f"bench-{uuid.uuid4().hex[:8]}"
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
    began = time.monotonic()
    kubernetes.create(path, pod)
    try:
        kubernetes.wait(path, name, _has_started, _SECONDS)
        output = kubernetes.first_line(f"{path}/{name}/log?follow=true", _SECONDS)
        seconds = time.monotonic() - began
    finally:
        kubernetes.delete(f"{path}/{name}")
    # Its end takes processor time of what is measured next.
    its = f"{path}?fieldSelector=metadata.name%3D{name}"
    wait_for(f"the end of Pod {name}", lambda: not kubernetes.get(its)["items"], seconds=_SECONDS)
    return Output(output.decode(), seconds)


def wait_until_alone(kubernetes: Kubernetes, namespace: str) -> None:
    """Wait until no Pod of an earlier run is left: its end takes processor time of the next."""
    path = f"{pods_path(namespace)}?labelSelector=assay.dev%2Frunner-pod"
    wait_for("the end of earlier Pods", lambda: not kubernetes.get(path)["items"], seconds=_SECONDS)


def _has_started(pod: Object) -> bool:
    return pod.get("status", {}).get("phase") in ("Running", "Succeeded")
