"""Runs or Pods that are created at once, observed until nothing is left of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

from bench.kubernetes import Object

_FAILED = ("Failed", "TimedOut", "Cancelled")


class BurstError(Exception):
    """A run or a Pod did not succeed."""


def run_ended(run: Object) -> bool:
    """Whether a run has its final status; raises BurstError if it did not succeed."""
    status = run.get("status", {})
    # One that was refused has no result.
    if status.get("phase") in _FAILED:
        raise BurstError(f"run {run['metadata']['name']} ended with status {status}")
    return "result" in status


def pod_ended(pod: Object) -> bool:
    """Whether all containers of a Pod have ended; raises BurstError if one failed."""
    phase = pod.get("status", {}).get("phase")
    if phase == "Failed":
        raise BurstError(f"Pod {pod['metadata']['name']} ended with status {pod['status']}")
    return bool(phase == "Succeeded")


class Burst:
    """What is known of objects that were created at once, from the events of a watch."""

    def __init__(
        self, began: float, mine: Callable[[Object], bool], ended: Callable[[Object], bool]
    ) -> None:
        """Nothing is known yet.

        Args:
            began: when the first was created, in monotonic seconds.
            mine: whether an object belongs to the burst.
            ended: whether an object has reached its end.
        """
        self._began = began
        self._mine = mine
        self._ended = ended
        self._seen: dict[str, float] = {}
        self._deleted: set[str] = set()
        self.objects: dict[str, Object] = {}

    def observe(self, event: str, item: Object, at: float) -> str | None:
        """Take in an event of the watch; returns the name of an object that has just ended."""
        if not self._mine(item):
            return None
        name: str = item["metadata"]["name"]
        self.objects[name] = item
        if event == "DELETED":
            self._deleted.add(name)
        if name in self._seen or not self._ended(item):
            return None
        self._seen[name] = at
        return name

    @property
    def ended(self) -> int:
        """How many have reached their end."""
        return len(self._seen)

    @property
    def deleted(self) -> int:
        """How many are gone."""
        return len(self._deleted)

    @property
    def per_second(self) -> float:
        """How many ended per second, from the beginning until the last end was seen."""
        return len(self._seen) / (max(self._seen.values()) - self._began)


def has_name_in(names: Set[str]) -> Callable[[Object], bool]:
    """Whether an object has one of these names."""
    return lambda item: item["metadata"]["name"] in names


def has_owner_in(names: Set[str]) -> Callable[[Object], bool]:
    """Whether an object belongs to one with one of these names."""
    return lambda item: any(
        owner["name"] in names for owner in item["metadata"].get("ownerReferences", [])
    )


def container_names(pods: Iterable[Object]) -> dict[str, str]:
    """The name of each container in the Pods' statuses, by its ID without the runtime's scheme."""
    return {
        status["containerID"].partition("://")[2]: status["name"]
        for pod in pods
        for status in pod.get("status", {}).get("containerStatuses", [])
        if status.get("containerID")
    }
