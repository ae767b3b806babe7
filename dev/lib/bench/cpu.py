"""CPU time of processes and cgroups."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_NANOSECONDS = 1_000_000_000
_MICROSECONDS = 1_000_000
CGROUP_MOUNT = Path("/sys/fs/cgroup")


class GoneError(Exception):
    """The process or cgroup does not exist any more."""


def own_seconds(stat: str) -> float:
    """CPU time of a process without its children, from the text of /proc/PID/stat."""
    return _seconds(stat, 11, 13)


def seconds_with_children(stat: str) -> float:
    """The same with all ended descendants that were waited for."""
    return _seconds(stat, 11, 15)


def _seconds(stat: str, first: int, end: int) -> float:
    # The program name in parentheses may itself contain spaces and parentheses.
    fields = stat.rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[first:end]) / _TICKS_PER_SECOND


def process_stat(pid: int) -> str:
    """The text of /proc/PID/stat; raises GoneError."""
    return text_of(Path(f"/proc/{pid}/stat"))


def children(parent: int, program: str) -> frozenset[int]:
    """PIDs of the live children of a process whose program name begins with `program`."""
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = process_stat(int(entry))
            except GoneError:
                continue
            name, _, rest = stat.partition("(")[2].rpartition(")")
            if name.startswith(program) and int(rest.split()[1]) == parent:
                found.add(int(entry))
    return frozenset(found)


def hierarchy(mount: Path = CGROUP_MOUNT) -> Path:
    """The root of the cgroups that account for CPU time: that of v2, or a controller's of v1."""
    return mount if (mount / "cgroup.controllers").exists() else mount / "cpuacct"


def group_seconds(group: Path) -> float:
    """CPU time of a cgroup with all below it, also those removed; raises GoneError."""
    version_1 = group / "cpuacct.usage"
    if version_1.exists():
        return int(text_of(version_1)) / _NANOSECONDS
    for line in text_of(group / "cpu.stat").splitlines():
        name, _, value = line.partition(" ")
        if name == "usage_usec":
            return int(value) / _MICROSECONDS
    raise ValueError(f"{group}/cpu.stat has no usage_usec")


def pod_groups(cgroup: str | Path, uid: str, mount: Path = CGROUP_MOUNT) -> list[Path]:
    """The cgroups of a Pod that account for CPU time; none if it is gone."""
    pods = hierarchy(mount) / cgroup / "kubepods"
    # Those of guaranteed quality of service have no level of their own.
    return [*pods.glob(f"pod{uid}/"), *pods.glob(f"*/pod{uid}/")]


def group_processes(group: Path) -> list[int]:
    """PIDs in a cgroup, lowest first; raises GoneError."""
    return sorted(int(pid) for pid in text_of(group / "cgroup.procs").split())


def text_of(file: Path) -> str:
    try:
        return file.read_text()
    except OSError as error:
        # Reading the file of a cgroup that was removed meanwhile fails with ENODEV.
        raise GoneError(str(file)) from error
