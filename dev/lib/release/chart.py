"""The chart of a release, which names its images by digest."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path

from cluster.binaries import HELM, ensure_binaries
from cluster.commands import run
from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import REPOSITORY
from dist.archive import pack
from release.images import Registry
from release.sources import commit_time


def with_images(values: str, version: str, registry: Registry, digests: Mapping[str, str]) -> str:
    """The values of the chart with the images of a release."""
    listed = "".join(f"\n    {name}: {digest}" for name, digest in sorted(digests.items()))
    for field, old, new in (
        ("registry", '""', f'"{registry.host}"'),
        ("repositoryPrefix", "assay", registry.prefix),
        ("tag", "dev", f'"{version}"'),
        ("digests", "{}", listed.lstrip(" ") or "{}"),
    ):
        pattern = re.compile(rf"^  {field}: {re.escape(old)}$", re.MULTILINE)
        values, found = pattern.subn(f"  {field}: {new}".replace(": \n", ":\n"), values)
        if found != 1:
            raise ClusterError(f"helm/assay/values.yaml has no image.{field}: {old}")
    return values


def package(
    version: str, registry: Registry, digests: Mapping[str, str], scratch: Path, output: Path
) -> Path:
    """Writes the chart as helm does, but always the same bytes for the same files."""
    ensure_binaries([HELM])
    source = scratch / "source" / "assay"
    shutil.copytree(REPOSITORY / "helm" / "assay", source)
    values = source / "values.yaml"
    values.write_text(with_images(values.read_text(), version, registry, digests))
    versions = ["--version", version, "--app-version", version]
    run([HELM.program("helm"), "package", source, *versions, "--destination", scratch])
    target = output / f"assay-{version}.tgz"
    with tarfile.open(scratch / target.name) as tar:
        tar.extractall(scratch / "packed", filter="data")
    pack(scratch / "packed" / "assay", target)
    # Helm pushes it with the time of the file.
    time = commit_time(REPOSITORY)
    os.utime(target, (time, time))
    step(f"wrote the chart {target.name}")
    return target


def push(chart: Path, registry: Registry) -> str:
    """Pushes the chart as an OCI artifact; returns its reference by digest."""
    address = f"oci://{registry.host}/{registry.prefix}/charts"
    plain = ["--plain-http"] if registry.insecure else []
    command = [str(HELM.program("helm")), "push", str(chart), address, *plain]
    # Helm reports the digest on standard error, and writes the time of the file as local time.
    said = run(["sh", "-c", 'TZ=UTC "$@" 2>&1', "sh", *command])
    found = re.search(r"Digest: (sha256:[0-9a-f]{64})", said)
    if found is None:
        raise ClusterError(f"helm push did not report a digest: {said.strip()}")
    reference = f"{registry.host}/{registry.prefix}/charts/assay@{found[1]}"
    step(f"pushed oci://{reference}")
    return reference
