"""The cluster's certificate authority and the certificates of its components."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cluster import settings
from cluster.commands import run
from cluster.settings import Node, Paths

_DAYS = "3650"


@dataclass(frozen=True)
class Subject:
    """The subject of a certificate: Kubernetes uses CN as the user and O as the group."""

    file: str
    user: str
    group: str = ""
    alternative_names: str = ""

    @property
    def distinguished_name(self) -> str:
        group = f"/O={self.group}" if self.group else ""
        return f"{group}/CN={self.user}"


_API_NAMES = ",".join(
    (
        "DNS:kubernetes",
        "DNS:kubernetes.default",
        "DNS:kubernetes.default.svc",
        f"DNS:kubernetes.default.svc.{settings.CLUSTER_DOMAIN}",
        "DNS:localhost",
        f"IP:{settings.API_SERVICE_IP}",
        f"IP:{settings.NODE_IP}",
        "IP:127.0.0.1",
    )
)

ADMIN = Subject("admin", "assay-dev-admin", "system:masters")
API_SERVER = Subject("api-server", "kube-apiserver", alternative_names=_API_NAMES)
API_SERVER_TO_KUBELET = Subject(
    "api-server-to-kubelet", "kube-apiserver-kubelet-client", "system:masters"
)
CONTROLLER_MANAGER = Subject("controller-manager", "system:kube-controller-manager")
SCHEDULER = Subject("scheduler", "system:kube-scheduler")
KUBE_PROXY = Subject("kube-proxy", "system:kube-proxy")
KUBE_ROUTER = Subject("kube-router", "assay-dev:kube-router")


def kubelet(node: Node) -> Subject:
    """The subject of a node's kubelet."""
    file = "kubelet" if node == settings.FIRST_NODE else f"kubelet-{node.name}"
    return Subject(file, f"system:node:{node.name}", "system:nodes")


_ALL = (
    ADMIN,
    API_SERVER,
    API_SERVER_TO_KUBELET,
    CONTROLLER_MANAGER,
    SCHEDULER,
    KUBE_PROXY,
    KUBE_ROUTER,
    kubelet(settings.FIRST_NODE),
    kubelet(settings.SECOND_NODE),
)


def authority(paths: Paths) -> Path:
    return paths.certificates / "ca.crt"


def authority_key(paths: Paths) -> Path:
    return paths.certificates / "ca.key"


def certificate(paths: Paths, subject: Subject) -> Path:
    return paths.certificates / f"{subject.file}.crt"


def key(paths: Paths, subject: Subject) -> Path:
    return paths.certificates / f"{subject.file}.key"


def service_account_key(paths: Paths) -> Path:
    """Signs and verifies ServiceAccount tokens; the API server uses one file for both."""
    return paths.certificates / "service-account.key"


def _request(directory: Path, name: str, distinguished_name: str) -> list[str]:
    return [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        _DAYS,
        "-keyout",
        str(directory / f"{name}.key"),
        "-out",
        str(directory / f"{name}.crt"),
        "-subj",
        distinguished_name,
    ]


def _issue(directory: Path, subject: Subject) -> None:
    command = [
        *_request(directory, subject.file, subject.distinguished_name),
        "-CA",
        str(directory / "ca.crt"),
        "-CAkey",
        str(directory / "ca.key"),
        "-addext",
        "basicConstraints=critical,CA:FALSE",
        "-addext",
        "keyUsage=critical,digitalSignature,keyEncipherment",
        "-addext",
        "extendedKeyUsage=serverAuth,clientAuth",
    ]
    if subject.alternative_names:
        command += ["-addext", f"subjectAltName={subject.alternative_names}"]
    run(command)


def ensure_certificates(paths: Paths) -> bool:
    """Issues all certificates unless they exist; True if the authority is new."""
    if paths.certificates.is_dir():
        # Of a node that an earlier version of this command did not know.
        for subject in _ALL:
            if not certificate(paths, subject).exists():
                _issue(paths.certificates, subject)
        return False
    paths.state.mkdir(parents=True, exist_ok=True)
    scratch = paths.certificates.with_name("certificates.new")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(mode=0o700)
    run(
        [
            *_request(scratch, "ca", "/CN=assay-dev-ca"),
            "-addext",
            "keyUsage=critical,digitalSignature,keyEncipherment,keyCertSign",
        ]
    )
    run(["openssl", "genrsa", "-out", scratch / "service-account.key", "2048"])
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda subject: _issue(scratch, subject), _ALL))
    scratch.rename(paths.certificates)
    return True
