"""The kubelet and the node it registers."""

from __future__ import annotations

import datetime
import json
from typing import Any

from cluster import certificates, cgroups, kernel_settings, processes, settings
from cluster.api import Api, ApiError
from cluster.binaries import KUBERNETES
from cluster.keeper import KUBELET_MOUNT
from cluster.kubeconfig import component_kubeconfig
from cluster.settings import Paths

NAME = "kubelet"
PORT = 10250
PROCESSES_PER_POD = 512


def _configuration(paths: Paths) -> dict[str, object]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": str(certificates.authority(paths))},
        },
        "authorization": {"mode": "Webhook"},
        "port": PORT,
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{paths.cgroup}",
        "clusterDNS": [settings.DNS_SERVICE_IP],
        "clusterDomain": settings.CLUSTER_DOMAIN,
        "containerRuntimeEndpoint": f"unix://{paths.containerd_socket}",
        "failSwapOn": False,
        # Pods must not use the host's resolver.
        "resolvConf": "",
        "podPidsLimit": PROCESSES_PER_POD,
        "maxPods": 250,
        "registryPullQPS": 0,
        "kubeAPIQPS": 100,
        "kubeAPIBurst": 200,
        "eventRecordQPS": 0,
        # A nearly full disk must neither evict Pods nor delete loaded images,
        # which could not be pulled again.
        "evictionHard": {
            "memory.available": "50Mi",
            "nodefs.available": "1%",
            "nodefs.inodesFree": "1%",
            "imagefs.available": "1%",
        },
        "imageGCHighThresholdPercent": 100,
        "syncFrequency": "10s",
        "nodeStatusUpdateFrequency": "5s",
    }


def ensure_running(paths: Paths) -> bool:
    """Starts the kubelet unless it runs; True if it was started."""
    cgroups.ensure_parent(paths)
    kernel_settings.remember()
    file = paths.config / "kubelet.json"
    file.write_text(json.dumps(_configuration(paths), indent=2))
    return processes.ensure_running(
        paths,
        NAME,
        [
            KUBERNETES.program(NAME),
            f"--config={file}",
            f"--kubeconfig={component_kubeconfig(paths, certificates.kubelet(paths.node))}",
            f"--root-dir={KUBELET_MOUNT}",
            f"--hostname-override={paths.node.name}",
            f"--node-ip={paths.node.address}",
        ],
    )


def node_is_ready(node: Any, reported_since: datetime.datetime | None = None) -> bool:
    """Whether the node object is Ready and schedulable, with a recent report."""
    for condition in node.get("status", {}).get("conditions", []):
        if condition["type"] == "Ready" and condition["status"] == "True":
            reported = datetime.datetime.fromisoformat(condition["lastHeartbeatTime"])
            fresh = reported_since is None or reported >= reported_since
            return fresh and not node["spec"].get("taints")
    return False


def is_ready(paths: Paths, api: Api, reported_since: datetime.datetime | None = None) -> bool:
    """Whether the node is Ready in the API server."""
    try:
        node = api.find(f"/api/v1/nodes/{paths.node.name}")
    except (OSError, ApiError):
        return False
    return node is not None and node_is_ready(node, reported_since)


def is_registered(paths: Paths, api: Api) -> bool:
    """Whether the node object exists."""
    try:
        return api.find(f"/api/v1/nodes/{paths.node.name}") is not None
    except (OSError, ApiError):
        return False
