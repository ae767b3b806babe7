"""The cluster's own mount, network and PID namespaces, and starting programs in them.

Everything the cluster makes lives in these three namespaces: when their first
process ends, the kernel ends every other process in them and takes the mounts,
links, routes, firewall rules and address sets along.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cluster.errors import ClusterError

# From linux/sched.h; Python 3.11 has no os.unshare and no os.setns.
_CLONE_NEWNS = 0x00020000
_CLONE_NEWNET = 0x40000000
_CLONE_NEWPID = 0x20000000

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _open_namespaces(pid: int, kinds: Sequence[str]) -> list[int]:
    return [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in kinds]


def _enter(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        _check(_libc.setns(descriptor, 0), "setns")


def _keep_to_itself() -> None:
    """Lets a daemon inherit only its standard streams, and no lock of its parent."""
    for descriptor in os.listdir("/proc/self/fd"):
        if int(descriptor) > 2:
            with contextlib.suppress(OSError):
                os.set_inheritable(int(descriptor), False)


def _spawn(
    prepare: Callable[[], None],
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin: int,
    stdout: int,
    stderr: int,
) -> int:
    """Runs `command` in a session of its own and returns its PID as seen from here.

    A process only enters a PID namespace for its children, hence the second fork.
    """
    reading, writing = os.pipe2(os.O_CLOEXEC)
    intermediate = os.fork()
    if intermediate == 0:
        try:
            os.setsid()
            prepare()
            child = os.fork()
            if child == 0:
                os.setsid()
                os.chdir("/")
                for source, target in ((stdin, 0), (stdout, 1), (stderr, 2)):
                    os.dup2(source, target)
                _keep_to_itself()
                signal.pthread_sigmask(signal.SIG_SETMASK, [])
                os.execve(command[0], list(command), dict(environment))
            os.write(writing, str(child).encode())
            os._exit(0)
        except BaseException as failure:
            os.write(writing, f"!{failure}".encode())
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    os.waitpid(intermediate, 0)
    if "!" in answer or not answer:
        raise ClusterError(f"could not start {command[0]}: {answer.partition('!')[2]}")
    return int(answer)


def create(script: str, keeper: Path, log: Path) -> int:
    """Creates the namespaces, runs the shell `script` in them, then the program `keeper`.

    Returns the PID of `keeper`, which holds the namespaces for as long as it lives.
    """

    def unshare() -> None:
        _check(_libc.unshare(_CLONE_NEWNS | _CLONE_NEWNET | _CLONE_NEWPID), "unshare")

    ready, announce = os.pipe2(os.O_CLOEXEC)
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
    # The keeper must not hold the pipe, or its end would not be seen here.
    text = f"{script}\necho ready\nexec {keeper} >/dev/null"
    try:
        command = ["/bin/sh", "-euc", text]
        pid = _spawn(unshare, command, os.environ, null, announce, sink)
    finally:
        for descriptor in (announce, null, sink):
            os.close(descriptor)
    with os.fdopen(ready) as pipe:
        readable, _, _ = select.select([pipe], [], [], 20)
        if not readable or pipe.readline() != "ready\n":
            raise ClusterError(f"the cluster's namespaces could not be set up; see {log}")
    return pid


def start_inside(
    keeper_pid: int,
    command: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    *,
    own_network: bool = False,
    niceness: int | None = None,
) -> int:
    """Starts a program in the namespaces of `keeper_pid`; returns its PID as seen from here.

    With `own_network` it gets a network namespace of its own instead, with nothing in it but a
    loopback that is down. That ends with the program. `niceness` is from -20 (first) to 19.
    """
    descriptors = _open_namespaces(keeper_pid, ("pid", "net", "mnt"))
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)

    def prepare() -> None:
        _enter(descriptors)
        if own_network:
            _check(_libc.unshare(_CLONE_NEWNET), "unshare")
        if niceness is not None:
            os.setpriority(os.PRIO_PROCESS, 0, niceness)

    try:
        return _spawn(prepare, command, environment, null, sink, sink)
    finally:
        for descriptor in (*descriptors, null, sink):
            os.close(descriptor)
