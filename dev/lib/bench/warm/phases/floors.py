"""What two writes of a run and a watch take without the operator: no run can be faster."""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from bench.kubernetes import Connection, Kubernetes, Object, follow_new
from bench.report.result import Result
from bench.subjects import runs_path
from bench.warm.phases import Setting

# No run namespace: nobody takes these runs.
_NAMESPACE = "default"
_KIB = 1024
_SIZES = (1, 200)
_AT_ONCE = (20, 100)
_UNCOUNTED = 3
_SECONDS = 60.0
_PATH = runs_path(_NAMESPACE)
_STATUS: Object = {"status": {"phase": "Pending", "reason": "WaitingForPod", "message": "x" * 100}}


def measure(setting: Setting) -> Iterator[Result]:
    """Runs with 1 and with 200 KiB of code, one at a time, and 20 and 100 at once."""
    samples: dict[str, list[float]] = {}
    connection = setting.kubernetes.connect()
    with _watch(setting.kubernetes) as seen:
        for kib in _SIZES:
            for number in range(setting.rounds + _UNCOUNTED):
                for part, milliseconds in _one(setting.kubernetes, connection, seen, kib).items():
                    if number >= _UNCOUNTED:
                        samples.setdefault(f"{kib} KiB of code: {part}", []).append(milliseconds)
        for count in _AT_ONCE:
            part = f"{count} at once: POST to PATCH of status"
            samples[part] = _at_once(setting.kubernetes, count)
        yield Result("floors", samples, {})


def _at_once(kubernetes: Kubernetes, count: int) -> list[float]:
    """What both writes of each take when many runs are created at once; `_watch` deletes these."""
    with ThreadPoolExecutor(count) as threads:
        connections = [kubernetes.connect() for _ in range(count)]
        together = threading.Barrier(count)

        def write(connection: Connection) -> float:
            name = _new_name()
            together.wait(_SECONDS)
            began = time.time_ns()
            _write(connection, "POST", _PATH, _run(name, 1))
            _write(connection, "PATCH", f"{_PATH}/{name}/status", _STATUS)
            return (time.time_ns() - began) / 1e6

        return list(threads.map(write, connections))


def _one(
    kubernetes: Kubernetes,
    connection: Connection,
    seen: queue.SimpleQueue[tuple[str, str, int]],
    kib: int,
) -> dict[str, float]:
    name = _new_name()
    posted = time.time_ns()
    _write(connection, "POST", _PATH, _run(name, kib))
    acknowledged = time.time_ns()
    watched = _seen(seen, name, "ADDED")
    began = time.time_ns()
    _write(connection, "PATCH", f"{_PATH}/{name}/status", _STATUS)
    patched = time.time_ns()
    patch_watched = _seen(seen, name, "MODIFIED")
    kubernetes.delete(f"{_PATH}/{name}")
    return {
        "POST": (acknowledged - posted) / 1e6,
        "POST to seen by a watch": (watched - posted) / 1e6,
        "PATCH of status": (patched - began) / 1e6,
        "PATCH of status to seen by a watch": (patch_watched - began) / 1e6,
    }


def _new_name() -> str:
    return f"bench-{uuid.uuid4().hex[:8]}"


def _run(name: str, kib: int) -> Object:
    return {
        "apiVersion": "assay.dev/v1alpha1",
        "kind": "AnalyticsRun",
        "metadata": {"name": name},
        "spec": {"code": "#" * (kib * _KIB)},
    }


def _write(connection: Connection, method: str, path: str, body: Object) -> None:
    connection.send(method, path, body)
    connection.receive()


def _seen(seen: queue.SimpleQueue[tuple[str, str, int]], name: str, event: str) -> int:
    while True:
        what, whose, at = seen.get(timeout=_SECONDS)
        if (what, whose) == (event, name):
            return at


@contextmanager
def _watch(kubernetes: Kubernetes) -> Iterator[queue.SimpleQueue[tuple[str, str, int]]]:
    """Type, name and time of each event; what is left of runs is deleted at the end."""
    events = follow_new(kubernetes, _PATH, 3600.0)
    seen: queue.SimpleQueue[tuple[str, str, int]] = queue.SimpleQueue()

    def follow() -> None:
        for event, item in events:
            seen.put((event, _name(item), time.time_ns()))

    threading.Thread(target=follow, daemon=True).start()
    try:
        yield seen
    finally:
        for item in kubernetes.get(_PATH)["items"]:
            if _name(item).startswith("bench-"):
                kubernetes.delete(f"{_PATH}/{_name(item)}")


def _name(item: Object) -> str:
    name: str = item["metadata"]["name"]
    return name
