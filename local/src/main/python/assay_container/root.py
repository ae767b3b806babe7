"""Builds the root directory that a container sees."""

from __future__ import annotations

import os

from assay_container.specification import Mount, Specification
from assay_container.system_calls import (
    MOUNT_ATTR_NODEV,
    MOUNT_ATTR_NOSUID,
    MOUNT_ATTR_RDONLY,
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_REC,
    enter_root,
    mount,
    restrict_mount,
)

_DEVICES = ("null", "zero", "full", "random", "urandom")
_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
}
_ROOT_BYTES = 1024 * 1024
_SHARED_MEMORY_BYTES = 64 * 1024 * 1024


def build_and_enter(specification: Specification, root: str) -> None:
    """Make a root of nothing but what was specified, and leave this machine's behind.

    The caller is in a mount namespace of its own, and the first process of its process ids.
    """
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    _memory(root, _ROOT_BYTES, "755")
    for wanted in specification.mounts:
        _place(wanted, root + wanted.path)
    _devices(f"{root}/dev")
    os.mkdir(f"{root}/proc")
    mount("proc", f"{root}/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    restrict_mount(root, MOUNT_ATTR_RDONLY, recursive=False)
    enter_root(root)


def _place(wanted: Mount, target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if wanted.source is not None:
        _bind(wanted.source, target)
        attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV
        restrict_mount(
            target,
            attributes if wanted.writable else attributes | MOUNT_ATTR_RDONLY,
            recursive=True,
        )
    elif wanted.link is not None:
        os.symlink(wanted.link, target)
    elif wanted.memory_bytes is not None:
        os.makedirs(target, exist_ok=True)
        _memory(target, wanted.memory_bytes, "1777")


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    mount(source, target, None, MS_BIND | MS_REC)


def _memory(target: str, size: int, mode: str) -> None:
    mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, f"mode={mode},size={size}")


def _devices(directory: str) -> None:
    os.mkdir(directory)
    for name in _DEVICES:
        _bind(f"/dev/{name}", f"{directory}/{name}")
    for name, target in _LINKS.items():
        os.symlink(target, f"{directory}/{name}")
    os.mkdir(f"{directory}/shm")
    _memory(f"{directory}/shm", _SHARED_MEMORY_BYTES, "1777")
