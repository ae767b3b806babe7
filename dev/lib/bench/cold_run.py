"""How long a cold run takes, beside bare Pods of the same image that import the same.

All are timed from the request that creates them until a watcher holds the first byte of output,
in turn, so that a noisy machine disturbs them alike. The run reads a dataset, as runs do. Of the
bare Pods one is what `kubectl run` makes, with the volume of its service account's token, and one
has no volume at all: the kubelet looks every 300 ms whether volumes are mounted.
"""

from __future__ import annotations

import statistics
import time
import uuid
from dataclasses import dataclass
from datetime import datetime

from bench.kubernetes import Kubernetes, Object

_WATCH_SECONDS = 120.0
_IMPORTS = "import pandas as pd, numpy as np, plotly.express as px"


@dataclass(frozen=True)
class Run:
    """Seconds of one cold run, each from the step before."""

    pod_running: float
    bound: float
    started: float
    finished: float
    seen: float

    @property
    def total(self) -> float:
        """From the create request to the output in the watcher's hands."""
        return self.pod_running + self.bound + self.started + self.finished + self.seen


@dataclass(frozen=True)
class BarePod:
    """Seconds of one bare Pod."""

    running: float
    first_byte: float

    @property
    def total(self) -> float:
        return self.running + self.first_byte


@dataclass(frozen=True)
class Round:
    """One of each, right after each other."""

    run: Run
    pod: BarePod
    pod_without_volume: BarePod


def measure(kubernetes: Kubernetes, namespace: str, rounds: int) -> list[Round]:
    """Run all in turn, one uncounted round first."""
    run_class = kubernetes.get("/apis/assay.dev/v1alpha1/runclasses/python")["spec"]
    dataset = _load_dataset(kubernetes, namespace)
    try:
        measured = [
            Round(
                _run(kubernetes, namespace, dataset),
                _bare_pod(kubernetes, namespace, run_class, token=True),
                _bare_pod(kubernetes, namespace, run_class, token=False),
            )
            for _ in range(rounds + 1)
        ]
    finally:
        kubernetes.delete(f"{_datasets(namespace)}/{dataset}")
    return measured[1:]


def table(rounds: list[Round]) -> str:
    """Render medians in milliseconds, and the ratios pair by pair."""
    runs = [measured.run for measured in rounds]
    pods = [measured.pod for measured in rounds]
    bare = [measured.pod_without_volume for measured in rounds]
    rows = [
        ("run: create to Pod Running seen", _median([run.pod_running for run in runs])),
        ("run: hello, stage, bind", _median([run.bound for run in runs])),
        ("run: start to first instruction", _median([run.started for run in runs])),
        ("run: first instruction to the end", _median([run.finished for run in runs])),
        ("run: end to output seen by a watcher", _median([run.seen for run in runs])),
        ("run: total", _median([run.total for run in runs])),
        ("bare Pod: create to Running seen", _median([pod.running for pod in pods])),
        ("bare Pod: Running to first output byte", _median([pod.first_byte for pod in pods])),
        ("bare Pod: total", _median([pod.total for pod in pods])),
        ("bare Pod without volumes: total", _median([pod.total for pod in bare])),
    ]
    lines = [f"| {'step':<40} | median ms |", f"|{'-' * 42}|----------:|"]
    lines += [f"| {name:<40} | {value:>9} |" for name, value in rows]
    lines += [
        "",
        _ratios("run / bare Pod", runs, pods),
        _ratios("run / bare Pod without volumes", runs, bare),
    ]
    return "\n".join(lines)


def _ratios(name: str, runs: list[Run], pods: list[BarePod]) -> str:
    ratios = [run.total / pod.total for run, pod in zip(runs, pods, strict=True)]
    return (
        f"{name}, pair by pair: median {statistics.median(ratios):.2f}"
        f" (min {min(ratios):.2f}, max {max(ratios):.2f}, {len(ratios)} pairs)"
    )


def _datasets(namespace: str) -> str:
    return f"/apis/assay.dev/v1alpha1/namespaces/{namespace}/datasets"


