"""The class archives of our Java programs, as an input of a build.

An archive records a profile, so that no two trainings write the same bytes. Those of one build are
what another one uses that has to give the same images.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from cluster.errors import ClusterError
from cluster.settings import REPOSITORY

IN_BUILD = "/run/class-archives"
"""Where the Containerfiles look for them."""

ARCHIVES: dict[str, dict[str, str]] = {
    "operator": {"operator.aot": "app/operator/app.aot"},
    "mcp-frontend": {"mcp-frontend.aot": "app/mcp-frontend/app.aot"},
    "tool-gateway": {"tool-gateway.aot": "app/tool-gateway/app.aot"},
    "jvm-runner": {
        "worker.aot": "opt/assay/jvm-runner/worker.aot",
        "javascript.aot": "opt/assay/jvm-runner/javascript.aot",
    },
}
"""The names of the archives of each image in a folder, and their paths in the image."""

PROGRAMS = "PROGRAMS"
"""The digests of the archives, and of what they were made for."""

_DISTRIBUTIONS = (
    *(f"{name}/target/dist" for name in ("operator", "mcp-frontend", "tool-gateway")),
    "images/jvm-runner/target/dist",
    "images/training/target/dist",
)


def programs(repository: Path = REPOSITORY) -> str:
    """The digests of all jars as they are packaged now, in the form of sha256sum."""
    jars = sorted(
        jar
        for folder in _DISTRIBUTIONS
        for jar in (repository / folder).rglob("*.jar")
        # That of the worker's Java runtime is linked later.
        if "jre" not in jar.relative_to(repository / folder).parts
    )
    if not jars:
        raise ClusterError("no jar is packaged: run without --skip-maven")
    return "".join(f"{_digest(jar)}  {jar.relative_to(repository)}\n" for jar in jars)


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def keep(image: str, root: Path, folder: Path) -> None:
    """Copies the archives of an image, whose files are below `root`, to a folder."""
    folder.mkdir(exist_ok=True)
    for name, path in ARCHIVES.get(image, {}).items():
        # Not each architecture has scripts.
        if (root / path).is_file():
            shutil.copyfile(root / path, folder / name)


def seal(folder: Path, packaged: str) -> None:
    """Writes what the archives of a folder are, and what they were made for."""
    archives = sorted(folder.glob("*.aot"))
    kept = "".join(f"{_digest(archive)}  {archive.name}\n" for archive in archives)
    (folder / PROGRAMS).write_text(kept + packaged)


def require(folder: Path, packaged: str) -> None:
    """Raises ClusterError unless a folder has the archives of what is packaged.

    A program with an archive of other classes of the same name would run those.
    """
    file = folder / PROGRAMS
    if not file.is_file():
        raise ClusterError(
            f"--class-archives {folder}: {PROGRAMS} is missing; name the folder class-archives of a"
            " release"
        )
    kept = file.read_text().splitlines()
    archives = [line for line in kept if "/" not in line]
    for digest, _, name in (line.partition("  ") for line in archives):
        if not (folder / name).is_file() or _digest(folder / name) != digest:
            raise ClusterError(f"--class-archives {folder}: {name} is not the one in {PROGRAMS}")
    other = sorted({*packaged.splitlines()}.symmetric_difference({*kept} - {*archives}))
    if other:
        raise ClusterError(
            f"the class archives in {folder} were made for other programs, such as"
            f" {_names(other)}: use those of this commit and version, or none"
        )


def _names(lines: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(line.split("  ")[-1] for line in list(lines)[:3]))
