"""Builds the cluster's programs from Go modules and keeps them in the cache."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cluster import settings
from cluster.errors import ClusterError
from cluster.progress import step

_VERSION_PACKAGE = "k8s.io/component-base/version"
_KUBERNETES_MINOR = settings.KUBERNETES_VERSION.split(".")[1]


@dataclass(frozen=True)
class Build:
    """One Go module below dev/cluster-binaries and the programs it yields."""

    name: str
    version: str
    programs: tuple[str, ...]
    packages: tuple[str, ...]
    ldflags: tuple[str, ...] = ()

    @property
    def manifest(self) -> Path:
        return settings.MANIFESTS / self.name

    def directory(self) -> Path:
        """Cache directory: it changes with the version, the pinned modules and the flags."""
        digest = hashlib.sha256(" ".join((*self.packages, *self.ldflags)).encode())
        for file in sorted(self.manifest.iterdir()):
            digest.update(file.name.encode() + file.read_bytes())
        name = f"{self.name}-{self.version}-{digest.hexdigest()[:10]}"
        return settings.cache_root() / "bin" / name

    def program(self, name: str) -> Path:
        if name not in self.programs:
            raise KeyError(name)
        return self.directory() / name


KUBERNETES = Build(
    name="kubernetes",
    version=settings.KUBERNETES_VERSION,
    programs=(
        "kube-apiserver",
        "kube-controller-manager",
        "kube-proxy",
        "kube-scheduler",
        "kubectl",
        "kubelet",
    ),
    packages=("tool",),
    # Without these the API server calls itself v0.0.0-master, which charts
    # and clients that check the version reject.
    ldflags=(
        f"-X {_VERSION_PACKAGE}.gitMajor=1",
        f"-X {_VERSION_PACKAGE}.gitMinor={_KUBERNETES_MINOR}",
        f"-X {_VERSION_PACKAGE}.gitVersion=v{settings.KUBERNETES_VERSION}",
        f"-X {_VERSION_PACKAGE}.gitTreeState=clean",
    ),
)
ETCD = Build("etcd", settings.ETCD_VERSION, ("etcd",), ("go.etcd.io/etcd/server/v3",))
KUBE_ROUTER = Build(
    "kube-router",
    settings.KUBE_ROUTER_VERSION,
    ("kube-router",),
    ("github.com/cloudnativelabs/kube-router/cmd/kube-router",),
)
HELM = Build(
    "helm",
    settings.HELM_VERSION,
    ("helm",),
    ("helm.sh/helm/v3/cmd/helm",),
    (f"-X helm.sh/helm/v3/internal/version.version=v{settings.HELM_VERSION}",),
)
PAUSE = Build("pause", settings.PAUSE_VERSION, ("pause",), (".",))
COREDNS = Build("coredns", settings.COREDNS_VERSION, ("coredns",), (".",))
GVISOR = Build(
    "gvisor",
    settings.GVISOR_VERSION,
    ("runsc", "containerd-shim-runsc-v1"),
    ("tool", "."),
    (f"-X gvisor.dev/gvisor/runsc/version.version={settings.GVISOR_VERSION}",),
)
# A registry to try a release with; no part of a cluster.
REGISTRY = Build(
    "registry",
    settings.REGISTRY_VERSION,
    ("registry",),
    ("github.com/distribution/distribution/v3/cmd/registry",),
)

ALL_BUILDS = (PAUSE, ETCD, KUBERNETES, KUBE_ROUTER, COREDNS, HELM)


def _complete(build: Build) -> bool:
    return all(build.program(name).is_file() for name in build.programs)


@contextmanager
def _build_lock(root: Path) -> Iterator[None]:
    """Prevents two commands from compiling the same modules at the same time."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _discard(directory: Path) -> None:
    if directory.exists():
        shutil.rmtree(directory)


def _compile(build: Build, root: Path) -> None:
    log = root / f"{build.name}.log"
    target = build.directory()
    with tempfile.TemporaryDirectory(prefix=f".{build.name}-", dir=root) as scratch:
        output = Path(scratch) / "out"
        output.mkdir()
        # A single program is named explicitly: Go would name it after the module.
        destination = output / build.programs[0] if len(build.programs) == 1 else output
        command = [
            "go",
            "build",
            "-mod=readonly",
            "-trimpath",
            "-buildvcs=false",
            "-ldflags",
            " ".join(("-s", "-w", *build.ldflags)),
            "-o",
            str(destination) if len(build.programs) == 1 else f"{destination}/",
            *build.packages,
        ]
        environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
        with log.open("w") as sink:
            done = subprocess.run(
                command, cwd=build.manifest, env=environment, stdout=sink, stderr=sink
            )
        if done.returncode != 0:
            raise ClusterError(f"go build of {build.name} failed; see {log}")
        # The rename is the only moment at which the cache changes, so a build
        # that was killed leaves nothing that looks complete.
        _discard(target)
        output.rename(target)


def _remove_abandoned(root: Path) -> None:
    for leftover in root.glob(".*-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def ensure_binaries(builds: Sequence[Build] = ALL_BUILDS) -> None:
    """Builds every program that the cache lacks."""
    if all(_complete(build) for build in builds):
        return
    if shutil.which("go") is None:
        raise ClusterError("building the cluster's programs requires Go 1.26 or newer in PATH")
    root = settings.cache_root() / "bin"
    with _build_lock(root):
        _remove_abandoned(root)
        for build in builds:
            if not _complete(build):
                _compile(build, root)
                step(f"built {build.name} {build.version}")
