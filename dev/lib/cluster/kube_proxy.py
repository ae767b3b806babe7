"""kube-proxy: Services reach their Pods by rules inside the cluster's network namespace."""

from __future__ import annotations

import json

from cluster import certificates, processes, settings
from cluster.binaries import KUBERNETES
from cluster.kubeconfig import component_kubeconfig
from cluster.settings import Paths

NAME = "kube-proxy"


def ensure_running(paths: Paths) -> bool:
    """Starts kube-proxy unless it runs; True if it was started."""
    configuration = {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "clientConnection": {
            "kubeconfig": str(component_kubeconfig(paths, certificates.KUBE_PROXY)),
            "qps": 100,
            "burst": 200,
        },
        "mode": "iptables",
        "clusterCIDR": settings.POD_CIDR,
        "hostnameOverride": paths.node.name,
        "iptables": {"minSyncPeriod": "100ms"},
        # These limits belong to the whole machine and cannot be written from
        # within a network namespace.
        "conntrack": {
            "maxPerCore": 0,
            "min": 0,
            "tcpEstablishedTimeout": "0s",
            "tcpCloseWaitTimeout": "0s",
        },
    }
    file = paths.config / "kube-proxy.json"
    text = json.dumps(configuration, indent=2)
    # A running kube-proxy ends itself when its file is written again, be it with the same text.
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    program = KUBERNETES.program(NAME)
    return processes.ensure_running(paths, NAME, [program, f"--config={file}"])
