"""Versions, addresses and file locations of the development cluster."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from cluster.errors import ClusterError

KUBERNETES_VERSION = "1.34.4"
ETCD_VERSION = "3.6.6"
KUBE_ROUTER_VERSION = "1.5.1"
HELM_VERSION = "3.22.0"
REGISTRY_VERSION = "3.0.0"
COREDNS_VERSION = "1.13.2"
PAUSE_VERSION = "1"
GVISOR_VERSION = "20260905.0"

DEFAULT_CONTEXT = "assay-dev"
# Where Assay's own parts run; the API server logs what their service accounts change.
SYSTEM_NAMESPACE = "assay-system"

# Addresses come from the range reserved for benchmarks (RFC 2544), which keeps
# clear of the private ranges that an office or home network uses.
POD_CIDR = "198.18.0.0/16"
SERVICE_CIDR = "198.19.0.0/17"
API_SERVICE_IP = "198.19.0.1"
DNS_SERVICE_IP = "198.19.0.10"
HOST_LINK_IP = "198.19.255.1"
NODE_IP = "198.19.255.2"
# The other end of the link from the first node to the second.
SECOND_LINK_IP = "198.19.255.5"
LINK_PREFIX_LENGTH = 30
# Hosts that tests must not reach from a run Pod; see stand_ins.py. The first is the address of
# every cloud's metadata service, the second is reserved for documentation (RFC 5737).
METADATA_IP = "169.254.169.254"
OUTSIDE_IP = "203.0.113.10"
METADATA_PORT = 80
OUTSIDE_PORT = 443
CLUSTER_DOMAIN = "cluster.local"
API_PORT = 6443
API_URL = f"https://{NODE_IP}:{API_PORT}"

HOST_LINK_NAME = "assay-dev0"
NODE_LINK_NAME = "node0"
SECOND_LINK_NAME = "second0"

STATE_ROOT = Path("/var/lib/assay-dev")
REPOSITORY = Path(__file__).resolve().parents[3]
MANIFESTS = REPOSITORY / "dev" / "cluster-binaries"

_CONTEXT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?")


def cache_root() -> Path:
    """Where binaries and images are kept between clusters, outside any work tree."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "assay"


@dataclass(frozen=True)
class Node:
    """A node: its name, its address, and the addresses of its Pods."""

    name: str
    address: str
    pods: str


FIRST_NODE = Node("assay-dev-node", NODE_IP, "198.18.0.0/17")
SECOND_NODE = Node("assay-dev-node-2", "198.19.255.6", "198.18.128.0/17")


@dataclass(frozen=True)
class Paths:
    """Files of a node of a cluster; every path but the work tree's is the same from any folder.

    The first node has the control plane, and the files of the cluster as a whole.
    """

    context: str
    node: Node = FIRST_NODE

    def __post_init__(self) -> None:
        if not _CONTEXT_NAME.fullmatch(self.context):
            raise ClusterError(
                f"--context {self.context!r}: use at most 40 of a-z, 0-9 and '-', "
                "beginning and ending with a letter or digit"
            )

    @property
    def is_first(self) -> bool:
        return self.node == FIRST_NODE

    @property
    def second(self) -> Paths:
        """Those of the second node."""
        return replace(self, node=SECOND_NODE)

    @property
    def _cluster(self) -> Path:
        return STATE_ROOT / self.context

    @property
    def state(self) -> Path:
        return self._cluster if self.is_first else self._cluster / "second"

    @property
    def lock(self) -> Path:
        return STATE_ROOT / f"{self.context}.lock"

    @property
    def origin(self) -> Path:
        """Records which folder started the cluster."""
        return self.state / "origin.json"

    @property
    def records(self) -> Path:
        return self.state / "processes"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def audit_log(self) -> Path:
        """The API server's audit log, JSON lines; its owner alone reads it."""
        return self.logs / "audit.jsonl"

    @property
    def certificates(self) -> Path:
        return self._cluster / "certificates"

    @property
    def config(self) -> Path:
        return self.state / "config"

    @property
    def etcd_data(self) -> Path:
        return self.state / "etcd"

    @property
    def kubelet_root(self) -> Path:
        return self.state / "kubelet"

    @property
    def volumes(self) -> Path:
        return self.state / "volumes"

    @property
    def containerd_root(self) -> Path:
        return self.state / "containerd"

    @property
    def containerd_socket(self) -> Path:
        return self.state / "containerd.sock"

    @property
    def cgroup(self) -> str:
        """Parent of all Pod cgroups, relative to each hierarchy's root."""
        return f"assay-dev-{self.context}{'' if self.is_first else '-second'}"

    @property
    def admin_kubeconfig(self) -> Path:
        return self.config / "admin.kubeconfig"

    @property
    def work_tree_kubeconfig(self) -> Path:
        return REPOSITORY / ".dev" / "kubeconfig"

    @property
    def work_tree_bin(self) -> Path:
        return REPOSITORY / ".dev" / "bin"
