"""gVisor as a second container runtime, for Pods of the RuntimeClass `gvisor`."""

from __future__ import annotations

import json
from pathlib import Path

from cluster.api import Api
from cluster.binaries import GVISOR
from cluster.settings import Paths

NAME = "gvisor"


def _options(paths: Paths) -> Path:
    return paths.config / "runsc.toml"


def enable(paths: Paths) -> None:
    """Writes what containerd needs; it is configured with gVisor from then on."""
    paths.config.mkdir(parents=True, exist_ok=True)
    _options(paths).write_text(f"binary_name = {json.dumps(str(GVISOR.program('runsc')))}\n")


def is_enabled(paths: Paths) -> bool:
    """Whether the cluster was ever started with gVisor."""
    return _options(paths).exists()


def containerd_runtime(paths: Paths) -> str:
    """The section of containerd's configuration."""
    shim, options = (
        json.dumps(str(path))
        for path in (GVISOR.program("containerd-shim-runsc-v1"), _options(paths))
    )
    return f"""
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.{NAME}]
    # containerd 1.6 looks for other types in its PATH only, and ignores runtime_path.
    runtime_type = {shim}
    # With these a Pod names the volumes that its containers share.
    pod_annotations = ["dev.gvisor.spec.mount.*"]

    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.{NAME}.options]
      TypeUrl = "io.containerd.runsc.v1.options"
      ConfigPath = {options}
"""


def create_runtime_class(api: Api) -> None:
    """Lets Pods choose gVisor."""
    api.apply(
        f"/apis/node.k8s.io/v1/runtimeclasses/{NAME}",
        {
            "apiVersion": "node.k8s.io/v1",
            "kind": "RuntimeClass",
            "metadata": {"name": NAME},
            "handler": NAME,
        },
    )
