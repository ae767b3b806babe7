"""The process that holds the cluster's namespaces; when it ends, all processes end."""

from __future__ import annotations

import contextlib
from pathlib import Path
from shlex import quote

from cluster import namespaces, processes
from cluster.binaries import PAUSE
from cluster.processes import Record
from cluster.settings import Paths

# The kubelet and the CNI library use fixed names below these directories. They
# are covered by private mounts, so that nothing is left on the host.
KUBELET_MOUNT = Path("/var/lib/kubelet")
_CNI_CACHE_MOUNT = Path("/var/lib/cni")


def _script(paths: Paths) -> str:
    log_directory = paths.state / "var-log"
    for directory in (log_directory, paths.kubelet_root):
        directory.mkdir(parents=True, exist_ok=True)
    return "\n".join(
        (
            # Host mounts may come in, none may go out; Pods may still share
            # mounts with one another.
            "mount --make-rslave /",
            "mount --make-rshared /",
            "mount -t proc proc /proc",
            "mount -t tmpfs -o mode=755 tmpfs /run",
            f"mount --bind {quote(str(log_directory))} /var/log",
            f"mount --bind {quote(str(paths.kubelet_root))} {KUBELET_MOUNT}",
            f"mount -t tmpfs -o mode=700 tmpfs {_CNI_CACHE_MOUNT}",
            "ip link set lo up",
            "echo 1 > /proc/sys/net/ipv4/ip_forward",
            # A connection whose Pod was deleted would otherwise keep the network
            # namespace for minutes after the last process.
            "echo 1 > /proc/sys/net/ipv4/tcp_orphan_retries",
        )
    )


def ensure_keeper(paths: Paths) -> tuple[Record, bool]:
    """Creates the namespaces unless they exist; the second value is True if they are new."""
    present = processes.alive(paths, processes.KEEPER)
    if present:
        return present, False
    paths.logs.mkdir(parents=True, exist_ok=True)
    for mount_point in (KUBELET_MOUNT, _CNI_CACHE_MOUNT):
        mount_point.mkdir(parents=True, exist_ok=True)
    log = processes.log_file(paths, processes.KEEPER)
    pid = namespaces.create(_script(paths), PAUSE.program("pause"), log)
    record = processes.describe(pid)
    processes.save(paths, processes.KEEPER, record)
    return record, True


def remove_mount_points() -> None:
    """Removes the empty directories below the private mounts.

    Not while a cluster lives: the kernel would detach its mounts.
    """
    for mount_point in (KUBELET_MOUNT, _CNI_CACHE_MOUNT):
        with contextlib.suppress(OSError):
            mount_point.rmdir()


def stop_keeper(paths: Paths) -> None:
    """Ends the cluster's first process and with it all others; safe to repeat."""
    record = processes.load(paths, processes.KEEPER)
    if record:
        processes.stop(record, what="the cluster's processes", seconds=60)
