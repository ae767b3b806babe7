"""Launches a runner as a Pod, by kubectl, for `run --launch`.

    launch_pod.py IMAGE

Needs a machine that reaches Pods, such as a node. The namespace of ASSAY_POD_NAMESPACE must exist.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping

_PORT = 7333
_FIELDS = {"ASSAY_POD_UID": "metadata.uid", "ASSAY_POD_NAMESPACE": "metadata.namespace"}


def main() -> None:
    """Make the Pod, tell its address, and delete it when stdin ends."""
    kubectl = ("kubectl", "--namespace", os.environ["ASSAY_POD_NAMESPACE"])
    manifest = json.dumps(pod(sys.argv[1], os.environ)).encode()
    name = _output(*kubectl, "create", "--filename=-", "--output=name", stdin=manifest)
    try:
        _output(*kubectl, "wait", name, "--for=condition=Ready", "--timeout=100s")
        made = json.loads(_output(*kubectl, "get", name, "--output=json"))
        address = f"{made['status']['podIP']}:{_PORT}"
        wait_for_log(kubectl, name)
        print(json.dumps({"address": address, "podUid": made["metadata"]["uid"]}), flush=True)
        sys.stdin.read()
    finally:
        _output(*kubectl, "delete", name, "--wait=false")


def wait_for_log(kubectl: tuple[str, ...], name: str) -> None:
    """Return when the supervisor listens."""
    command = (*kubectl, "logs", "--follow", "--container=supervisor", name)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as logs:  # noqa: S603
        assert logs.stdout is not None
        logs.stdout.readline()
        logs.terminate()


def pod(image: str, environment: Mapping[str, str]) -> dict[str, object]:
    """Return the manifest of a Pod that runs Python."""
    settings = [
        {"name": name, "value": value}
        for name, value in environment.items()
        if name.startswith("ASSAY_") and name not in _FIELDS
    ]
    fields = [
        {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
        for name, path in _FIELDS.items()
    ]
    supervisor = container("supervisor", 20_000, image, "supervisor")
    supervisor["env"] = [*settings, *fields]
    supervisor["volumeMounts"] = [{"name": "socket", "mountPath": "/run/assay"}]
    worker = container("worker", 20_001, image, "launcher", "python")
    worker["volumeMounts"] = [
        {"name": "socket", "mountPath": "/run/assay", "readOnly": True},
        {"name": "scratch", "mountPath": "/workspace", "subPath": "workspace"},
        {"name": "scratch", "mountPath": "/scratch", "subPath": "work"},
        {"name": "scratch", "mountPath": "/tmp", "subPath": "tmp"},  # noqa: S108 - of the Pod
    ]
    worker["env"] = [{"name": "TMPDIR", "value": "/tmp"}]  # noqa: S108
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"generateName": "conformance-"},
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 1,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "securityContext": {
                "runAsNonRoot": True,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [worker, supervisor],
            "volumes": [
                {"name": "socket", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}},
                {"name": "scratch", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}},
            ],
        },
    }


def container(name: str, user: int, image: str, *command: str) -> dict[str, object]:
    """Return one of the two containers, without its mounts."""
    module, *arguments = command
    return {
        "name": name,
        "image": image,
        "command": ["python3", "-I", "-m", f"assay_runner.{module}", *arguments],
        "securityContext": {
            "runAsUser": user,
            "runAsGroup": user,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }


def _output(*command: str, stdin: bytes | None = None) -> str:
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True)  # noqa: S603
    return done.stdout.decode().strip()


if __name__ == "__main__":
    main()
