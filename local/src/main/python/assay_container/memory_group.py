"""A cgroup that keeps a container to its memory, where this user may make one.

That takes cgroup v2 with its memory controller handed down to this user, as systemd does below a
user's own service manager, or root.
"""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Iterator

_PREFIX = "assay-"
_TIMEOUT_MS = 1000
_READ_BYTES = 4096


class MemoryGroup:
    """A group with a limit, which holds whoever enters it and all that they start.

    Args:
        directory: of the group.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def limit(self, limit_bytes: int) -> None:
        """Give it a limit, and let the kernel kill all of it rather than one process."""
        _write(f"{self._directory}/memory.max", str(limit_bytes))
        _write(f"{self._directory}/memory.oom.group", "1")
        # A kernel without swap does not have it.
        with contextlib.suppress(FileNotFoundError):
            _write(f"{self._directory}/memory.swap.max", "0")

    def enter(self) -> None:
        """Move the calling process into it."""
        _write(f"{self._directory}/cgroup.procs", "0")

    def ran_out(self) -> bool:
        """Whether the kernel has killed it for memory."""
        events = dict(line.split() for line in _lines(f"{self._directory}/memory.events"))
        return events.get("oom_kill", "0") != "0"

    def remove(self) -> None:
        """Remove it, once the last process has left it; a process that was reaped may not have."""
        with contextlib.suppress(OSError), open(f"{self._directory}/cgroup.events", "rb") as events:
            poll = select.poll()
            poll.register(events, select.POLLPRI)
            while b"populated 1" in os.pread(events.fileno(), _READ_BYTES, 0):
                if not poll.poll(_TIMEOUT_MS):
                    break
        with contextlib.suppress(OSError):
            os.rmdir(self._directory)


def create(limit_bytes: int, process: str = "/proc/self") -> MemoryGroup | None:
    """Make a group for one container, or return None where this user may not.

    Args:
        limit_bytes: the most memory it may have, without swap.
        process: the directory that tells of this process.
    """
    parent = _parent(process)
    if parent is None:
        return None
    _remove_leftovers(parent)
    directory = f"{parent}/{_PREFIX}{os.getpid()}"
    group = MemoryGroup(directory)
    try:
        os.mkdir(directory)
        group.limit(limit_bytes)
    except OSError:
        group.remove()
        return None
    return group


def _parent(process: str) -> str | None:
    """Return the nearest group around this process in which it may make groups with limits.

    A group that hands a controller down holds no processes itself, so none is made to do so: that
    would fail, or undo what whoever owns it has set up.
    """
    return next((directory for directory in _around(process) if _is_delegated(directory)), None)


def _is_delegated(directory: str) -> bool:
    controllers = " ".join(_lines(f"{directory}/cgroup.subtree_control")).split()
    needed = (directory, f"{directory}/cgroup.procs")
    return "memory" in controllers and all(os.access(path, os.W_OK) for path in needed)


def _around(process: str) -> Iterator[str]:
    """Yield the directory of this process's group, then of each that it is in."""
    own = next((line[3:] for line in _lines(f"{process}/cgroup") if line.startswith("0::")), "/..")
    for mount in _lines(f"{process}/mountinfo"):
        if " - cgroup2 " in mount:
            root, point = mount.split()[3:5]
            root = root.rstrip("/")
            # A group outside of what is mounted, or of this process's namespace, is not seen.
            if f"{own}/".startswith(f"{root}/") and "/.." not in own:
                directory = point + own.removeprefix(root).rstrip("/")
                while directory.startswith(point):
                    yield directory
                    directory = os.path.dirname(directory)


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _remove_leftovers(parent: str) -> None:
    """Remove the empty groups of those who were killed before they could."""
    for name in os.listdir(parent):
        pid = name.removeprefix(_PREFIX)
        if pid != name and (pid == str(os.getpid()) or not os.path.exists(f"/proc/{pid}")):
            with contextlib.suppress(OSError):
                os.rmdir(f"{parent}/{name}")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
