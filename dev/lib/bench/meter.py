"""What runs cost: writes at the API server, CPU time and memory by part."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.api_writes import Writes, api_writes, writes_per_run
from bench.kubernetes import Kubernetes
from bench.memory import LargestPod, anonymous_bytes, pod_groups
from bench.node import Component, Node, Usage, lasting_pods
from cluster.settings import Paths

_IDLE_SECONDS = 2.0
_IDLE_SAMPLES = 5
_MIB = 1024 * 1024


@dataclass(frozen=True)
class Cost:
    """Of one run: writes, and CPU milliseconds by component less its idle load.

    Attributes:
        mib: memory by component, of all runs: the most that one replica of the operator and of the
            front end has allocated meanwhile, and what the processes of the others have afterwards.
    """

    writes: Mapping[str, Writes]
    cpu_ms: Mapping[str, float]
    mib: Mapping[str, float] = field(default_factory=dict)

    @property
    def api_writes(self) -> float:
        """Of all kinds."""
        return sum(one.count for one in self.writes.values())


class Meter:
    """Reads what the parts of a dev/cluster on this machine use; needs root.

    Make it while there are no idle Pods: later ones count as Pods of runs.
    """

    def __init__(self, kubernetes: Kubernetes, context: str) -> None:
        self._kubernetes = kubernetes
        self._lasting = lasting_pods(kubernetes)
        self._cgroup = Paths(context).cgroup
        self._node = Node(Paths(context), self._lasting)

    def cost(self, runs: int, action: Callable[[], object], *, subtract_idle: bool = True) -> Cost:
        """What `action`, which makes a number of runs, costs.

        Args:
            runs: how many.
            action: makes them.
            subtract_idle: leave out what is used when nothing happens.
        """
        idle = self._idle() if subtract_idle else dict.fromkeys(Component, 0.0)
        writes = self._writes()
        largest = {part: LargestPod(self.groups(part)) for part in self._lasting}
        began, before = time.monotonic(), self._node.usage()
        with contextlib.ExitStack() as stack:
            for pods in largest.values():
                stack.enter_context(pods)
            action()
        elapsed, after = time.monotonic() - began, self._node.usage()
        return Cost(
            writes_per_run(writes, self._writes(), runs),
            {
                part.value: (after[part] - before[part] - idle[part] * elapsed) * 1000 / runs
                for part in after
            },
            {
                **{part.value: pods.mib for part, pods in largest.items()},
                **{part.value: mib for part, mib in self._node.resident_mib().items()},
            },
        )

    def cost_of_each(self, runs: int, action: Callable[[], object]) -> Cost:
        """What `action`, which makes one run, costs; repeats it for a number of runs."""
        return self.cost(runs, lambda: [action() for _ in range(runs)])

    def usage(self) -> Usage:
        """CPU seconds of each component; the differences between two calls are what counts."""
        return self._node.usage()

    def groups(self, part: Component) -> list[list[Path]]:
        """The cgroups of each Pod of the operator or of the front end."""
        return [pod_groups(self._cgroup, uid) for uid in self._lasting[part]]

    def memory_mib(self) -> dict[str, float]:
        """What the operator and the front end have allocated now; all their replicas together."""
        return {
            part.value: sum(
                anonymous_bytes(group) for uid in uids for group in pod_groups(self._cgroup, uid)
            )
            / _MIB
            for part, uids in self._lasting.items()
        }

    def pod_mib(self, pool_label: str) -> float:
        """What an idle Pod of a class has allocated now, on average of all that there are."""
        path = f"/api/v1/pods?labelSelector=assay.dev%2Frun-class%3D{pool_label}"
        groups = [
            group
            for pod in self._kubernetes.get(path)["items"]
            for group in pod_groups(self._cgroup, pod["metadata"]["uid"])
        ]
        return sum(map(anonymous_bytes, groups)) / _MIB / len(groups) if groups else 0.0

    def _writes(self) -> Mapping[str, Writes]:
        return api_writes(self._kubernetes.text("/metrics"))

    def _idle(self) -> Usage:
        """CPU seconds per second of each component while nothing happens.

        The lowest of several samples: Pods of earlier runs may not be gone yet.
        """
        return least([self._rate() for _ in range(_IDLE_SAMPLES)])

    def _rate(self) -> Usage:
        """CPU seconds per second of each component now."""
        began, before = time.monotonic(), self._node.usage()
        time.sleep(_IDLE_SECONDS)
        elapsed, after = time.monotonic() - began, self._node.usage()
        return {part: (after[part] - before[part]) / elapsed for part in after}


def least(usages: Sequence[Usage]) -> Usage:
    """Returns the one whose components have the least CPU time together."""
    return min(usages, key=lambda usage: sum(usage.values()))
