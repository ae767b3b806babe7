"""Memory of Pods on this machine, without the page cache."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from bench.cpu import CGROUP_MOUNT, GoneError, text_of
from bench.periodic import Periodic

_PAUSE_SECONDS = 0.2
_MIB = 1024 * 1024


def pod_groups(cgroup: str | Path, uid: str, mount: Path = CGROUP_MOUNT) -> list[Path]:
    """The cgroups of a Pod that account for memory."""
    hierarchy = mount if (mount / "cgroup.controllers").exists() else mount / "memory"
    pods = hierarchy / cgroup / "kubepods"
    # Those of guaranteed quality of service have no level of their own.
    return [*pods.glob(f"pod{uid}/"), *pods.glob(f"*/pod{uid}/")]


def anonymous_bytes(group: Path) -> int:
    """What the processes of a cgroup have allocated; raises GoneError."""
    for line in text_of(group / "memory.stat").splitlines():
        name, _, value = line.partition(" ")
        # Versions 2 and 1 of cgroups.
        if name in ("anon", "total_rss"):
            return int(value)
    raise ValueError(f"{group}/memory.stat has neither anon nor total_rss")


def resident_bytes(status: str) -> int:
    """What a process has in memory, from the text of /proc/PID/status."""
    for line in status.splitlines():
        name, _, value = line.partition(":")
        if name == "VmRSS":
            return int(value.split()[0]) * 1024
    raise ValueError("a process without VmRSS has no memory of its own")


class PeakMemory(Periodic):
    """The most that cgroups have had together."""

    def __init__(self, groups: Sequence[Path]) -> None:
        super().__init__(_PAUSE_SECONDS)
        self._groups = groups
        self.first = self.peak = self._sum()

    def _sum(self) -> int:
        return sum(anonymous_bytes(group) for group in self._groups)

    def read(self) -> bool:
        """Read once; False if a cgroup is gone."""
        try:
            self.peak = max(self.peak, self._sum())
        except GoneError:
            return False
        return True


class LargestPod(Periodic):
    """The most that one of several Pods has had: of replicas, that of the leader.

    Args:
        pods: the cgroups of each.
    """

    def __init__(self, pods: Sequence[Sequence[Path]]) -> None:
        super().__init__(_PAUSE_SECONDS)
        self._pods = pods
        self.peak = 0

    @property
    def mib(self) -> float:
        """The most so far."""
        return self.peak / _MIB

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, traceback)
        # What is shorter than a pause was not read yet.
        self.read()

    def read(self) -> bool:
        """Read once; False if a cgroup is gone."""
        try:
            for groups in self._pods:
                self.peak = max(self.peak, sum(map(anonymous_bytes, groups)))
        except GoneError:
            return False
        return True
