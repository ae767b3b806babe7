"""A containerd of the cluster's own, beside any that the host may run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from cluster import image_archive, processes
from cluster.commands import run, succeeds
from cluster.errors import ClusterError
from cluster.network import CNI_PROGRAMS, cni_directory
from cluster.progress import step
from cluster.settings import Paths
from cluster.waiting import wait_for

NAME = "containerd"
# The kubelet sees only images of this containerd namespace.
_KUBERNETES_IMAGES = "k8s.io"


def _configuration(paths: Paths) -> str:
    # JSON strings are valid TOML strings.
    root, socket, cni, programs = (
        json.dumps(str(path))
        for path in (
            paths.containerd_root,
            paths.containerd_socket,
            cni_directory(paths),
            CNI_PROGRAMS,
        )
    )
    return f"""\
version = 2
root = {root}
state = "/run/containerd"
# "opt" would create /opt/containerd on the host; the others want kernel parts
# that not every machine has.
disabled_plugins = [
  "io.containerd.internal.v1.opt",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]

[grpc]
  address = {socket}

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{image_archive.PAUSE_IMAGE}"
  # Machines without CAP_SYS_RESOURCE may not lower oom_score_adj, and every
  # sandbox fails where that is tried.
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"

  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = {programs}
    conf_dir = {cni}

  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"

    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
"""


def ensure_running(paths: Paths) -> bool:
    """Starts containerd unless it runs; True if it was started."""
    paths.config.mkdir(parents=True, exist_ok=True)
    file = paths.config / "containerd.toml"
    file.write_text(_configuration(paths))
    program = shutil.which("containerd")
    if program is None:
        raise ClusterError("containerd is not installed")
    return processes.ensure_running(paths, NAME, [program, "--config", file])


def _ctr(paths: Paths, *arguments: str | Path) -> list[str | Path]:
    return [
        "ctr", "--address", paths.containerd_socket, "--namespace", _KUBERNETES_IMAGES, *arguments
    ]  # fmt: skip


def is_ready(paths: Paths) -> bool:
    """Whether containerd answers."""
    return paths.containerd_socket.is_socket() and succeeds(_ctr(paths, "version"))


def wait_until_ready(paths: Paths) -> None:
    """Returns once containerd answers; ClusterError after 30 s."""
    wait_for(
        "containerd ready",
        lambda: is_ready(paths),
        seconds=30,
        still_possible=lambda: processes.alive(paths, NAME) is not None,
        hint=str(processes.log_file(paths, NAME)),
    )


def image_names(paths: Paths) -> set[str]:
    """References of all images in the cluster."""
    return set(run(_ctr(paths, "images", "list", "--quiet")).split())


def import_images(paths: Paths, archives: Iterable[Path]) -> None:
    """Imports docker-archive or OCI archive files, replacing images of the same name."""
    for archive in archives:
        if not archive.is_file():
            raise ClusterError(f"no such image archive: {archive}")
        run(_ctr(paths, "images", "import", archive))
        step(f"imported {archive.name}")


def ensure_cluster_images(paths: Paths) -> None:
    """Brings in the images that the cluster itself needs."""
    present = image_names(paths)
    for image in image_archive.CLUSTER_IMAGES:
        if image.reference not in present:
            import_images(paths, [image_archive.ensure_archive(image)])
