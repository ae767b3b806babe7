"""Installs the chart with a fresh key and fills the source volume."""

from __future__ import annotations

import hashlib
import io
import json
import secrets
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from e2e import settings
from e2e.commands import kubectl, run
from e2e.errors import E2eError

_DEPLOYMENTS = (
    "deployment/assay-operator",
    "deployment/assay-mcp-frontend",
    "deployment/assay-tool-gateway",
)
_KINDS = ("analyticsruns", "datasets", "runclasses", "toolservers")
_LOADER = "e2e-loader"
# What an earlier run has copied must not be in a folder beside the files of this one.
_UNPACK = """
import os, shutil, sys, tarfile
for name in os.listdir("/data"):
    shutil.rmtree(os.path.join("/data", name), ignore_errors=True)
tarfile.open(fileobj=sys.stdin.buffer, mode="r|gz").extractall("/data")
"""
_DIGEST_ANNOTATION = "e2e.assay.dev/data"
# A dataset that never loads is one of the scenarios; it must not delay the others.
_DATASET_WAIT_SECONDS = 5
# A scenario that waits for the end of its run gets it, however busy the machine is.
_WAIT_SECONDS = 600


@dataclass(frozen=True)
class Installed:
    """How to reach what was installed."""

    endpoint: str
    key: str
    other_key: str


def _release_exists() -> bool:
    listed = json.loads(
        run(["helm", "list", "--all", "--namespace", settings.SYSTEM_NAMESPACE, "-o", "json"])
    )
    return any(release["name"] == settings.RELEASE for release in listed)


def install(more: Mapping[str, str], chart: Path = settings.CHART) -> Installed:
    """Installs or upgrades the release and waits until its Deployments are up.

    Args:
        more: values of the chart beyond those of the development cluster.
        chart: its folder, of this or another version.
    """
    keys = {caller: secrets.token_hex(32) for caller in settings.CALLERS}
    existed = _release_exists()
    values = {
        "frontend.defaults.datasetWaitSeconds": str(_DATASET_WAIT_SECONDS),
        "frontend.defaults.waitSeconds": str(_WAIT_SECONDS),
        **more,
    }
    for number, (caller, key) in enumerate(keys.items()):
        values |= {
            f"auth.keys[{number}].caller": caller,
            f"auth.keys[{number}].namespace": settings.RUN_NAMESPACE,
            f"auth.keys[{number}].sha256": hashlib.sha256(key.encode()).hexdigest(),
        }
    if chart == settings.CHART:
        # An earlier chart may not know these values.
        values |= {
            # Scenarios read by it what they create with kubectl.
            "auth.keys[0].shared": "all",
            "auth.keys[1].servers": f"{{{settings.GRANTED_SERVER}}}",
            "auth.keys[1].permissions": "{read}",
        }
    command: list[str | Path] = ["helm", "upgrade", "--install", settings.RELEASE, chart]
    command += ["--namespace", settings.SYSTEM_NAMESPACE, "--create-namespace"]
    command += ["--values", chart / "values-dev.yaml"]
    command += ["--set", ",".join(f"{name}={value}" for name, value in values.items())]
    run(command)
    if existed:
        # The tag of a rebuilt image stays "dev", so nothing else replaces the Pods.
        system = ("--namespace", settings.SYSTEM_NAMESPACE)
        kubectl(*system, "rollout", "restart", *_DEPLOYMENTS)
    wait_until_rolled_out()
    return Installed(_endpoint(), *keys.values())


def wait_until_rolled_out() -> None:
    """Waits until all Pods of the Deployments are those of their present templates."""
    for deployment in _DEPLOYMENTS:
        kubectl(
            "--namespace",
            settings.SYSTEM_NAMESPACE,
            "rollout",
            "status",
            deployment,
            "--timeout=180s",
        )


