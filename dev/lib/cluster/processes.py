"""Records of started processes: a PID is only trusted with its start time.

A PID alone may by now belong to somebody else's process, so each record also
holds the kernel's start time and the boot it counts from.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cluster import namespaces
from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import Paths
from cluster.waiting import wait_for

KEEPER = "namespaces"

# Of the control plane, which elsewhere has a machine of its own: Pods must not starve it here.
CONTROL_PLANE_NICENESS = -10

# Programs find iptables and ipset by PATH; nothing else of the caller's
# environment may leak into a cluster that outlives it.
PROGRAM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ENVIRONMENT = {
    "PATH": PROGRAM_PATH,
    "HOME": "/root",
    "LANG": "C.UTF-8",
}


@dataclass(frozen=True)
class Record:
    """One started process: PID, start time in clock ticks since boot, and that boot's id."""

    pid: int
    start_ticks: int
    boot_id: str


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def parse_stat(text: str) -> tuple[str, int]:
    """State letter and start time from the text of /proc/PID/stat.

    The program name in parentheses may itself hold spaces and parentheses.
    """
    fields = text.rpartition(")")[2].split()
    return fields[0], int(fields[19])


def _stat(pid: int) -> tuple[str, int] | None:
    try:
        return parse_stat(Path(f"/proc/{pid}/stat").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return None


def describe(pid: int) -> Record:
    """The record of a process that runs now."""
    stat = _stat(pid)
    if stat is None:
        raise ClusterError(f"process {pid} exited immediately")
    return Record(pid=pid, start_ticks=stat[1], boot_id=_boot_id())


def is_alive(record: Record) -> bool:
    """Whether exactly this process still runs: a zombie does not, once all its threads have ended.

    The first thread of a process that is killed may end before others, which still hold its files.
    """
    if record.boot_id != _boot_id():
        return False
    stat = _stat(record.pid)
    if stat is None or stat[1] != record.start_ticks:
        return False
    return stat[0] not in "ZX" or _has_other_threads(record.pid)


def _has_other_threads(pid: int) -> bool:
    try:
        return len(os.listdir(f"/proc/{pid}/task")) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False


def exists(record: Record) -> bool:
    """Like is_alive, but a zombie that still holds its PID counts too."""
    stat = _stat(record.pid)
    return record.boot_id == _boot_id() and stat is not None and stat[1] == record.start_ticks


def _file(paths: Paths, name: str) -> Path:
    return paths.records / f"{name}.json"


def load(paths: Paths, name: str) -> Record | None:
    """The record kept under `name`, or None if there is none that can be read."""
    try:
        return Record(**json.loads(_file(paths, name).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def save(paths: Paths, name: str, record: Record) -> None:
    """Keeps `record` under `name`, replacing an earlier one."""
    paths.records.mkdir(parents=True, exist_ok=True)
    target = _file(paths, name)
    scratch = target.with_suffix(".new")
    scratch.write_text(json.dumps(asdict(record)))
    scratch.rename(target)


def alive(paths: Paths, name: str) -> Record | None:
    """The record kept under `name` if its process runs."""
    record = load(paths, name)
    return record if record and is_alive(record) else None


def log_file(paths: Paths, name: str) -> Path:
    """Where standard output and error of `name` go."""
    return paths.logs / f"{name}.log"


def parse_command_line(content: bytes) -> list[str]:
    """The words in the content of /proc/PID/cmdline, each of which ends with a zero byte."""
    return [os.fsdecode(word) for word in content.split(b"\0")[:-1]]


def _runs(record: Record, words: list[str]) -> bool:
    try:
        return parse_command_line(Path(f"/proc/{record.pid}/cmdline").read_bytes()) == words
    except (FileNotFoundError, ProcessLookupError):
        return False


def ensure_running(
    paths: Paths,
    name: str,
    command: Sequence[str | Path],
    *,
    own_network: bool = False,
    niceness: int | None = None,
) -> bool:
    """Has `command` run inside the cluster under `name`; True if it was started.

    A process that was started with another program or other arguments is replaced. With
    `own_network` it runs in a network namespace of its own, which ends with it.
    """
    words = [str(word) for word in command]
    present = alive(paths, name)
    if present and _runs(present, words):
        return False
    keeper = alive(paths, KEEPER)
    if keeper is None:
        raise ClusterError("the cluster's namespaces are missing; run dev/cluster up again")
    if present:
        step(f"restarting {name} with other arguments")
        stop(present, what=name)
    paths.logs.mkdir(parents=True, exist_ok=True)
    log = log_file(paths, name)
    pid = namespaces.start_inside(
        keeper.pid, words, _ENVIRONMENT, log, own_network=own_network, niceness=niceness
    )
    save(paths, name, describe(pid))
    return True


def stop(record: Record, *, what: str, seconds: float = 30) -> None:
    """Terminates exactly this process and waits until it has exited."""
    if not is_alive(record):
        return
    descriptor = os.pidfd_open(record.pid)
    try:
        # The descriptor now pins one process; look again that it is ours.
        if is_alive(record):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        os.close(descriptor)
    # The first process of a PID namespace is gone only after all others in it.
    wait_for(f"end of {what}", lambda: not is_alive(record), seconds=seconds)
