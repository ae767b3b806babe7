"""The Pods of the tool gateway: their lines about calls, their memory, and their restarts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from bench.kubernetes import Kubernetes, Object
from bench.memory import pod_groups
from bench.subjects import pods_path
from cluster.settings import SYSTEM_NAMESPACE, Paths
from cluster.waiting import wait_for

_COMPONENT = "app.kubernetes.io/component"
# Before the run was created, by the clock of the machine.
_LOG_SLACK_SECONDS = 5
# Until the lines of all calls can be read.
_LOG_SECONDS = 10.0


class Components:
    """Pods of Assay itself, by the names of its components.

    Args:
        kubernetes: the API server.
        context: name of the dev/cluster.
    """

    def __init__(self, kubernetes: Kubernetes, context: str) -> None:
        self._kubernetes = kubernetes
        self._cgroup = Paths(context).cgroup

    def pods(self, component: str) -> list[Object]:
        """Those of a component; RuntimeError if there are none."""
        path = f"{pods_path(SYSTEM_NAMESPACE)}?labelSelector={_COMPONENT}%3D{component}"
        found: list[Object] = self._kubernetes.get(path)["items"]
        if not found:
            raise RuntimeError(f"no Pod of {component} in {SYSTEM_NAMESPACE}: switch it on")
        return found

    def groups(self, component: str) -> list[list[Path]]:
        """The cgroups of each of them that account for memory."""
        return [pod_groups(self._cgroup, pod["metadata"]["uid"]) for pod in self.pods(component)]

    def restarts(self, component: str) -> int:
        """How often containers of them were started again."""
        return sum(
            status["restartCount"]
            for pod in self.pods(component)
            for status in pod["status"].get("containerStatuses", [])
        )

    def calls_at_gateway(self, run_uid: str, count: int, seconds: float) -> dict[int, float]:
        """When the gateway began each call of a run, in epoch milliseconds, by its number.

        Args:
            run_uid: UID of the run.
            count: how many calls it made; ClusterError if the logs do not show as many.
            seconds: how long ago it was created, at most.
        """
        since = round(seconds + _LOG_SECONDS) + _LOG_SLACK_SECONDS
        found: dict[int, float] = {}

        def has_all() -> bool:
            for pod in self.pods("tool-gateway"):
                path = f"{pods_path(SYSTEM_NAMESPACE)}/{pod['metadata']['name']}/log"
                log = self._kubernetes.text(f"{path}?sinceSeconds={since}")
                found.update(calls_in_log(log.splitlines(), run_uid))
            return len(found) >= count

        # A line may be written after the call has been answered.
        wait_for(f"the lines of {count} calls of a run", has_all, seconds=_LOG_SECONDS)
        return found


def calls_in_log(lines: Iterable[str], run_uid: str) -> dict[int, float]:
    """When each call of a run began, in epoch milliseconds, by its number; other lines pass."""
    marked = (line for line in lines if line.startswith("{") and run_uid in line)
    calls: Iterable[Mapping[str, object]] = map(json.loads, marked)
    return {
        int(str(call["call"])): epoch_ms(str(call["time"]))
        for call in calls
        if call.get("run") == run_uid
    }


def epoch_ms(timestamp: str) -> float:
    """Milliseconds since the epoch of a time as RFC 3339 has it."""
    return datetime.fromisoformat(timestamp).timestamp() * 1000
