"""Puts a container into namespaces of its own and takes its rights away.

Tried on Linux 6.18 as root (which needs no user namespace) and as an unprivileged user (which maps
its one user id to the container's). `mount_setattr` makes Linux 5.12 the oldest that will do.
"""

from __future__ import annotations

import os
import resource
import signal

from assay_container import landlock, root
from assay_container.specification import Specification, User
from assay_container.system_calls import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    die_with_parent,
    drop_bounding_capabilities,
    forbid_new_privileges,
    unshare,
)

_ROOT = 0
_NO_USER_NAMESPACES = "/proc/sys/user/max_user_namespaces"


def separate(specification: Specification) -> None:
    """Prepare that the next child is the first process of namespaces of its own."""
    if os.geteuid() != _ROOT:
        _map_user(specification.user)
    network = 0 if specification.network else CLONE_NEWNET
    unshare(CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | network)


def confine(specification: Specification, new_root: str) -> None:
    """Give the calling process, that child, its root, and leave it no rights beyond its user's."""
    privileged = os.geteuid() == _ROOT
    unshare(CLONE_NEWNS)
    if not privileged:
        _forbid_user_namespaces()
    drop_bounding_capabilities()
    handed_over = [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in specification.handed_over]
    root.build_and_enter(specification, new_root)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if privileged:
        _become(specification.user)
    # The kernel forgets it where the user changes.
    die_with_parent(signal.SIGKILL)
    forbid_new_privileges()
    writable = [
        mount.path
        for mount in specification.mounts
        if mount.writable or mount.memory_bytes is not None
    ]
    landlock.restrict([*writable, "/dev/shm"], readable=handed_over, network=specification.network)
    for descriptor in handed_over:
        os.close(descriptor)


def _map_user(user: User) -> None:
    outside = os.geteuid(), os.getegid()
    unshare(CLONE_NEWUSER)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user.uid} {outside[0]} 1")
    _write("/proc/self/gid_map", f"{user.gid} {outside[1]} 1")


def _forbid_user_namespaces() -> None:
    """In a user namespace of one's own the count is for that one, and those inside it."""
    _write(_NO_USER_NAMESPACES, "0")


def _become(user: User) -> None:
    os.setgroups(user.groups)
    os.setresgid(user.gid, user.gid, user.gid)
    os.setresuid(user.uid, user.uid, user.uid)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
