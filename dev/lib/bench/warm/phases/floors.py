"""What two writes of a run and a watch take without the operator: no run can be faster."""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from bench.kubernetes import Connection, Kubernetes, Object
from bench.report.result import Result
from bench.subjects import runs_path
from bench.warm.phases import Setting

# No run namespace: nobody takes these runs.
_NAMESPACE = "default"
_KIB = 1024
_SIZES = (1, 200)
_UNCOUNTED = 3
_SECONDS = 60.0


def measure(setting: Setting) -> Iterator[Result]:
    """Runs with 1 and with 200 KiB of code, one at a time."""
    samples: dict[str, list[float]] = {}
    connection = setting.kubernetes.connect()
    with _watch(setting.kubernetes) as seen:
        for kib in _SIZES:
            for number in range(setting.rounds + _UNCOUNTED):
                for part, milliseconds in _one(setting.kubernetes, connection, seen, kib).items():
                    if number >= _UNCOUNTED:
                        samples.setdefault(f"{kib} KiB of code: {part}", []).append(milliseconds)
        yield Result("floors", samples, {})


def _one(
    kubernetes: Kubernetes,
    connection: Connection,
    seen: queue.SimpleQueue[tuple[str, str, int]],
    kib: int,
) -> dict[str, float]:
    name = f"bench-{uuid.uuid4().hex[:8]}"
    path = runs_path(_NAMESPACE)
    run = {
        "apiVersion": "assay.dev/v1alpha1",
        "kind": "AnalyticsRun",
        "metadata": {"name": name},
        "spec": {"code": "#" * (kib * _KIB)},
    }
    posted = time.time_ns()
    connection.send("POST", path, run)
    connection.receive()
    acknowledged = time.time_ns()
    watched = _seen(seen, name, "ADDED")
    status = {"status": {"phase": "Pending", "reason": "WaitingForPod", "message": "x" * 100}}
    began = time.time_ns()
    connection.send("PATCH", f"{path}/{name}/status", status)
    connection.receive()
    patched = time.time_ns()
    patch_watched = _seen(seen, name, "MODIFIED")
    kubernetes.delete(f"{path}/{name}")
    return {
        "POST": (acknowledged - posted) / 1e6,
        "POST to seen by a watch": (watched - posted) / 1e6,
        "PATCH of status": (patched - began) / 1e6,
        "PATCH of status to seen by a watch": (patch_watched - began) / 1e6,
    }


def _seen(seen: queue.SimpleQueue[tuple[str, str, int]], name: str, event: str) -> int:
    while True:
        what, whose, at = seen.get(timeout=_SECONDS)
        if (what, whose) == (event, name):
            return at


@contextmanager
def _watch(kubernetes: Kubernetes) -> Iterator[queue.SimpleQueue[tuple[str, str, int]]]:
    """Type, name and time of each event; what is left of runs is deleted at the end."""
    path = runs_path(_NAMESPACE)
    version = kubernetes.get(f"{path}?limit=1")["metadata"]["resourceVersion"]
    seen: queue.SimpleQueue[tuple[str, str, int]] = queue.SimpleQueue()

    def follow() -> None:
        for event, item in kubernetes.watch(path, version, 3600.0, timeoutSeconds="3600"):
            seen.put((event, _name(item), time.time_ns()))

    threading.Thread(target=follow, daemon=True).start()
    try:
        yield seen
    finally:
        for item in kubernetes.get(path)["items"]:
            if _name(item).startswith("bench-"):
                kubernetes.delete(f"{path}/{_name(item)}")


def _name(item: Object) -> str:
    name: str = item["metadata"]["name"]
    return name