def _endpoint() -> str:
    service = json.loads(
        kubectl("--namespace", settings.SYSTEM_NAMESPACE, "get", "service/assay", "-o", "json")
    )
    # dev/cluster routes Service addresses to this machine.
    address = service["spec"]["clusterIP"]
    port = service["spec"]["ports"][0]["port"]
    return f"http://{address}:{port}/mcp"


def wait_until_served(installed: Installed, *, seconds: float = 120) -> None:
    """Waits until the endpoint lists its tools; E2eError with its last response otherwise."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    request = urllib.request.Request(
        installed.endpoint,
        body.encode(),
        {
            "Authorization": f"Bearer {installed.key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        },
    )
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + seconds
    while True:
        try:
            with direct.open(request, timeout=10):
                return
        except urllib.error.HTTPError as answer:
            # Any response except a rejection means that the server speaks MCP.
            if answer.code not in (401, 403, 404) and answer.code < 500:
                return
            said = str(answer)
        except OSError as failure:
            said = str(failure)
        if time.monotonic() > end:
            raise E2eError(f"{installed.endpoint} is not ready: {said}")
        time.sleep(0.5)


def _archive(data: Path) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for entry in sorted(data.iterdir()):
            archive.add(entry, entry.name)
    return buffer.getvalue()


def _claim(digest: str | None = None) -> dict[str, object]:
    metadata: dict[str, object] = {"name": settings.SOURCE_CLAIM}
    if digest is not None:
        metadata["annotations"] = {_DIGEST_ANNOTATION: digest}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": {
            "storageClassName": "local",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


def _loader() -> dict[str, object]:
    restricted = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": _LOADER},
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 0,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": 65532,
                "fsGroup": 65532,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [
                {
                    "name": "loader",
                    "image": "assay/runner:dev",
                    "imagePullPolicy": "IfNotPresent",
                    "command": ["sleep", "600"],
                    "securityContext": restricted,
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                }
            ],
            "volumes": [
                {
                    "name": "data",
                    "persistentVolumeClaim": {"claimName": settings.SOURCE_CLAIM},
                }
            ],
        },
    }


def fill_source_volume(data: Path, digest: str) -> bool:
    """Copies `data` to the volume by way of a Pod; False if it was there already."""
    runs = ("--namespace", settings.RUN_NAMESPACE)
    kubectl(*runs, "apply", "-f", "-", stdin=json.dumps(_claim()))
    claim = json.loads(kubectl(*runs, "get", f"pvc/{settings.SOURCE_CLAIM}", "-o", "json"))
    if claim["metadata"].get("annotations", {}).get(_DIGEST_ANNOTATION) == digest:
        return False
    kubectl(*runs, "delete", f"pod/{_LOADER}", "--ignore-not-found", "--wait")
    kubectl(*runs, "create", "-f", "-", stdin=json.dumps(_loader()))
    try:
        kubectl(*runs, "wait", "--for=condition=Ready", f"pod/{_LOADER}", "--timeout=120s")
        command = ["kubectl", *runs, "exec", "-i", _LOADER, "--", "python3", "-c", _UNPACK]
        run(command, stdin=_archive(data), seconds=120)
    finally:
        kubectl(*runs, "delete", f"pod/{_LOADER}", "--wait")
    note = f"{_DIGEST_ANNOTATION}={digest}"
    kubectl(*runs, "annotate", f"pvc/{settings.SOURCE_CLAIM}", note, "--overwrite")
    return True


def remove() -> None:
    """Uninstalls the release and everything that it retains, including data."""
    system = settings.SYSTEM_NAMESPACE
    run(["helm", "uninstall", settings.RELEASE, "--namespace", system, "--ignore-not-found"])
    namespaces = (settings.RUN_NAMESPACE, settings.CREDENTIAL_NAMESPACE, system)
    kubectl("delete", "namespace", *namespaces, "--ignore-not-found", "--timeout=180s")
    crds = [f"{kind}.assay.dev" for kind in _KINDS]
    kubectl("delete", "crd", *crds, "--ignore-not-found", "--timeout=60s")
