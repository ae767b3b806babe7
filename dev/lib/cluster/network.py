"""The link between host and cluster, and how Pods are attached to the node."""

from __future__ import annotations

import json
from pathlib import Path

from cluster import settings
from cluster.commands import run, succeeds
from cluster.errors import ClusterError
from cluster.processes import Record
from cluster.settings import Paths

CNI_PROGRAMS = Path("/usr/lib/cni")
BRIDGE_NAME = "pods0"


def cni_directory(paths: Paths) -> Path:
    return paths.config / "cni"


def _cni_configuration() -> dict[str, object]:
    return {
        "cniVersion": "0.4.0",
        "name": "pods",
        "plugins": [
            {
                "type": "bridge",
                "bridge": BRIDGE_NAME,
                "isGateway": True,
                "hairpinMode": True,
                # The host has a route to every Pod, so no address is rewritten.
                "ipMasq": False,
                "ipam": {
                    "type": "host-local",
                    "ranges": [[{"subnet": settings.POD_CIDR}]],
                    "routes": [{"dst": "0.0.0.0/0"}],
                    # Below /run, because leases must not outlive the Pods' namespaces.
                    "dataDir": "/run/cni/leases",
                },
            },
            {"type": "portmap", "capabilities": {"portMappings": True}},
            # Link-local addresses would connect Pods and node past kube-router, which
            # enforces NetworkPolicy for IPv4 only.
            {"type": "tuning", "sysctl": {"net.ipv6.conf.eth0.disable_ipv6": "1"}},
        ],
    }


def write_cni_configuration(paths: Paths) -> None:
    """Writes the file by which containerd attaches each Pod to the bridge."""
    directory = cni_directory(paths)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "10-pods.conflist").write_text(json.dumps(_cni_configuration(), indent=2))


def remove_host_link() -> None:
    """Removes the link of a cluster that has ended; does nothing if there is none.

    Usually it vanishes with the cluster's network namespace, but a connection
    that is still closing keeps that for a while.
    """
    if succeeds(["ip", "link", "show", "dev", settings.HOST_LINK_NAME]):
        run(["ip", "link", "delete", "dev", settings.HOST_LINK_NAME])


def _prefixed(address: str) -> str:
    return f"{address}/{settings.LINK_PREFIX_LENGTH}"


def ensure_host_link(keeper: Record) -> None:
    """Links the host to the cluster's network namespace, with routes to Pods and Services."""
    host, node = settings.HOST_LINK_NAME, settings.NODE_LINK_NAME
    inside = ["nsenter", "--target", str(keeper.pid), "--net"]
    if not succeeds([*inside, "ip", "link", "show", "dev", node]):
        remove_host_link()
        peer = ["peer", "name", node, "netns", str(keeper.pid)]
        run(["ip", "link", "add", host, "type", "veth", *peer])
    run(["ip", "address", "replace", _prefixed(settings.HOST_LINK_IP), "dev", host])
    run(["ip", "link", "set", host, "up"])
    run([*inside, "ip", "address", "replace", _prefixed(settings.NODE_IP), "dev", node])
    run([*inside, "ip", "link", "set", node, "up"])
    for network in (settings.POD_CIDR, settings.SERVICE_CIDR):
        run(["ip", "route", "replace", network, "via", settings.NODE_IP, "dev", host])
    if not Path("/proc/sys/net/bridge/bridge-nf-call-iptables").exists() and not succeeds(
        ["modprobe", "br_netfilter"]
    ):
        # Without it traffic between two Pods passes no firewall rule at all.
        raise ClusterError(
            "NetworkPolicy cannot be enforced: kernel module br_netfilter is missing"
        )
