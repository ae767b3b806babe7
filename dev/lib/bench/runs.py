"""AnalyticsRuns that are created for measurements."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from datetime import datetime

from bench.kubernetes import Kubernetes, Object


@dataclass(frozen=True)
class Ended:
    """A run that has ended: its status, and when it was requested and its end was observed."""

    status: Object
    began: float
    seen: float


def seconds_between(status: Object, first: str, last: str) -> float:
    """Seconds between two steps of a run."""
    times = [datetime.fromisoformat(status["timings"][step]) for step in (first, last)]
    return (times[1] - times[0]).total_seconds()


def run_to_end(kubernetes: Kubernetes, namespace: str, spec: Object, seconds: float) -> Ended:
    """Create a run, watch it to its end and delete it; RuntimeError if it does not succeed."""
    path = f"/apis/assay.dev/v1alpha1/namespaces/{namespace}/analyticsruns"
    name = f"bench-{uuid.uuid4().hex[:8]}"
    began = time.time()
    kubernetes.create(
        path,
        {
            "apiVersion": "assay.dev/v1alpha1",
            "kind": "AnalyticsRun",
            "metadata": {"name": name},
            "spec": spec,
        },
    )
    run = kubernetes.wait(path, name, lambda run: "result" in run.get("status", {}), seconds)
    seen = time.time()
    status: Object = run["status"]
    kubernetes.delete(f"{path}/{name}")
    if status["phase"] != "Succeeded":
        raise RuntimeError(f"run {name} ended with status {status}")
    return Ended(status, began, seen)
