"""The class of scripts, whose warm Pods and number of runs a measurement sets and gives back."""

from __future__ import annotations

from typing import Self

from bench.kubernetes import Kubernetes, Object
from bench.warm_pool import CLASSES, Pool

NAME = "javascript"
# What is set, and given back.
_FIELDS = ("warmPool", "maxConcurrentRuns")


class ScriptClass:
    """The class of the chart, since `code_execution` uses no other; restored when it is left.

    Args:
        kubernetes: the API server.
        namespace: that of the runs.
    """

    def __init__(self, kubernetes: Kubernetes, namespace: str) -> None:
        self._kubernetes = kubernetes
        self._path = f"{CLASSES}/{NAME}"
        self._before = settings(kubernetes.get(self._path)["spec"])
        self.pool = Pool(kubernetes, namespace, NAME)

    def allow(self, at_once: int) -> None:
        """Let a namespace have this many of its runs at a time."""
        self._kubernetes.merge(self._path, {"spec": {"maxConcurrentRuns": at_once}})

    def reset(self) -> None:
        """Have no warm Pods, and as many runs at a time as before the measurement."""
        changes = {"warmPool": None, "maxConcurrentRuns": self._before["maxConcurrentRuns"]}
        self._kubernetes.merge(self._path, {"spec": changes})
        self.pool.size = 0

    def __enter__(self) -> Self:
        self.reset()
        return self

    def __exit__(self, *_: object) -> None:
        # A patch merges what is left of the pool, so that it goes first.
        self.reset()
        self._kubernetes.merge(self._path, {"spec": self._before})


def settings(spec: Object) -> Object:
    """A patch that gives a class its fields back; null removes one that it did not have."""
    return {name: spec.get(name) for name in _FIELDS}
