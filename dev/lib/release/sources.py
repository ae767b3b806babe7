"""The sources of a release: a clean checkout of its tag."""

from __future__ import annotations

import re
from pathlib import Path

from cluster.commands import run
from cluster.errors import ClusterError

_COMMIT = re.compile(r"^Commit: `([0-9a-f]{40})`", re.MULTILINE)


def require_tag(version: str, repository: Path) -> None:
    """Raises ClusterError unless the checkout is clean and has the tag of the version."""
    changed = run(["git", "-C", repository, "status", "--porcelain"]).splitlines()
    if changed:
        raise ClusterError(f"{len(changed)} files differ from the commit: commit or remove them")
    tags = run(["git", "-C", repository, "tag", "--points-at", "HEAD"]).split()
    if f"v{version}" not in tags:
        raise ClusterError(f"HEAD has no tag v{version}: git tag v{version}")


def notes(version: str, repository: Path) -> str:
    """What has changed since the last release that CHANGELOG.md names, a line for each commit."""
    named = _COMMIT.findall((repository / "CHANGELOG.md").read_text())
    span = f"{named[0]}..HEAD" if named else "HEAD"
    lines = run(["git", "-C", repository, "log", "--no-merges", "--format=- %s (%h)", span])
    return f"# Assay {version}\n\n{lines}"
