"""How long a cold run takes, beside bare Pods of the same image that import the same.

All are timed from the request that creates them until a watcher holds the first byte of output,
in turn, so that a noisy machine disturbs them alike. Volumes cost a Pod time of their own, for the
kubelet looks every 300 ms whether they are mounted. So there are three bare Pods: with an emptyDir
to write to, as a run has; as `kubectl run` makes it, with its service account's token; and with no
volume at all.
"""

from __future__ import annotations

import enum
import statistics
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bench.kubernetes import Kubernetes, Object
from bench.runs import run_to_end
from bench.subjects import IMPORTS

_WATCH_SECONDS = 120.0


@dataclass(frozen=True)
class Run:
    """Seconds of one cold run, each from the step before."""

    pod_running: float
    bound: float
    started: float
    finished: float
    seen: float
    # From the last instruction of the code; overlaps with the two before.
    answered: float

    @property
    def total(self) -> float:
        """From the create request to the output at the watcher."""
        return self.pod_running + self.bound + self.started + self.finished + self.seen


@dataclass(frozen=True)
class BarePod:
    """Seconds of one bare Pod."""

    running: float
    first_byte: float

    @property
    def total(self) -> float:
        return self.running + self.first_byte


class Volumes(enum.Enum):
    """What a bare Pod mounts."""

    SCRATCH = "bare Pod with scratch"
    TOKEN = "bare Pod as kubectl run makes it"
    NONE = "bare Pod without volumes"


@dataclass(frozen=True)
class Round:
    """One of each, in immediate succession."""

    run: Run
    run_over_data: Run
    pods: dict[Volumes, BarePod]


def measure(kubernetes: Kubernetes, namespace: str, rounds: int) -> list[Round]:
    """Run all in turn, one uncounted round first."""
    run_class = kubernetes.get("/apis/assay.dev/v1alpha1/runclasses/python")["spec"]
    dataset = _load_dataset(kubernetes, namespace)
    try:
        measured = [
            Round(
                _run(kubernetes, namespace, []),
                _run(kubernetes, namespace, [dataset]),
                {kind: _bare_pod(kubernetes, namespace, run_class, kind) for kind in Volumes},
            )
            for _ in range(rounds + 1)
        ]
    finally:
        kubernetes.delete(f"{_datasets(namespace)}/{dataset}")
    return measured[1:]


def table(rounds: list[Round]) -> str:
    """Render medians in milliseconds, and the ratios pair by pair."""
    runs = [measured.run for measured in rounds]
    rows = [
        ("run: create to its Pod seen reachable", [run.pod_running for run in runs]),
        ("run: hello, stage, bind", [run.bound for run in runs]),
        ("run: start to first instruction", [run.started for run in runs]),
        ("run: first instruction to the end", [run.finished for run in runs]),
        ("run: end to output seen by a watcher", [run.seen for run in runs]),
        ("run: last instruction to output seen", [run.answered for run in runs]),
        ("run: total", [run.total for run in runs]),
        ("run over a dataset: total", [measured.run_over_data.total for measured in rounds]),
    ]
    rows += [
        (f"{kind.value}: total", [measured.pods[kind].total for measured in rounds])
        for kind in Volumes
    ]
    lines = [f"| {'step':<40} | median ms |", f"|{'-' * 42}|----------:|"]
    lines += [f"| {name:<40} | {_median(seconds):>9} |" for name, seconds in rows]
    lines.append("")
    for kind in Volumes:
        pods = [measured.pods[kind] for measured in rounds]
        lines.append(_ratios(f"run / {kind.value}", runs, pods))
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
    dataset = kubernetes.wait(
        _datasets(namespace), name, _phase_is("Ready", "Failed"), _WATCH_SECONDS
    )
    if dataset["status"]["phase"] == "Failed":
        raise RuntimeError(f"dataset {name} failed: {dataset['status']['message']}")
    return name


def _run(kubernetes: Kubernetes, namespace: str, datasets: list[str]) -> Run:
    spec = {"code": "import time; print(time.time())", "datasets": datasets}
    run = run_to_end(kubernetes, namespace, spec, _WATCH_SECONDS)
    printed_at = float(run.status["result"]["output"])
    timings = run.status["timings"]
    running, bound, started, finished = (
        _epoch(timings[step]) for step in ("podRunning", "bound", "started", "finished")
    )
    return Run(
        pod_running=running - run.began,
        bound=bound - running,
        started=started - bound,
        finished=finished - started,
        seen=run.seen - finished,
        answered=run.seen - printed_at,
    )


def _bare_pod(
    kubernetes: Kubernetes, namespace: str, run_class: Object, volumes: Volumes
) -> BarePod:
    path = f"/api/v1/namespaces/{namespace}/pods"
    name = f"bench-{uuid.uuid4().hex[:8]}"
    resources = run_class["resources"]
    scratch: list[Object] = (
        [{"name": "scratch", "emptyDir": {"medium": "Memory"}}]
        if volumes is Volumes.SCRATCH
        else []
    )
    began = time.time()
    kubernetes.create(
        path,
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {
                "restartPolicy": "Never",
                "automountServiceAccountToken": volumes is Volumes.TOKEN,
                "volumes": scratch,
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
                        "volumeMounts": [
                            {"name": volume["name"], "mountPath": "/scratch"} for volume in scratch
                        ],
                        "command": ["python3", "-I", "-c", f"{IMPORTS}; print('x', flush=True)"],
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
    kubernetes.wait(path, name, _phase_is("Running", "Succeeded"), _WATCH_SECONDS)
    running = time.time()
    output = kubernetes.first_line(f"{path}/{name}/log?follow=true", _WATCH_SECONDS)
    ended = time.time()
    if output != b"x\n":
        raise RuntimeError(f"Pod {name} printed {output!r}")
    kubernetes.delete(f"{path}/{name}")
    return BarePod(running=running - began, first_byte=ended - running)


def _phase_is(*phases: str) -> Callable[[Object], bool]:
    return lambda item: item.get("status", {}).get("phase") in phases


def _epoch(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()


def _median(seconds: list[float]) -> int:
    return round(1000 * statistics.median(seconds))
