"""Images of one static program each, written without any image tool."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from dataclasses import dataclass
from pathlib import Path

from cluster import settings
from cluster.binaries import COREDNS, PAUSE, Build

PAUSE_IMAGE = f"localhost/assay-dev/pause:{settings.PAUSE_VERSION}"
COREDNS_IMAGE = f"localhost/assay-dev/coredns:{settings.COREDNS_VERSION}"


@dataclass(frozen=True)
class ProgramImage:
    """An image that holds one static program and runs it as `user`."""

    reference: str
    build: Build
    user: str

    @property
    def program(self) -> str:
        return self.build.programs[0]


CLUSTER_IMAGES = (
    ProgramImage(PAUSE_IMAGE, PAUSE, "65535:65535"),
    ProgramImage(COREDNS_IMAGE, COREDNS, "65532:65532"),
)


def _tar(entries: dict[str, tuple[bytes, int]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, (content, mode) in entries.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), mode
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def docker_archive(reference: str, program: str, content: bytes, user: str) -> bytes:
    """A docker-archive whose only layer is `program` at the root; same input, same bytes."""
    layer = _tar({program: (content, 0o755)})
    configuration = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Entrypoint": [f"/{program}"], "User": user},
            "rootfs": {
                "type": "layers",
                "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"],
            },
        }
    ).encode()
    name = f"{hashlib.sha256(configuration).hexdigest()}.json"
    manifest = json.dumps([{"Config": name, "RepoTags": [reference], "Layers": ["layer.tar"]}])
    return _tar(
        {
            name: (configuration, 0o644),
            "layer.tar": (layer, 0o644),
            "manifest.json": (manifest.encode(), 0o644),
        }
    )


def ensure_archive(image: ProgramImage) -> Path:
    """The image's archive in the cache, written when missing."""
    directory = settings.cache_root() / "images"
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / f"{image.build.directory().name}.tar"
    if not target.is_file():
        content = image.build.program(image.program).read_bytes()
        scratch = target.with_suffix(".new")
        scratch.write_bytes(docker_archive(image.reference, image.program, content, image.user))
        scratch.rename(target)
    return target
