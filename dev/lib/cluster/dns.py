"""CoreDNS for Service names, deployed as other clusters deploy it.

It answers for the cluster's own domain only: names of the outside are refused.
"""

from __future__ import annotations

import socket

from cluster import settings
from cluster.api import Api, ApiError
from cluster.image_archive import COREDNS_IMAGE

_NAMESPACE = "kube-system"
_ACCOUNT = "coredns"
_ROLE = "system:coredns"
# Charts select the DNS Pods by this label in their egress rules.
_LABELS = {"k8s-app": "kube-dns"}
_DEPLOYMENT_API = f"/apis/apps/v1/namespaces/{_NAMESPACE}/deployments/coredns"

_COREFILE = f"""\
.:53 {{
    errors
    health :8080
    ready :8181
    kubernetes {settings.CLUSTER_DOMAIN} in-addr.arpa {{
        pods insecure
        ttl 5
    }}
    cache 5
}}
"""


def _access() -> list[tuple[str, dict[str, object]]]:
    group = "rbac.authorization.k8s.io"
    reading = ["list", "watch"]
    return [
        (
            f"/api/v1/namespaces/{_NAMESPACE}/serviceaccounts/{_ACCOUNT}",
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": _ACCOUNT}},
        ),
        (
            f"/apis/{group}/v1/clusterroles/{_ROLE}",
            {
                "apiVersion": f"{group}/v1",
                "kind": "ClusterRole",
                "metadata": {"name": _ROLE},
                "rules": [
                    {
                        "apiGroups": [""],
                        "resources": ["services", "pods", "namespaces"],
                        "verbs": reading,
                    },
                    {
                        "apiGroups": ["discovery.k8s.io"],
                        "resources": ["endpointslices"],
                        "verbs": reading,
                    },
                ],
            },
        ),
        (
            f"/apis/{group}/v1/clusterrolebindings/{_ROLE}",
            {
                "apiVersion": f"{group}/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": _ROLE},
                "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": _ROLE},
                "subjects": [{"kind": "ServiceAccount", "name": _ACCOUNT, "namespace": _NAMESPACE}],
            },
        ),
    ]


def _container() -> dict[str, object]:
    return {
        "name": "coredns",
        "image": COREDNS_IMAGE,
        "imagePullPolicy": "Never",
        "args": ["-conf", "/etc/coredns/Corefile"],
        "ports": [
            {"name": "dns", "containerPort": 53, "protocol": "UDP"},
            {"name": "dns-tcp", "containerPort": 53, "protocol": "TCP"},
        ],
        "readinessProbe": {
            "httpGet": {"path": "/ready", "port": 8181},
            "periodSeconds": 2,
        },
        "resources": {
            "requests": {"cpu": "10m", "memory": "32Mi"},
            "limits": {"memory": "170Mi"},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
        },
        "volumeMounts": [{"name": "config", "mountPath": "/etc/coredns", "readOnly": True}],
    }


def _workload() -> list[tuple[str, dict[str, object]]]:
    pod = {
        "serviceAccountName": _ACCOUNT,
        "priorityClassName": "system-cluster-critical",
        "dnsPolicy": "Default",
        # The Pod itself must listen on 53: rules of NetworkPolicy see the
        # port after the Service's has been replaced by the Pod's.
        "securityContext": {
            "seccompProfile": {"type": "RuntimeDefault"},
            "sysctls": [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}],
        },
        "terminationGracePeriodSeconds": 1,
        "containers": [_container()],
        "volumes": [{"name": "config", "configMap": {"name": "coredns"}}],
    }
    return [
        (
            f"/api/v1/namespaces/{_NAMESPACE}/configmaps/coredns",
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "coredns"},
                "data": {"Corefile": _COREFILE},
            },
        ),
        (
            _DEPLOYMENT_API,
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "coredns", "labels": _LABELS},
                "spec": {
                    "replicas": 1,
                    "selector": {"matchLabels": _LABELS},
                    "template": {"metadata": {"labels": _LABELS}, "spec": pod},
                },
            },
        ),
        (
            f"/api/v1/namespaces/{_NAMESPACE}/services/kube-dns",
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": "kube-dns", "labels": _LABELS},
                "spec": {
                    "clusterIP": settings.DNS_SERVICE_IP,
                    "selector": _LABELS,
                    "ports": [
                        {"name": "dns", "port": 53, "protocol": "UDP", "targetPort": 53},
                        {"name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": 53},
                    ],
                },
            },
        ),
    ]


def deploy(api: Api) -> None:
    """Creates CoreDNS and its Service, or brings them to this state."""
    for path, body in (*_access(), *_workload()):
        api.apply(path, body)


def is_ready(api: Api) -> bool:
    """Whether DNS accepts a connection at its Service address, asked from the host."""
    try:
        deployment = api.find(_DEPLOYMENT_API)
        if deployment is None or not deployment["status"].get("availableReplicas"):
            return False
        socket.create_connection((settings.DNS_SERVICE_IP, 53), timeout=1).close()
    except (OSError, ApiError):
        return False
    return True
