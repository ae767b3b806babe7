"""What a node has beside its runtime: kubelet, Service addresses and NetworkPolicy."""

from __future__ import annotations

import datetime

from cluster import kube_proxy, kubelet, network_policy, processes
from cluster.api import Api
from cluster.progress import step
from cluster.settings import Paths
from cluster.waiting import wait_for


def start(paths: Paths, api: Api) -> None:
    """Starts what does not run, and returns once the node is ready and enforces policies."""
    began = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    restarted = kubelet.ensure_running(paths)
    wait_for(
        "node registered",
        lambda: kubelet.is_registered(paths, api),
        seconds=60,
        still_possible=lambda: processes.alive(paths, kubelet.NAME) is not None,
        hint=str(processes.log_file(paths, kubelet.NAME)),
    )
    kube_proxy.ensure_running(paths)
    network_policy.ensure_running(paths)
    wait_for(
        "node ready",
        lambda: kubelet.is_ready(paths, api, began if restarted else None),
        seconds=90,
        still_possible=lambda: processes.alive(paths, kubelet.NAME) is not None,
        hint=str(processes.log_file(paths, kubelet.NAME)),
    )
    step(f"{paths.node.name} ready")
    wait_for(
        "NetworkPolicy enforced",
        lambda: network_policy.is_enforcing(paths),
        seconds=60,
        still_possible=lambda: processes.alive(paths, network_policy.NAME) is not None,
        hint=str(processes.log_file(paths, network_policy.NAME)),
    )
    step(f"NetworkPolicy enforced on {paths.node.name}")
