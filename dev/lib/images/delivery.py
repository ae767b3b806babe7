"""Delivers built images to our cluster, kind, k3d or a registry."""

from __future__ import annotations

import json
import tarfile
import tempfile
from pathlib import Path
from typing import IO

from cluster import containerd, second_node
from cluster.commands import run
from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import Paths
from images import buildah
from images.layer_store import StoredImage, digest_of, read_image, write_layer

_LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar"
_CONFIGURATION_TYPE = "application/vnd.oci.image.config.v1+json"
_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"


def render_manifest(image: StoredImage) -> bytes:
    """The OCI manifest of an image with uncompressed layers; same image, same bytes."""
    return json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": _MANIFEST_TYPE,
            "config": {
                "mediaType": _CONFIGURATION_TYPE,
                "digest": digest_of(image.configuration),
                "size": len(image.configuration),
            },
            "layers": [
                {"mediaType": _LAYER_TYPE, "digest": layer.digest, "size": layer.size}
                for layer in image.layers
            ],
        }
    ).encode()


def _header(name: str, size: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size = size
    return member.tobuf()


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)


def _blob_name(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def write_archive(image: StoredImage, name: str, present: set[str], sink: IO[bytes]) -> None:
    """Streams the image as an OCI archive, without the layers named in `present`."""
    manifest = render_manifest(image)
    descriptor = {
        "mediaType": _MANIFEST_TYPE,
        "digest": digest_of(manifest),
        "size": len(manifest),
        "annotations": {"io.containerd.image.name": name},
    }
    index = json.dumps({"schemaVersion": 2, "manifests": [descriptor]}).encode()
    for member, content in (
        ("oci-layout", b'{"imageLayoutVersion":"1.0.0"}'),
        ("index.json", index),
        (_blob_name(digest_of(manifest)), manifest),
        (_blob_name(digest_of(image.configuration)), image.configuration),
    ):
        sink.write(_header(member, len(content)) + content + _padding(len(content)))
    written: set[str] = set()
    for layer in image.layers:
        if layer.digest not in present | written:
            sink.write(_header(_blob_name(layer.digest), layer.size))
            write_layer(layer, sink)
            sink.write(_padding(layer.size))
            written.add(layer.digest)
    sink.write(bytes(2 * tarfile.BLOCKSIZE))


def _load_into_ours(paths: Paths, repository: str, tag: str, reference: str) -> None:
    # Kubernetes expands a name without a registry in this way.
    name = f"docker.io/{repository}:{tag}"
    image = read_image(reference)
    if containerd.image_digest(paths, name) == digest_of(render_manifest(image)):
        step(f"{repository}:{tag} is in cluster {paths.context} already")
        return
    present = containerd.content_digests(paths)
    with containerd.importing(paths) as sink:
        write_archive(image, name, present, sink)
    second_node.copy_images(paths)
    step(f"loaded {repository}:{tag} into cluster {paths.context}")


def _load_by_archive(tool: list[str], name: str, repository: str, tag: str, reference: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        archive = Path(scratch) / f"{name}.tar"
        full_name = f"docker.io/{repository}:{tag}"
        run(
            buildah.command(
                "push",
                "--quiet",
                "--format",
                "v2s2",
                reference,
                f"docker-archive:{archive}:{full_name}",
            )
        )
        run([word.format(archive=archive) for word in tool])
    step(f"loaded {repository}:{tag} with {tool[0]}")


def load(context: str, name: str, repository: str, tag: str, reference: str) -> None:
    """Loads an image into the cluster of a kubeconfig context; no-op if it is there."""
    kind, _, cluster = context.partition("-")
    if kind == "kind" and cluster:
        tool = ["kind", "load", "image-archive", "{archive}", "--name", cluster]
        _load_by_archive(tool, name, repository, tag, reference)
    elif kind == "k3d" and cluster:
        tool = ["k3d", "image", "import", "{archive}", "--cluster", cluster]
        _load_by_archive(tool, name, repository, tag, reference)
    else:
        paths = Paths(context)
        if not containerd.is_ready(paths):
            raise ClusterError(f"cluster {context!r} is not up: dev/cluster up")
        _load_into_ours(paths, repository, tag, reference)


def push(registry: str, repository: str, tag: str, reference: str) -> None:
    """Pushes an image to `registry` with the caller's own login."""
    target = f"{registry.rstrip('/')}/{repository}:{tag}"
    run(buildah.command("push", "--quiet", reference, f"docker://{target}"))
    step(f"pushed {target}")
