"""Creates runs at given times, and follows all of them with one watch."""

from __future__ import annotations

from collections.abc import Sequence

from bench.burst import run_ended
from bench.kubernetes import Kubernetes, Object
from bench.subjects import runs_path
from bench.timed_client import Known, TimedClient
from bench.warm.timed_runs import TimedRun, timed_run


class Client(TimedClient[TimedRun]):
    """A user of the runs of one namespace.

    Args:
        kubernetes: the API server.
        namespace: that of the runs.
        connections: how many requests may be on their way at once.
    """

    def __init__(self, kubernetes: Kubernetes, namespace: str, connections: int = 1) -> None:
        path = runs_path(namespace)
        super().__init__(kubernetes, path, "assay.dev/v1alpha1", "AnalyticsRun", connections)

    def run(self, spec: Object) -> TimedRun:
        """Create a run and wait for its end.

        Raises:
            BurstError: if it does not succeed.
            queue.Empty: if nothing happens to it for five minutes.
        """
        return self._create(spec)

    def run_all(self, arrivals: Sequence[float], spec: Object) -> list[TimedRun]:
        """Create runs at these times, whether or not those before have ended, and wait for all.

        Args:
            arrivals: seconds from now, in order.
            spec: that of each run.

        Raises:
            BurstError: if one does not succeed.
            queue.Empty: if nothing happens to those that are left for five minutes.
        """
        return self._create_all(arrivals, spec)

    def run_in_turn(self, count: int, at_once: int, spec: Object) -> list[TimedRun]:
        """Create runs so that a number of them has not ended at any time, and wait for all.

        Args:
            count: how many.
            at_once: how many of them have not ended.
            spec: that of each run.

        Raises:
            BurstError: if one does not succeed.
            queue.Empty: if nothing happens to those that are left for five minutes.
        """
        return self._create_in_turn(count, at_once, spec)

    def _end(self, item: Object, known: Known, at: int) -> TimedRun | None:
        if "pod" in item.get("status", {}):
            known.seen.setdefault("bound", at)
        if not run_ended(item):
            return None
        known.seen["ended"] = at
        return timed_run(item, known.posted, known.acknowledged, known.seen)
