"""Creates runs or Pods at once and follows them until nothing is left."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from bench.burst import Burst, has_name_in, has_owner_in
from bench.kubernetes import Kubernetes, Object, follow_new
from bench.subjects import Runs, Subject, pods_path, runs_path

_SECONDS_BETWEEN_EVENTS = 120.0
_WATCH_SECONDS = 6 * 3600


class Bursts:
    """Bursts in one namespace, which is watched all the time: that is part of its idle load."""

    def __init__(self, kubernetes: Kubernetes, namespace: str) -> None:
        self._pods_path = pods_path(namespace)
        self._events: queue.SimpleQueue[tuple[str, str, Object, float]] = queue.SimpleQueue()
        for path in (self._pods_path, runs_path(namespace)):
            self._watch(kubernetes, path)

    def execute(self, subject: Subject, count: int) -> tuple[Burst, Burst]:
        """Return what was seen of the subject's objects and of their Pods, which are all gone.

        Raises:
            BurstError: if one of them does not succeed.
            queue.Empty: if nothing happens for two minutes.
        """
        began = time.monotonic()
        with ThreadPoolExecutor(count) as pool:
            names = frozenset(pool.map(lambda _: subject.create(), range(count)))
        burst = pods = Burst(began, has_name_in(names), subject.ended)
        if isinstance(subject, Runs):
            pods = Burst(began, has_owner_in(names), lambda _: False)
        bursts = {self._pods_path: pods, subject.path: burst}

        def follow(complete: Callable[[], bool]) -> None:
            while not complete():
                path, event, item, at = self._events.get(timeout=_SECONDS_BETWEEN_EVENTS)
                if path in bursts:
                    ended = bursts[path].observe(event, item, at)
                    if ended is not None:
                        subject.after_end(ended)

        follow(lambda: burst.ended == count and pods.deleted == count)
        for name in names:
            subject.remove(name)
        follow(lambda: burst.deleted == count)
        return burst, pods

    def _watch(self, kubernetes: Kubernetes, path: str) -> None:
        """Put the events of a collection from now on into the queue, in a thread of its own."""
        events = follow_new(kubernetes, path, _WATCH_SECONDS)

        def run() -> None:
            for event, item in events:
                self._events.put((path, event, item, time.monotonic()))

        threading.Thread(target=run, daemon=True).start()
