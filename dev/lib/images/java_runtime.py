"""A Java 25 runtime, linked from a JDK that this machine has."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cluster.commands import run
from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import REPOSITORY, cache_root

# All modules of Java SE, and those of the JDK that servers use.
_MODULES = (
    "java.se",
    "jdk.crypto.ec",
    "jdk.httpserver",
    "jdk.jcmd",
    "jdk.jfr",
    "jdk.management",
    "jdk.naming.dns",
    "jdk.net",
    "jdk.unsupported",
    "jdk.zipfs",
)
# What the workers use. DuckDB's driver registers an event where there is the
# flight recorder, which would be half of its start.
_WORKER_MODULES = (
    "java.base",
    "java.logging",
    "java.management",
    "java.sql",
    "jdk.unsupported",
)
_VERSION_LINE = re.compile(r'^JAVA_RUNTIME_VERSION="([^"]+)"|^JAVA_VERSION="([^"]+)"', re.MULTILINE)


def release_version(text: str) -> str:
    """The full version in the text of a JDK's `release` file, or an empty string."""
    found = {bool(match[1]): match[1] or match[2] for match in _VERSION_LINE.finditer(text)}
    return found.get(True) or found.get(False) or ""


def _find_jdk() -> tuple[Path, str]:
    found = subprocess.run(
        [REPOSITORY / "dev" / "jdk"], check=False, capture_output=True, text=True
    )
    if found.returncode != 0:
        raise ClusterError(found.stderr.strip().replace("JDK 25", "JDK 25 with jlink", 1))
    directory = Path(found.stdout.strip())
    if not (directory / "bin" / "jlink").is_file():
        raise ClusterError(f"{directory} has no jlink: choose another JDK 25 with JAVA_HOME")
    return directory, release_version((directory / "release").read_text())


def version() -> str:
    """The full version of the JDK that runtimes are linked from."""
    return _find_jdk()[1]


def _digest(version: str, modules: Sequence[str]) -> str:
    return hashlib.sha256(" ".join((version, *modules)).encode()).hexdigest()[:10]


def identity() -> str:
    """The identity of a linked runtime: its JDK and its modules."""
    return _digest(_find_jdk()[1], _MODULES)


def ensure_runtime(modules: Sequence[str] = _MODULES, archive: bool = True) -> Path:
    """The directory of a linked runtime in the cache, made when missing.

    The archive of loaded classes halves the time a JVM takes to start, and differs each time.
    """
    jdk, version = _find_jdk()
    kind = "java" if archive else "plain-java"
    target = cache_root() / "images" / f"{kind}-{version}-{_digest(version, modules)}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".java-", dir=target.parent) as scratch:
        output = Path(scratch) / "runtime"
        run(
            [
                jdk / "bin" / "jlink",
                "--add-modules",
                ",".join(modules),
                "--strip-debug",
                "--no-man-pages",
                "--no-header-files",
                *(["--generate-cds-archive"] if archive else []),
                "--output",
                output,
            ]
        )
        shutil.move(output, target)
    step(f"linked a Java runtime from JDK {version}")
    return target


def link_worker_runtime(directory: Path) -> None:
    """Puts the runtime of the JVM worker into a directory, in place of an earlier one."""
    runtime = ensure_runtime(_WORKER_MODULES)
    shutil.rmtree(directory, ignore_errors=True)
    # Links would lead out of the build context.
    shutil.copytree(runtime, directory, symlinks=True)
