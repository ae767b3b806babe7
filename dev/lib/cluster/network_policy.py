"""kube-router, used only to enforce NetworkPolicy."""

from __future__ import annotations

from cluster import certificates, processes, settings
from cluster.api import Api
from cluster.binaries import KUBE_ROUTER
from cluster.commands import run
from cluster.kubeconfig import component_kubeconfig
from cluster.settings import Paths

NAME = "kube-router"
_ROLE = "assay-dev:kube-router"


def grant_access(api: Api) -> None:
    """Lets kube-router read what it turns into rules."""
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": _ROLE},
        "rules": [
            {
                "apiGroups": [""],
                "resources": ["endpoints", "namespaces", "nodes", "pods", "services"],
                "verbs": ["get", "list", "watch"],
            },
            {
                "apiGroups": ["networking.k8s.io"],
                "resources": ["networkpolicies"],
                "verbs": ["get", "list", "watch"],
            },
        ],
    }
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": _ROLE},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": _ROLE,
        },
        "subjects": [
            {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "User",
                "name": certificates.KUBE_ROUTER.user,
            }
        ],
    }
    api.apply(f"{rbac}/clusterroles/{_ROLE}", role)
    api.apply(f"{rbac}/clusterrolebindings/{_ROLE}", binding)


def ensure_running(paths: Paths) -> bool:
    """Starts kube-router unless it runs; the node must have registered before."""
    return processes.ensure_running(
        paths,
        NAME,
        [
            KUBE_ROUTER.program(NAME),
            f"--kubeconfig={component_kubeconfig(paths, certificates.KUBE_ROUTER)}",
            f"--hostname-override={paths.node.name}",
            f"--service-cluster-ip-range={settings.SERVICE_CIDR}",
            "--run-firewall=true",
            "--run-router=false",
            "--run-service-proxy=false",
            # It lets every Pod reach what listens on the node in this range. kube-proxy has
            # sent the packets of NodePorts on by then, so two ports that nobody has will do.
            "--service-node-port-range=1-2",
            # Port 0 is refused, and the default is a favourite of other programs.
            "--metrics-port=20245",
        ],
    )


def is_enforcing(paths: Paths) -> bool:
    """Whether kube-router's rules stand in the path of forwarded packets."""
    keeper = processes.alive(paths, processes.KEEPER)
    if keeper is None:
        return False
    inside = ["nsenter", "--target", str(keeper.pid), "--net"]
    return "-j KUBE-ROUTER-FORWARD" in run([*inside, "iptables", "--wait", "-S", "FORWARD"])
