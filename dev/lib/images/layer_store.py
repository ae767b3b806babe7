"""Reads images straight from buildah's storage, one layer at a time.

buildah itself can only export a whole image: a gigabyte for the runner, where
a change of our own code is two layers of some hundred kilobytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from cluster.commands import run
from cluster.errors import ClusterError
from images import buildah

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Layer:
    """An uncompressed layer: its id in the storage, and digest and size of its tar."""

    storage_id: str
    digest: str
    size: int


@dataclass(frozen=True)
class StoredImage:
    """The exact bytes of an image's configuration, and its layers from the bottom up."""

    configuration: bytes
    layers: tuple[Layer, ...]


def digest_of(content: bytes) -> str:
    """The content's digest as registries write it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def order_layers(records: list[dict[str, Any]], digests: list[str]) -> tuple[Layer, ...]:
    """Finds the chain of stored layers whose digests are `digests`, bottom first.

    The same digest may be stored under several parents.
    """
    chain: list[Layer] = []
    parent = ""
    for digest in digests:
        for record in records:
            if record.get("diff-digest") == digest and record.get("parent", "") == parent:
                chain.append(Layer(record["id"], digest, record["diff-size"]))
                parent = record["id"]
                break
        else:
            raise ClusterError(f"layer {digest} is not in the image storage")
    return tuple(chain)


def read_image(reference: str) -> StoredImage:
    """The image of this name; raises ClusterError if it is not stored."""
    inspected = json.loads(run(buildah.command("inspect", "--type", "image", reference)))
    configuration = inspected["Config"].encode()
    digests = json.loads(configuration)["rootfs"]["diff_ids"]
    records = json.loads((buildah.storage() / "overlay-layers" / "layers.json").read_text())
    return StoredImage(configuration, order_layers(records, digests))


def write_layer(layer: Layer, sink: IO[bytes], storage: Path | None = None) -> None:
    """Writes the layer's tar, from its recorded headers and its files.

    Raises ClusterError if the bytes are not those that the digest promises.
    """
    root = storage or buildah.storage()
    files = root / "overlay" / layer.storage_id / "diff"
    digest = hashlib.sha256()
    with gzip.open(root / "overlay-layers" / f"{layer.storage_id}.tar-split.gz") as record:
        for line in record:
            entry = json.loads(line)
            if entry["type"] == 2:
                content = base64.b64decode(entry["payload"])
                digest.update(content)
                sink.write(content)
            elif entry.get("size"):
                name = entry.get("name") or base64.b64decode(entry["name_raw"]).decode(
                    errors="surrogateescape"
                )
                with (files / name).open("rb") as file:
                    while content := file.read(_CHUNK):
                        digest.update(content)
                        sink.write(content)
    if f"sha256:{digest.hexdigest()}" != layer.digest:
        raise ClusterError(f"layer {layer.digest} cannot be read back from the image storage")
