"""etcd, the store of the API server; reachable only inside the cluster's network namespace."""

from __future__ import annotations

import shutil

from cluster import processes
from cluster.binaries import ETCD
from cluster.settings import Paths

NAME = "etcd"
CLIENT_URL = "http://127.0.0.1:2379"
_PEER_URL = "http://127.0.0.1:2380"


def ensure_running(paths: Paths, *, fsync: bool) -> bool:
    """Starts etcd unless it runs, or runs with another setting; True if it was started.

    A throw-away cluster trades durability across a power cut for latency, unless `fsync` is set.
    """
    durability = [] if fsync else ["--unsafe-no-fsync"]
    return processes.ensure_running(
        paths,
        NAME,
        [
            ETCD.program("etcd"),
            f"--data-dir={paths.etcd_data}",
            f"--listen-client-urls={CLIENT_URL}",
            f"--advertise-client-urls={CLIENT_URL}",
            f"--listen-peer-urls={_PEER_URL}",
            f"--initial-advertise-peer-urls={_PEER_URL}",
            f"--initial-cluster=default={_PEER_URL}",
            "--log-level=warn",
            *durability,
        ],
        niceness=processes.CONTROL_PLANE_NICENESS,
    )


def discard_data(paths: Paths) -> None:
    """Deletes every object, to recover from a store that a power failure has damaged."""
    shutil.rmtree(paths.etcd_data, ignore_errors=True)
