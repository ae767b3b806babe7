"""Creates objects of one kind at given times, and follows all of them with one watch."""

from __future__ import annotations

import contextlib
import http.client
import queue
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

from bench.kubernetes import ApiError, Connection, Kubernetes, Object, follow_new
from cluster.waiting import wait_for

_LABEL = "bench.assay.dev/client"
_SECONDS_BETWEEN_EVENTS = 300.0
_WATCH_SECONDS = 3600.0
_DELETE_SECONDS = 600.0

Ended = TypeVar("Ended")


@dataclass
class Known:
    """What is known of an object so far, in epoch nanoseconds.

    Attributes:
        posted: just before the request that created it.
        acknowledged: when the API server had answered; None if nobody waited for that.
        seen: when the watch showed what, by a name for it.
    """

    posted: int
    acknowledged: int | None = None
    seen: dict[str, int] = field(default_factory=dict)


class TimedClient(ABC, Generic[Ended]):
    """A user of one collection, with connections that stay open.

    One that was idle for too long is opened again just before a request. That delays the request,
    and does not count.

    A context manager, which deletes its objects at the end. `Ended` is what is known of an object
    that has reached what it was created for.

    Args:
        kubernetes: the API server.
        path: the API server's collection.
        api_version: of the objects.
        kind: of the objects.
        connections: how many requests may be on their way at once.
    """

    def __init__(
        self, kubernetes: Kubernetes, path: str, api_version: str, kind: str, connections: int
    ) -> None:
        self._kubernetes = kubernetes
        self._path = path
        self._type = {"apiVersion": api_version, "kind": kind}
        self._id = uuid.uuid4().hex[:8]
        self._connections = [kubernetes.connect() for _ in range(connections)]
        self._known: dict[str, Known] = {}
        self._ended: dict[str, Ended] = {}
        self._events: queue.SimpleQueue[tuple[str, Object, int] | Exception] = queue.SimpleQueue()
        self._watch()

    @abstractmethod
    def _end(self, item: Object, known: Known, at: int) -> Ended | None:
        """Take in a state of an object that the watch has shown; what is known once it has ended.

        Raises:
            BurstError: if it will not reach what it was created for.
        """

    def _create(self, spec: Object) -> Ended:
        """Create an object and wait for its end; queue.Empty if nothing happens for 5 minutes."""
        connection = self._connections[0]
        connection.keep_open()
        name = self._send(connection, spec)
        connection.receive()
        self._known[name].acknowledged = time.time_ns()
        return self._results([name])[0]

    def _create_all(self, arrivals: Sequence[float], spec: Object) -> list[Ended]:
        """Create objects at these times, whether or not those before have ended; wait for all.

        queue.Empty if nothing happens to those that are left for five minutes.
        """
        began = time.monotonic()
        names = []
        for number, arrival in enumerate(arrivals):
            time.sleep(max(0.0, began + arrival - time.monotonic()))
            # Not before: while one waits for an arrival, the server may close it.
            connection = self._free_connection(number)
            names.append(self._send(connection, spec))
        self._receive_all()
        return self._results(names)

    def _create_in_turn(self, count: int, at_once: int, spec: Object) -> list[Ended]:
        """Create objects so that a number of them has not ended at any time; wait for all.

        queue.Empty if nothing happens to those that are left for five minutes.
        """
        names: list[str] = []
        ended = 0
        while ended < count:
            while len(names) < min(count, ended + at_once):
                names.append(self._send(self._free_connection(len(names)), spec))
            self._receive_all()
            ended += self._await_end()
        return [self._ended[name] for name in names]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Delete all objects of this client; ClusterError if some are left after ten minutes."""
        wait_for("the end of all objects of a client", self._deletes_all, seconds=_DELETE_SECONDS)

    def _deletes_all(self) -> bool:
        """Whether nothing is left after another try.

        Of thousands the API server deletes a part before the time of a request is over, and may
        answer late then.
        """
        path = f"{self._path}?labelSelector={_LABEL}%3D{self._id}"
        with contextlib.suppress(ApiError, OSError, http.client.HTTPException):
            self._kubernetes.delete(path)
        try:
            return not self._kubernetes.get(f"{path}&limit=1")["items"]
        except (ApiError, OSError, http.client.HTTPException):
            return False

    def _free_connection(self, number: int) -> Connection:
        """One whose last answer has been received."""
        connection = self._connections[number % len(self._connections)]
        if connection.is_waiting:
            connection.receive()
        connection.keep_open()
        return connection

    def _receive_all(self) -> None:
        for connection in self._connections:
            if connection.is_waiting:
                connection.receive()

    def _send(self, connection: Connection, spec: Object) -> str:
        name = f"bench-{uuid.uuid4().hex[:8]}"
        metadata = {"name": name, "labels": {_LABEL: self._id}}
        item = {**self._type, "metadata": metadata, "spec": spec}
        self._known[name] = Known(time.time_ns())
        connection.send("POST", self._path, item)
        return name

    def _results(self, names: Sequence[str]) -> list[Ended]:
        left = sum(name not in self._ended for name in names)
        while left > 0:
            left -= self._await_end()
        return [self._ended[name] for name in names]

    def _await_end(self) -> int:
        """Wait until something happens; returns how many objects have ended by it.

        Raises:
            Exception: what has ended the watch.
        """
        before = len(self._ended)
        event = self._events.get(timeout=_SECONDS_BETWEEN_EVENTS)
        if isinstance(event, Exception):
            raise event
        self._observe(*event)
        return len(self._ended) - before

    def _observe(self, event: str, item: Object, at: int) -> None:
        name = item["metadata"]["name"]
        known = self._known.get(name)
        if known is None or event == "DELETED" or name in self._ended:
            return
        known.seen.setdefault("created", at)
        ended = self._end(item, known, at)
        if ended is not None:
            self._ended[name] = ended

    def _watch(self) -> None:
        """Put the events of the client's objects into the queue, in a thread of its own.

        So is the error that ends the watch. Once the client is closed nobody reads it: a phase may
        delete the CRD of the objects then.
        """
        label = f"{_LABEL}={self._id}"
        events = follow_new(self._kubernetes, self._path, _WATCH_SECONDS, labelSelector=label)

        def run() -> None:
            try:
                for event, item in events:
                    self._events.put((event, item, time.time_ns()))
            except Exception as error:
                self._events.put(error)

        threading.Thread(target=run, daemon=True).start()
