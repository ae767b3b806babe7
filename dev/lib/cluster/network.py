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


def _cni_configuration(paths: Paths) -> dict[str, object]:
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
                    "ranges": [[{"subnet": paths.node.pods}]],
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
    (directory / "10-pods.conflist").write_text(json.dumps(_cni_configuration(paths), indent=2))


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


def ensure_node_link(first: Record, second: Record) -> None:
    """Links the second node to the first, which routes everything to and from it."""
    node, name = settings.SECOND_NODE, settings.SECOND_LINK_NAME
    at_first = ["nsenter", "--target", str(first.pid), "--net"]
    at_second = ["nsenter", "--target", str(second.pid), "--net"]
    if not succeeds([*at_second, "ip", "link", "show", "dev", settings.NODE_LINK_NAME]):
        # The end of a node that was lost may still be there.
        succeeds([*at_first, "ip", "link", "delete", "dev", name])
        peer = ["peer", "name", settings.NODE_LINK_NAME, "netns", str(second.pid)]
        run([*at_first, "ip", "link", "add", name, "type", "veth", *peer])
    address = ["ip", "address", "replace"]
    run([*at_first, *address, _prefixed(settings.SECOND_LINK_IP), "dev", name])
    run([*at_first, "ip", "link", "set", name, "up"])
    run([*at_second, *address, _prefixed(node.address), "dev", settings.NODE_LINK_NAME])
    run([*at_second, "ip", "link", "set", settings.NODE_LINK_NAME, "up"])
    run([*at_first, "ip", "route", "replace", node.pods, "via", node.address, "dev", name])
    way_back = ["default", "via", settings.SECOND_LINK_IP, "dev", settings.NODE_LINK_NAME]
    run([*at_second, "ip", "route", "replace", *way_back])
    # From the host, as for logs and probes of tests.
    way = [f"{node.address}/32", "via", settings.NODE_IP, "dev", settings.HOST_LINK_NAME]
    run(["ip", "route", "replace", *way])
