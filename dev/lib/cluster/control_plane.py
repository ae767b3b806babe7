"""The API server, the controller manager and the scheduler."""

from __future__ import annotations

from cluster import audit, certificates, etcd, processes, settings
from cluster.binaries import KUBERNETES
from cluster.kubeconfig import component_kubeconfig
from cluster.settings import Paths

API_SERVER = "kube-apiserver"
CONTROLLER_MANAGER = "kube-controller-manager"
SCHEDULER = "kube-scheduler"

# Far above the defaults: one benchmark creates hundreds of objects a second.
_CLIENT_RATE = ("--kube-api-qps=100", "--kube-api-burst=200")


def ensure_api_server(paths: Paths) -> bool:
    """Starts the API server unless it runs; True if it was started."""
    to_kubelet = certificates.API_SERVER_TO_KUBELET
    serving = certificates.API_SERVER
    issuer = f"https://kubernetes.default.svc.{settings.CLUSTER_DOMAIN}"
    return processes.ensure_running(
        paths,
        API_SERVER,
        [
            KUBERNETES.program(API_SERVER),
            f"--advertise-address={settings.NODE_IP}",
            f"--secure-port={settings.API_PORT}",
            f"--etcd-servers={etcd.CLIENT_URL}",
            f"--service-cluster-ip-range={settings.SERVICE_CIDR}",
            f"--client-ca-file={certificates.authority(paths)}",
            f"--tls-cert-file={certificates.certificate(paths, serving)}",
            f"--tls-private-key-file={certificates.key(paths, serving)}",
            f"--kubelet-client-certificate={certificates.certificate(paths, to_kubelet)}",
            f"--kubelet-client-key={certificates.key(paths, to_kubelet)}",
            # By default the node's name is looked up in the host's DNS, and
            # exec, logs and port-forward fail.
            "--kubelet-preferred-address-types=InternalIP",
            f"--service-account-issuer={issuer}",
            f"--service-account-key-file={certificates.service_account_key(paths)}",
            f"--service-account-signing-key-file={certificates.service_account_key(paths)}",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--allow-privileged=true",
            "--max-requests-inflight=800",
            "--max-mutating-requests-inflight=400",
            "--profiling=false",
            *audit.arguments(paths),
        ],
        niceness=processes.CONTROL_PLANE_NICENESS,
    )


def ensure_controller_manager(paths: Paths) -> bool:
    """Starts the controller manager unless it runs; True if it was started."""
    kubeconfig = component_kubeconfig(paths, certificates.CONTROLLER_MANAGER)
    return processes.ensure_running(
        paths,
        CONTROLLER_MANAGER,
        [
            KUBERNETES.program(CONTROLLER_MANAGER),
            f"--kubeconfig={kubeconfig}",
            f"--authentication-kubeconfig={kubeconfig}",
            f"--authorization-kubeconfig={kubeconfig}",
            "--bind-address=127.0.0.1",
            f"--root-ca-file={certificates.authority(paths)}",
            f"--cluster-signing-cert-file={certificates.authority(paths)}",
            f"--cluster-signing-key-file={certificates.authority_key(paths)}",
            f"--service-account-private-key-file={certificates.service_account_key(paths)}",
            "--use-service-account-credentials=true",
            "--allocate-node-cidrs=true",
            f"--cluster-cidr={settings.POD_CIDR}",
            f"--node-cidr-mask-size={settings.FIRST_NODE.pods.partition('/')[2]}",
            f"--service-cluster-ip-range={settings.SERVICE_CIDR}",
            "--leader-elect=false",
            *_CLIENT_RATE,
        ],
        niceness=processes.CONTROL_PLANE_NICENESS,
    )


def ensure_scheduler(paths: Paths) -> bool:
    """Starts the scheduler unless it runs; True if it was started."""
    kubeconfig = component_kubeconfig(paths, certificates.SCHEDULER)
    return processes.ensure_running(
        paths,
        SCHEDULER,
        [
            KUBERNETES.program(SCHEDULER),
            f"--kubeconfig={kubeconfig}",
            f"--authentication-kubeconfig={kubeconfig}",
            f"--authorization-kubeconfig={kubeconfig}",
            "--bind-address=127.0.0.1",
            "--leader-elect=false",
            *_CLIENT_RATE,
        ],
        niceness=processes.CONTROL_PLANE_NICENESS,
    )
