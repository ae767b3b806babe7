"""Creates runs at given times, and follows all of them with one watch."""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from bench.burst import run_ended
from bench.kubernetes import Connection, Kubernetes, Object
from bench.subjects import runs_path
from bench.warm.timed_runs import TimedRun, timed_run

_LABEL = "bench.assay.dev/client"
_SECONDS_BETWEEN_EVENTS = 300.0
_WATCH_SECONDS = 3600.0


@dataclass
class _Known:
    """What is known of a run so far."""

    posted: int
    acknowledged: int | None = None
    seen: dict[str, int] = field(default_factory=dict)


class Client:
    """A user of one namespace, with connections that are open before they are needed.

    A context manager, which deletes its runs at the end.

    Args:
        kubernetes: the API server.
        namespace: that of the runs.
        connections: how many requests may be on their way at once.
    """

    def __init__(self, kubernetes: Kubernetes, namespace: str, connections: int = 1) -> None:
        self._kubernetes = kubernetes
        self._path = runs_path(namespace)
        self._id = uuid.uuid4().hex[:8]
        self._connections = [kubernetes.connect() for _ in range(connections)]
        self._known: dict[str, _Known] = {}
        self._ended: dict[str, TimedRun] = {}
        self._events: queue.SimpleQueue[tuple[str, Object, int]] = queue.SimpleQueue()
        self._watch()

    def run(self, spec: Object) -> TimedRun:
        """Create a run and wait for its end.

        Raises:
            BurstError: if it does not succeed.
            queue.Empty: if nothing happens to it for five minutes.
        """
        connection = self._connections[0]
        connection.keep_open()
        name = self._send(connection, spec)
        connection.receive()
        self._known[name].acknowledged = time.time_ns()
        return self._results([name])[0]

    def run_all(self, arrivals: Sequence[float], spec: Object) -> list[TimedRun]:
        """Create runs at these times, whether or not those before have ended, and wait for all.

        Args:
            arrivals: seconds from now, in order.
            spec: that of each run.

        Raises:
            BurstError: if one does not succeed.
            queue.Empty: if nothing happens to those that are left for five minutes.
        """
        began = time.monotonic()
        names = []
        for number, arrival in enumerate(arrivals):
            connection = self._connections[number % len(self._connections)]
            if connection.is_waiting:
                connection.receive()
            connection.keep_open()
            time.sleep(max(0.0, began + arrival - time.monotonic()))
            names.append(self._send(connection, spec))
        for connection in self._connections:
            if connection.is_waiting:
                connection.receive()
        return self._results(names)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Delete all runs of this client."""
        self._kubernetes.delete(f"{self._path}?labelSelector={_LABEL}%3D{self._id}")

    def _send(self, connection: Connection, spec: Object) -> str:
        name = f"bench-{uuid.uuid4().hex[:8]}"
        run = {
            "apiVersion": "assay.dev/v1alpha1",
            "kind": "AnalyticsRun",
            "metadata": {"name": name, "labels": {_LABEL: self._id}},
            "spec": spec,
        }
        self._known[name] = _Known(time.time_ns())
        connection.send("POST", self._path, run)
        return name

    def _results(self, names: Sequence[str]) -> list[TimedRun]:
        while not all(name in self._ended for name in names):
            self._observe(*self._events.get(timeout=_SECONDS_BETWEEN_EVENTS))
        return [self._ended[name] for name in names]

    def _observe(self, event: str, run: Object, at: int) -> None:
        name = run["metadata"]["name"]
        known = self._known.get(name)
        if known is None or event == "DELETED" or name in self._ended:
            return
        known.seen.setdefault("created", at)
        if "pod" in run.get("status", {}):
            known.seen.setdefault("bound", at)
        if run_ended(run):
            known.seen["ended"] = at
            self._ended[name] = timed_run(run, known.posted, known.acknowledged, known.seen)

    def _watch(self) -> None:
        """Put the events of the client's runs into the queue, in a thread of its own."""
        version = self._kubernetes.get(f"{self._path}?limit=1")["metadata"]["resourceVersion"]
        events = self._kubernetes.watch(
            self._path,
            version,
            _WATCH_SECONDS,
            timeoutSeconds=str(round(_WATCH_SECONDS)),
            labelSelector=f"{_LABEL}={self._id}",
        )

        def run() -> None:
            for event, item in events:
                self._events.put((event, item, time.time_ns()))

        threading.Thread(target=run, daemon=True).start()
