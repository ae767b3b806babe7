"""The cluster's own containerd, independent of one on the host."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cluster import gvisor, image_archive, processes
from cluster.commands import run, succeeds
from cluster.errors import ClusterError
from cluster.network import CNI_PROGRAMS, cni_directory
from cluster.progress import step
from cluster.settings import Paths
from cluster.waiting import wait_for

NAME = "containerd"
# The kubelet sees only images of this containerd namespace.
_KUBERNETES_IMAGES = "k8s.io"


def configuration(paths: Paths) -> str:
    """The text of its configuration file."""
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
# "opt" would create /opt/containerd on the host; the others need kernel features
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
{gvisor.containerd_runtime(paths) if gvisor.is_enabled(paths) else ""}"""


def ensure_running(paths: Paths) -> bool:
    """Starts containerd unless it runs; True if it was started."""
    paths.config.mkdir(parents=True, exist_ok=True)
    file = paths.config / "containerd.toml"
    text = configuration(paths)
    present = processes.alive(paths, NAME)
    if present and file.read_text() != text:
        step("restarting containerd with another configuration")
        processes.stop(present, what=NAME)
    file.write_text(text)
    program = shutil.which("containerd")
    if program is None:
        raise ClusterError("containerd is not installed")
    return processes.ensure_running(paths, NAME, [program, "--config", file])


def ctr(paths: Paths, *arguments: str | Path) -> list[str | Path]:
    """A ctr command line on the images that the kubelet sees."""
    return [
        "ctr",
        "--address",
        paths.containerd_socket,
        "--namespace",
        _KUBERNETES_IMAGES,
        *arguments,
    ]


def is_ready(paths: Paths) -> bool:
    """Whether containerd responds."""
    return paths.containerd_socket.is_socket() and succeeds(ctr(paths, "version"))


def wait_until_ready(paths: Paths) -> None:
    """Returns once containerd responds; ClusterError after 30 s."""
    wait_for(
        "containerd ready",
        lambda: is_ready(paths),
        seconds=30,
        still_possible=lambda: processes.alive(paths, NAME) is not None,
        hint=str(processes.log_file(paths, NAME)),
    )


def image_names(paths: Paths) -> set[str]:
    """References of all images in the cluster."""
    return set(run(ctr(paths, "images", "list", "--quiet")).split())


def image_digests(paths: Paths) -> dict[str, str]:
    """The digest of each image in the cluster, by its reference."""
    lines = run(ctr(paths, "images", "list")).splitlines()[1:]
    return {words[0]: words[2] for words in map(str.split, lines)}


def image_digest(paths: Paths, name: str) -> str:
    """The digest that the image `name` points to, or an empty string."""
    lines = run(ctr(paths, "images", "list", f"name=={name}")).splitlines()[1:]
    return lines[0].split()[2] if lines else ""


def content_digests(paths: Paths) -> set[str]:
    """Digests of all blobs in the content store."""
    return set(run(ctr(paths, "content", "list", "--quiet")).split())


def import_images(paths: Paths, archives: Iterable[Path]) -> None:
    """Imports docker-archive or OCI archive files, replacing images of the same name."""
    for archive in archives:
        if not archive.is_file():
            raise ClusterError(f"no such image archive: {archive}")
        run(ctr(paths, "images", "import", archive))
        step(f"imported {archive.name}")


@contextmanager
def importing(paths: Paths) -> Iterator[IO[bytes]]:
    """Imports the OCI archive that is written to the yielded stream."""
    importer = subprocess.Popen(
        [str(word) for word in ctr(paths, "images", "import", "-")],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert importer.stdin is not None and importer.stderr is not None
    # If the importer fails, the pipe breaks, and its stderr has the reason.
    with contextlib.suppress(BrokenPipeError), importer.stdin as sink:
        yield sink
    said = importer.stderr.read().decode(errors="replace")
    if importer.wait() != 0:
        last = said.strip().splitlines()[-1:]
        raise ClusterError(f"image import failed: {' '.join(last)}")


def ensure_cluster_images(paths: Paths) -> None:
    """Imports the images that the cluster itself needs."""
    present = image_names(paths)
    for image in image_archive.CLUSTER_IMAGES:
        if image.reference not in present:
            import_images(paths, [image_archive.ensure_archive(image)])
