"""Runs that somebody else has created, such as the front end, known by their class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bench.kubernetes import Kubernetes, Object
from bench.subjects import runs_path


class RunsOfClass:
    """All kept runs of one class in one namespace.

    Args:
        kubernetes: the API server.
        namespace: that of the runs.
        name: of the class, which nobody else uses.
    """

    def __init__(self, kubernetes: Kubernetes, namespace: str, name: str) -> None:
        self._kubernetes = kubernetes
        self._path = runs_path(namespace)
        self._name = name

    def pods(self) -> dict[str, bool]:
        """The Pods that they have had, and whether each was a warm one."""
        return pods_had(self._kubernetes.get(self._path)["items"], self._name)


def pods_had(runs: Iterable[Object], class_name: str) -> dict[str, bool]:
    """The Pods of the runs of a class, by name, and whether they existed before their runs."""
    return {
        run["status"]["pod"]["name"]: run["status"]["pod"]["warm"]
        for run in runs
        if run["spec"].get("className") == class_name and "pod" in run.get("status", {})
    }


def warm_share(pods: Mapping[str, bool], calls: int) -> float:
    """The share of a number of calls, each of which made one run, that got a warm Pod.

    Raises:
        ValueError: if there are fewer runs or more, as where a call is answered from a cache.
    """
    if len(pods) != calls:
        raise ValueError(f"{calls} calls made {len(pods)} runs that had a Pod")
    return sum(pods.values()) / calls
