"""A cgroup that limits the memory of processes of this machine; needs root."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from bench.cpu import CGROUP_MOUNT
from cluster.errors import ClusterError
from cluster.waiting import wait_for

_REMOVAL_SECONDS = 20.0


class MemoryLimit:
    """A group of this process, while it is entered: whoever is started in it has the limit.

    Args:
        limit_bytes: of all processes in it together.
        mount: where cgroups are, of version 1 or 2.
    """

    def __init__(self, limit_bytes: int, mount: Path = CGROUP_MOUNT) -> None:
        self._limit_bytes = limit_bytes
        self._is_v2 = (mount / "cgroup.controllers").exists()
        self._group = (mount if self._is_v2 else mount / "memory") / f"assay-bench-{os.getpid()}"

    def command(self, command: Sequence[str | Path]) -> list[str | Path]:
        """The command that runs another one in it."""
        enter = 'echo $$ > "$0" && exec "$@"'
        return ["sh", "-c", enter, self._group / "cgroup.procs", *command]

    def kills(self) -> int:
        """How many processes the kernel has ended for memory."""
        file = "memory.events" if self._is_v2 else "memory.oom_control"
        for line in (self._group / file).read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill":
                return int(value)
        raise ValueError(f"{self._group}/{file} has no oom_kill")

    def __enter__(self) -> Self:
        self._group.mkdir()
        if self._is_v2:
            self._write("memory.max", self._limit_bytes)
            # A kernel without swap does not have it.
            with contextlib.suppress(FileNotFoundError):
                self._write("memory.swap.max", 0)
        else:
            self._write("memory.limit_in_bytes", self._limit_bytes)
            with contextlib.suppress(OSError):
                self._write("memory.memsw.limit_in_bytes", self._limit_bytes)
        return self

    def __exit__(self, *_: object) -> None:
        """Remove it, once its last process is gone; one that stays is left with its group."""
        with contextlib.suppress(ClusterError):
            wait_for(f"the end of {self._group}", self._removed, seconds=_REMOVAL_SECONDS)

    def _removed(self) -> bool:
        try:
            self._group.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _write(self, file: str, number: int) -> None:
        (self._group / file).write_text(str(number))
