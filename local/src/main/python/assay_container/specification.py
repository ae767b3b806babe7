"""What is to be run, as it was sent."""

from __future__ import annotations

import json
from typing import NamedTuple


class User(NamedTuple):
    """Who the container's process is, as it sees itself.

    Attributes:
        uid: user id.
        gid: group id.
        groups: further groups; only root can give them.
    """

    uid: int
    gid: int
    groups: tuple[int, ...]


class Mount(NamedTuple):
    """Something at a path of the container; exactly one of the last three says what.

    Attributes:
        path: where, absolute.
        writable: whether it may be written to; only of a `source`.
        source: a file or directory of this machine.
        link: the target of a symbolic link.
        memory_bytes: size of a new file system in memory.
    """

    path: str
    writable: bool
    source: str | None
    link: str | None
    memory_bytes: int | None


class Specification(NamedTuple):
    """One container.

    Attributes:
        argv: the program and its arguments.
        environment: all of its environment.
        directory: its working directory.
        wrapped: whether `argv` is a program that starts the container's process as its only child,
            rather than that process.
        root: an empty directory to build the container's root in; None to share this machine's.
        mounts: what the root has, parents first; nothing else is there but `/proc` and `/dev`.
        handed_over: directories of this machine whose files it may read by descriptors that it is
            given; they have no path in it.
        network: whether it shares this machine's network rather than having none.
        user: who it is; of meaning only with a root of its own.
        memory_limit_bytes: the most memory it may have; None for as much as there is.
    """

    argv: tuple[str, ...]
    environment: dict[str, str]
    directory: str
    wrapped: bool
    root: str | None
    mounts: tuple[Mount, ...]
    handed_over: tuple[str, ...]
    network: bool
    user: User
    memory_limit_bytes: int | None


def parse(line: bytes) -> Specification:
    """Read a specification, which comes from code of ours and is not checked."""
    sent = json.loads(line)
    user = sent["user"]
    return Specification(
        argv=tuple(sent["argv"]),
        environment=dict(sent["environment"]),
        directory=sent["directory"],
        wrapped=sent["wrapped"],
        root=sent["root"],
        mounts=tuple(Mount(**mount) for mount in sent["mounts"]),
        handed_over=tuple(sent["handed_over"]),
        network=sent["network"],
        user=User(user["uid"], user["gid"], tuple(user["groups"])),
        memory_limit_bytes=sent["memory_limit_bytes"],
    )
