"""What a measurement was made with, as far as it changes the figures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bench.kubernetes import Kubernetes
from bench.node import Component, lasting_pods
from cluster import etcd, processes
from cluster.settings import Paths


def conditions(kubernetes: Kubernetes, context: str, image: str) -> dict[str, str]:
    """Of a dev/cluster on this machine.

    Args:
        kubernetes: its API server.
        context: its name.
        image: of the workers.

    Raises:
        RuntimeError: if etcd does not run here.
    """
    record = processes.alive(Paths(context), etcd.NAME)
    if record is None:
        raise RuntimeError("etcd does not run here: this measures a dev/cluster on its machine")
    command = Path(f"/proc/{record.pid}/cmdline").read_bytes()
    pods = lasting_pods(kubernetes)
    operators, front_ends = len(pods[Component.OPERATOR]), len(pods[Component.FRONT_END])
    return {
        "cores": str(os.cpu_count()),
        "Kubernetes": str(kubernetes.get("/version")["gitVersion"]),
        "etcd": fsync(processes.parse_command_line(command)),
        "operators, front ends": f"{operators}, {front_ends}",
        "image of the workers": image,
    }


def fsync(command_line: Sequence[str]) -> str:
    """Whether etcd waits for the disk on each write, from its command line."""
    return "no fsync" if "--unsafe-no-fsync" in command_line else "fsync"
