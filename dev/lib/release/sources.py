"""The sources of a release: a clean checkout of its tag."""

from __future__ import annotations

import re
from pathlib import Path

from cluster.commands import run
from cluster.errors import ClusterError


def require_tag(version: str, repository: Path) -> None:
    """Raises ClusterError unless this is a fresh checkout of the tag of the version."""
    changed = run(["git", "-C", repository, "status", "--porcelain"]).splitlines()
    if changed:
        raise ClusterError(f"{len(changed)} files differ from the commit: commit or remove them")
    left = [path for path in repository.glob("**/target") if path.is_dir()]
    if left:
        raise ClusterError(f"{left[0]} is of an earlier build: release from a fresh clone")
    tags = run(["git", "-C", repository, "tag", "--points-at", "HEAD"]).split()
    if f"v{version}" not in tags:
        raise ClusterError(f"HEAD has no tag v{version}: git tag v{version}")


def notes(version: str, repository: Path) -> str:
    """What CHANGELOG.md says of the version.

    Raises ClusterError if it says nothing.
    """
    text = (repository / "CHANGELOG.md").read_text()
    section = re.compile(
        rf"^## {re.escape(version)}(?![\w.-])[^\n]*\n(.*?)(?=^## |\Z)", re.M | re.S
    )
    found = section.search(text)
    if found is None or not found[1].strip():
        raise ClusterError(f"CHANGELOG.md has no section '## {version}': write what has changed")
    return f"# Assay {version}\n\n{found[1].strip()}\n"


def commit_time(repository: Path) -> int:
    """When the commit was made, in seconds since 1970: the time of what is built from it."""
    return int(run(["git", "-C", repository, "log", "-1", "--format=%ct"]))