def _load_dataset(kubernetes: Kubernetes, namespace: str) -> str:
    name = f"bench-{uuid.uuid4().hex[:8]}"
    source = {"format": "csv", "inline": {"text": "a,b\n1,2\n"}}
    kubernetes.create(
        _datasets(namespace),
        {
            "apiVersion": "assay.dev/v1alpha1",
            "kind": "Dataset",
            "metadata": {"name": name},
            "spec": {"source": source},
        },
    )
    for dataset in kubernetes.watch(_datasets(namespace), f"metadata.name={name}", _WATCH_SECONDS):
        phase = dataset.get("status", {}).get("phase")
        if phase == "Ready":
            return name
        if phase == "Failed":
            raise RuntimeError(f"dataset {name} failed: {dataset['status']['message']}")
    raise RuntimeError(f"the watch of dataset {name} ended before it was ready")


def _run(kubernetes: Kubernetes, namespace: str, dataset: str) -> Run:
    path = f"/apis/assay.dev/v1alpha1/namespaces/{namespace}/analyticsruns"
    name = f"bench-{uuid.uuid4().hex[:8]}"
    began = time.time()
    kubernetes.create(
        path,
        {
            "apiVersion": "assay.dev/v1alpha1",
            "kind": "AnalyticsRun",
            "metadata": {"name": name},
            "spec": {"code": "print('x')", "datasets": [dataset]},
        },
    )
    for run in kubernetes.watch(path, f"metadata.name={name}", _WATCH_SECONDS):
        status: Object = run.get("status", {})
        if "result" in status:
            ended = time.time()
            break
    else:
        raise RuntimeError(f"the watch of run {name} ended before the run")
    if status["result"]["output"] != "x\n":
        raise RuntimeError(f"run {name} answered {status}")
    timings = status["timings"]
    running, bound, started, finished = (
        _epoch(timings[step]) for step in ("podRunning", "bound", "started", "finished")
    )
    kubernetes.delete(f"{path}/{name}")
    return Run(
        pod_running=running - began,
        bound=bound - running,
        started=started - bound,
        finished=finished - started,
        seen=ended - finished,
    )


def _bare_pod(kubernetes: Kubernetes, namespace: str, run_class: Object, *, token: bool) -> BarePod:
    path = f"/api/v1/namespaces/{namespace}/pods"
    name = f"bench-{uuid.uuid4().hex[:8]}"
    resources = run_class["resources"]
    began = time.time()
    kubernetes.create(
        path,
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {
                "restartPolicy": "Never",
                "automountServiceAccountToken": token,
                "enableServiceLinks": False,
                "terminationGracePeriodSeconds": 1,
                "securityContext": {
                    "runAsNonRoot": True,
                    "runAsUser": 65532,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "containers": [
                    {
                        "name": "python",
                        "image": run_class["image"],
                        "imagePullPolicy": run_class.get("imagePullPolicy"),
                        "command": ["python3", "-I", "-c", f"{_IMPORTS}; print('x', flush=True)"],
                        "resources": {
                            "requests": {
                                "cpu": resources.get("cpuRequest", resources["cpu"]),
                                "memory": resources["memory"],
                            },
                            "limits": {"cpu": resources["cpu"], "memory": resources["memory"]},
                        },
                        "securityContext": {
                            "allowPrivilegeEscalation": False,
                            "readOnlyRootFilesystem": True,
                            "capabilities": {"drop": ["ALL"]},
                        },
                    }
                ],
            },
        },
    )
    for pod in kubernetes.watch(path, f"metadata.name={name}", _WATCH_SECONDS):
        if pod.get("status", {}).get("phase") in ("Running", "Succeeded"):
            running = time.time()
            break
    else:
        raise RuntimeError(f"the watch of Pod {name} ended before it ran")
    output = kubernetes.first_bytes(f"{path}/{name}/log?follow=true", _WATCH_SECONDS)
    ended = time.time()
    if output != b"x\n":
        raise RuntimeError(f"Pod {name} printed {output!r}")
    kubernetes.delete(f"{path}/{name}")
    return BarePod(running=running - began, first_byte=ended - running)


def _epoch(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()


def _median(seconds: list[float]) -> int:
    return round(1000 * statistics.median(seconds))
