"""Client configuration files, written as JSON (which every YAML parser accepts)."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

from cluster import settings
from cluster.certificates import ADMIN, Subject, authority, certificate, key
from cluster.settings import Paths


def _encoded(file: Path) -> str:
    return base64.b64encode(file.read_bytes()).decode()


def render(paths: Paths, subject: Subject) -> str:
    """A kubeconfig of one context, named like the cluster, with `subject` as its user."""
    context = paths.context
    cluster = {
        "server": settings.API_URL,
        "certificate-authority-data": _encoded(authority(paths)),
    }
    user = {
        "client-certificate-data": _encoded(certificate(paths, subject)),
        "client-key-data": _encoded(key(paths, subject)),
    }
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": cluster}],
        "users": [{"name": context, "user": user}],
        "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
        "current-context": context,
    }
    return json.dumps(document, indent=2) + "\n"


def write_private(target: Path, text: str) -> None:
    """Replaces `target` at once, readable by its owner only: it holds a private key."""
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    scratch.rename(target)


def component_kubeconfig(paths: Paths, subject: Subject) -> Path:
    """Writes and names the kubeconfig of one component."""
    target = paths.config / f"{subject.file}.kubeconfig"
    write_private(target, render(paths, subject))
    return target


def write_admin_kubeconfigs(paths: Paths) -> None:
    """Writes the administrator's kubeconfig for these scripts and for the calling work tree."""
    for target in (paths.admin_kubeconfig, paths.work_tree_kubeconfig):
        write_private(target, render(paths, ADMIN))
