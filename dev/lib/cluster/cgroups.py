"""The parent of all Pod cgroups, in every hierarchy of cgroup v1 or the one of v2."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from cluster.settings import Paths
from cluster.waiting import wait_for

_MOUNT = Path("/sys/fs/cgroup")


def _hierarchies() -> list[Path]:
    if (_MOUNT / "cgroup.controllers").exists():
        return [_MOUNT]
    # Several controllers may share one hierarchy through symbolic links.
    return sorted({entry.resolve() for entry in _MOUNT.iterdir() if entry.is_dir()})


def ensure_parent(paths: Paths) -> None:
    """Creates the parent, which the kubelet expects to find."""
    for hierarchy in _hierarchies():
        parent = hierarchy / paths.cgroup
        parent.mkdir(exist_ok=True)
        if (hierarchy / "cgroup.controllers").exists() and hierarchy == _MOUNT:
            offered = (hierarchy / "cgroup.controllers").read_text().split()
            enabled = " ".join(f"+{controller}" for controller in offered)
            (hierarchy / "cgroup.subtree_control").write_text(enabled)
            (parent / "cgroup.subtree_control").write_text(enabled)
        # A new cpuset accepts no process until both are set.
        for name in ("cpuset.cpus", "cpuset.mems"):
            inherited = hierarchy / name
            if inherited.exists() and not (parent / name).read_text().strip():
                (parent / name).write_text(inherited.read_text())


def _remove_tree(parent: Path) -> bool:
    for directory, _, _ in os.walk(parent, topdown=False):
        try:
            os.rmdir(directory)
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return True


def remove_parent(paths: Paths) -> None:
    """Removes the parent and all below it, which must not contain processes any more."""
    for hierarchy in _hierarchies():
        parent = hierarchy / paths.cgroup
        # A cgroup stays busy for a moment after its last process has ended.
        wait_for(f"removal of cgroup {parent}", partial(_remove_tree, parent), seconds=20)
