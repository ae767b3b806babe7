"""Memory of Pods on this machine, without the page cache."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from bench.cpu import CGROUP_MOUNT, GoneError, text_of

_PAUSE_SECONDS = 0.2


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


class PeakMemory:
    """The most that cgroups have had together, read again and again in a thread of its own."""

    def __init__(self, groups: Sequence[Path]) -> None:
        self._groups = groups
        self.first = self.peak = self._read()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _read(self) -> int:
        return sum(anonymous_bytes(group) for group in self._groups)

    def _run(self) -> None:
        while not self._stop.wait(_PAUSE_SECONDS):
            try:
                self.peak = max(self.peak, self._read())
            except GoneError:
                return
