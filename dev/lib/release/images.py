"""Builds the images of a release, pushes each to the registry, and keeps each as an OCI archive."""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cluster.commands import run
from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import REPOSITORY
from dist.archive import write_tar
from images import buildah, class_archives
from images import cli as images_cli
from images.catalog import IMAGES, Image
from release.sources import commit_time


@dataclass(frozen=True)
class Registry:
    """Where a release is pushed to: a host, and a path before `assay`."""

    host: str
    path: str
    insecure: bool

    @staticmethod
    def of(address: str, insecure: bool) -> Registry:
        """Parses HOST[:PORT][/PATH]."""
        host, _, path = address.strip("/").partition("/")
        if not host or "//" in address or "@" in address:
            raise ClusterError(f"--registry {address} is not HOST[:PORT][/PATH]")
        return Registry(host, path, insecure)

    @property
    def prefix(self) -> str:
        """The path of our images, as the chart's `image.repositoryPrefix`."""
        return f"{self.path}/assay" if self.path else "assay"

    def repository(self, image: str) -> str:
        return f"{self.host}/{self.prefix}/{image}"


def release_images(
    version: str, registry: Registry, output: Path, archives: Path | None
) -> Mapping[str, str]:
    """Builds and pushes all; returns the digest of each by its name.

    `archives` are the class archives of an earlier build, with which this one gives the same bytes.
    """
    command = ["--tag", version, "--revision", version, "--no-load"]
    command += ["--reproducible", str(commit_time(REPOSITORY))]
    if archives:
        command += ["--class-archives", str(archives)]
    if images_cli.main(command) != 0:
        raise ClusterError("the images could not be built")
    delivered = [image for image in IMAGES if image.is_delivered]
    with buildah.exclusive():
        _keep_class_archives(version, output / "class-archives")
        return {image.name: _deliver(image, version, registry, output) for image in delivered}


def _keep_class_archives(version: str, folder: Path) -> None:
    for image in (image for image in IMAGES if image.name in class_archives.ARCHIVES):
        with mounted(image, version) as root:
            class_archives.keep(image.name, root, folder)
    class_archives.seal(folder, class_archives.programs())


def _deliver(image: Image, version: str, registry: Registry, output: Path) -> str:
    local = f"localhost/{image.repository}:{version}"
    archive = output / f"{image.name}.oci.tar"
    with tempfile.TemporaryDirectory(dir=output) as name:
        layout = Path(name)
        run(buildah.command("push", "--quiet", local, f"oci:{layout}:{version}"))
        with open(archive, "wb") as file:
            write_tar(sorted(layout.rglob("*")), layout, file)
    tls = ["--tls-verify=false"] if registry.insecure else []
    target = f"{registry.repository(image.name)}:{version}"
    with tempfile.NamedTemporaryFile() as file:
        push = buildah.command("push", "--quiet", *tls, "--digestfile", file.name)
        run([*push, local, f"docker://{target}"])
        digest = Path(file.name).read_text().strip()
    if archive_digest(archive) != digest:
        raise ClusterError(f"{archive.name} has another digest than {target}")
    step(f"pushed {target}@{digest}")
    return digest


def archive_digest(archive: Path) -> str:
    """The digest of the image in an OCI archive."""
    with tarfile.open(archive) as tar:
        index = tar.extractfile("index.json")
        assert index
        digest: str = json.load(index)["manifests"][0]["digest"]
        return digest


@contextmanager
def mounted(image: Image, version: str) -> Iterator[Path]:
    """The files of an image, to read."""
    container = run(
        buildah.command("from", "--pull-never", f"localhost/{image.repository}:{version}")
    ).strip()
    try:
        yield Path(run(buildah.command("mount", container)).strip())
    finally:
        run(buildah.command("umount", container))
        run(buildah.command("rm", container))


def debian_packages(root: Path) -> dict[str, str]:
    """The Debian packages of an image with their versions."""
    status = root / "var" / "lib" / "dpkg" / "status"
    if not os.path.exists(status):
        return {}
    found = {}
    for paragraph in status.read_text(errors="replace").split("\n\n"):
        fields = dict(
            line.split(": ", 1)
            for line in paragraph.splitlines()
            if ": " in line and line[0] != " "
        )
        if fields.get("Status", "").endswith(" installed"):
            found[fields["Package"]] = fields["Version"]
    return found
