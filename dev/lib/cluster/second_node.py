"""A second node, with a runtime, a kubelet and namespaces of its own, and no control plane.

It is lost at once when its first process is stopped, as a machine that loses its power is.
"""

from __future__ import annotations

import shutil
import subprocess

from cluster import (
    cgroups,
    containerd,
    kube_proxy,
    kubelet,
    network,
    network_policy,
    node,
    processes,
)
from cluster.api import Api
from cluster.errors import ClusterError
from cluster.keeper import ensure_keeper, stop_keeper
from cluster.processes import KEEPER, Record
from cluster.progress import step
from cluster.settings import Paths

_COMPONENTS = (KEEPER, containerd.NAME, kubelet.NAME, kube_proxy.NAME, network_policy.NAME)


def ensure_running(paths: Paths, first: Record, api: Api) -> None:
    """Adds the second node to a cluster that is up, or repairs it; gives it all images."""
    second = paths.second
    keeper, new = ensure_keeper(second)
    if new:
        cgroups.remove_parent(second)
    network.ensure_node_link(first, keeper)
    network.write_cni_configuration(second)
    containerd.ensure_running(second)
    containerd.wait_until_ready(second)
    copy_images(paths)
    node.start(second, api)


def copy_images(paths: Paths) -> None:
    """Copies the images that the second node, if there is one, lacks or has in another version."""
    if not is_there(paths):
        return
    there = containerd.image_digests(paths.second)
    images = containerd.image_digests(paths)
    # The kubelet's side of containerd names each image by its digest, too, and does so there.
    named = {name: of for name, of in images.items() if not name.startswith("sha256:")}
    missing = [name for name, digest in named.items() if there.get(name) != digest]
    if not missing:
        return
    source = containerd.ctr(paths, "images", "export", "--skip-manifest-json", "-", *missing)
    target = containerd.ctr(paths.second, "images", "import", "-")
    with subprocess.Popen([str(word) for word in source], stdout=subprocess.PIPE) as exporting:
        done = subprocess.run(
            [str(word) for word in target], stdin=exporting.stdout, capture_output=True, text=True
        )
    if done.returncode or exporting.returncode:
        raise ClusterError(f"images were not copied to the second node: {done.stderr[-200:]}")
    step(f"copied {len(missing)} images to the second node")


def is_there(paths: Paths) -> bool:
    """Whether it runs, or a part of it."""
    return processes.alive(paths.second, KEEPER) is not None


def running(paths: Paths) -> dict[str, bool]:
    """Whether each of its parts runs; empty without a second node."""
    if not is_there(paths):
        return {}
    second = paths.second
    return {f"{name} (second)": processes.alive(second, name) is not None for name in _COMPONENTS}


def stop(paths: Paths) -> None:
    """Ends all its processes at once; the cluster then has lost a node."""
    stop_keeper(paths.second)


def remove(paths: Paths) -> None:
    """Ends it and removes its files; its object stays in the API server."""
    stop(paths)
    cgroups.remove_parent(paths.second)
    shutil.rmtree(paths.second.state, ignore_errors=True)
