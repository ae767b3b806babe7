"""buildah with a storage of its own, so that a user's images are left alone."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from cluster.commands import run, succeeds
from cluster.errors import ClusterError
from cluster.settings import cache_root

# Variables by which programs are told of an additional certificate authority.
_CA_VARIABLES = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT")
_CA_IN_BUILD = "/run/host-ca.crt"


def storage() -> Path:
    """Root directory of the image storage, in the cache."""
    return cache_root() / "images" / "storage"


def command(*arguments: str | Path) -> list[str | Path]:
    """A buildah command line on that storage."""
    return [
        "buildah",
        "--root",
        storage(),
        "--runroot",
        cache_root() / "images" / "run",
        "--storage-driver",
        "overlay",
        *arguments,
    ]


def has_image(reference: str) -> bool:
    """Whether the storage holds an image of this name."""
    return succeeds(command("inspect", "--type", "image", reference))


def host_ca_bundle() -> Path | None:
    """The CA bundle that this host's programs are configured to trust, if it is not the default."""
    for variable in _CA_VARIABLES:
        value = os.environ.get(variable)
        if value and Path(value).is_file():
            return Path(value)
    return None


def _acquire_settings() -> str:
    """The host's settings on how apt downloads: proxies and checks, but no sources."""
    try:
        dumped = run(["apt-config", "dump"])
    except (ClusterError, FileNotFoundError):
        return ""
    wanted = ("Acquire::Check-", "Acquire::http::Proxy", "Acquire::https::Proxy")
    return "".join(f"{line}\n" for line in dumped.splitlines() if line.startswith(wanted))


@contextmanager
def _host_mounts() -> Iterator[list[str]]:
    """Options that lend the host's download settings to a build without baking them in."""
    with tempfile.TemporaryDirectory() as scratch:
        files = {"/etc/apt/apt.conf.d/99host": _acquire_settings()}
        options: list[str] = []
        bundle = host_ca_bundle()
        if bundle:
            options += ["--volume", f"{bundle.resolve()}:{_CA_IN_BUILD}:ro"]
            files["/etc/pip.conf"] = f"[global]\ncert = {_CA_IN_BUILD}\n"
        for number, (target, text) in enumerate(files.items()):
            if text:
                file = Path(scratch) / str(number)
                file.write_text(text)
                options += ["--volume", f"{file}:{target}:ro"]
        yield options


def build(
    name: str,
    containerfile: Path,
    context: Path,
    reference: str,
    arguments: Mapping[str, str] = MappingProxyType({}),
    options: Sequence[str] = (),
) -> None:
    """Builds an image under the name `reference`; unchanged layers are reused.

    `arguments` are those of the Containerfile, `options` further ones of buildah. `name` is that of
    the log.
    """
    with _host_mounts() as mounts:
        line = command(
            "bud",
            "--isolation",
            "chroot",
            "--network",
            "host",
            "--layers",
            "--force-rm",
            "--quiet",
            "--format",
            "oci",
            "--pull=never",
            *(word for key in arguments for word in ("--build-arg", f"{key}={arguments[key]}")),
            *mounts,
            *options,
            "--file",
            containerfile,
            "--tag",
            reference,
            context,
        )
        _logged(line, name)


def _logged(line: Sequence[str | Path], what: str) -> None:
    log = cache_root() / "images" / f"{what}.log"
    with log.open("w") as sink:
        done = subprocess.run([str(word) for word in line], stdout=sink, stderr=sink)
    if done.returncode != 0:
        tail = "".join(log.read_text(errors="replace").splitlines(keepends=True)[-12:])
        print(tail, file=sys.stderr, end="")
        raise ClusterError(f"build of image {what} failed; see {log}")


@contextmanager
def exclusive() -> Iterator[None]:
    """Holds the storage for one command, and leaves no abandoned images in it."""
    root = cache_root() / "images"
    root.mkdir(parents=True, exist_ok=True)
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run(command("rm", "--all"))
        yield
        # Layers that a named image stands on are kept, and so serve as cache.
        run(command("rmi", "--prune"))
