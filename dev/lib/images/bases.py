"""Base images: the official ones if a registry is reachable, otherwise our own equivalents."""

from __future__ import annotations

import shutil
import socket
import tempfile
from enum import Enum
from pathlib import Path

from cluster.commands import run, succeeds
from cluster.packages import IMAGE_PROGRAMS, ensure_packages
from cluster.progress import step
from cluster.settings import cache_root
from images import buildah, java_runtime
from images.catalog import Base

_SUITE = "bookworm"
_PROBE_SECONDS = 3


class Choice(Enum):
    """Where bases come from."""

    OFFICIAL = "official"
    LOCAL = "local"
    AUTO = "auto"


def choose(base: Base, choice: Choice) -> str:
    """The reference to build on, present in the storage on return.

    AUTO takes what the storage already has, official first, then asks the
    registry if it answers within seconds, and makes the base itself otherwise.
    """
    match choice:
        case Choice.OFFICIAL:
            _pull(base)
            return base.official
        case Choice.LOCAL:
            return _ensure_local(base)
        case Choice.AUTO:
            if buildah.has_image(base.official):
                return base.official
            if buildah.has_image(_local_reference(base)):
                return _local_reference(base)
            if _registry_answers(base) and succeeds(buildah.command("pull", base.official)):
                return base.official
            return _ensure_local(base)


def _pull(base: Base) -> None:
    if not buildah.has_image(base.official):
        run(buildah.command("pull", "--quiet", base.official))
        step(f"pulled {base.official}")


def _registry_answers(base: Base) -> bool:
    host = base.official.partition("/")[0]
    try:
        socket.create_connection((host, 443), timeout=_PROBE_SECONDS).close()
    except OSError:
        return False
    return True


def _ensure_local(base: Base) -> str:
    reference = _local_reference(base)
    if not buildah.has_image(reference):
        match base:
            case Base.DEBIAN:
                _make_debian(reference)
            case Base.JAVA:
                _make_java(reference, _ensure_local(Base.DEBIAN))
        step(f"built base {reference}")
    return reference


def _local_reference(base: Base) -> str:
    """Another runtime is another base."""
    return f"{base.local}-{java_runtime.identity()}" if base is Base.JAVA else base.local


def _complete_sources(root: Path) -> None:
    """Adds the update and security suites, which debootstrap leaves out.

    They lie beside the archive that debootstrap itself chose.
    """
    file = root / "etc" / "apt" / "sources.list"
    archive = file.read_text().split()[1]
    lines = (
        f"deb {archive} {_SUITE} main",
        f"deb {archive} {_SUITE}-updates main",
        f"deb {archive.rstrip('/')}-security {_SUITE}-security main",
    )
    file.write_text("\n".join(lines) + "\n")


def _debian_archive() -> Path:
    """A root file system of Debian's essential packages, kept in the cache."""
    target = cache_root() / "images" / f"debian-{_SUITE}.tar"
    if target.is_file():
        return target
    ensure_packages(IMAGE_PROGRAMS)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".debian-", dir=target.parent) as scratch:
        root = Path(scratch) / "root"
        run(["debootstrap", "--variant=minbase", _SUITE, root])
        _complete_sources(root)
        for pattern in ("var/cache/apt/archives/*.deb", "var/lib/apt/lists/*", "var/log/*.log"):
            for file in root.glob(pattern):
                shutil.rmtree(file) if file.is_dir() else file.unlink()
        unfinished = target.with_suffix(".new")
        # Device nodes come from the runtime; the host's may not be copied.
        run(
            [
                "tar",
                "--create",
                "--file",
                unfinished,
                "--directory",
                root,
                "--exclude=./dev/*",
                "--numeric-owner",
                ".",
            ]
        )
        unfinished.rename(target)
    return target


def _commit(parent: str, content: Path, destination: str, reference: str, *config: str) -> None:
    container = run(buildah.command("from", "--pull-never", parent)).strip()
    try:
        run(buildah.command("add", "--quiet", container, content, destination))
        run(buildah.command("config", *config, container))
        run(buildah.command("commit", "--quiet", "--format", "oci", container, reference))
    finally:
        run(buildah.command("rm", container))


def _make_debian(reference: str) -> None:
    _commit("scratch", _debian_archive(), "/", reference, "--cmd", "bash")


def _make_java(reference: str, parent: str) -> None:
    # The same place and variables as in the official image, so that the
    # Containerfiles need not know which one they stand on.
    home = "/opt/java/openjdk"
    path = f"{home}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    variables = (f"JAVA_HOME={home}", f"PATH={path}", "LANG=C.UTF-8")
    options = [word for variable in variables for word in ("--env", variable)]
    _commit(parent, java_runtime.ensure_runtime(), home, reference, *options)
