"""The seccomp filter for the worker and all its descendants."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyseccomp

_LIBRARIES = {"c": "libc.so.6", "seccomp": "libseccomp.so.2"}
_NATIVE = 0
# The kernel reads a process ID from the lower 32 bits of an argument.
_LOWER_HALF = 0xFFFFFFFF
_SCHEDULING_CALLS = (
    "sched_setaffinity",
    "sched_setattr",
    "sched_setparam",
    "sched_setscheduler",
)
# The number of the kind "process" in each call; those of "process group" and "user" follow.
_PRIORITY_CALLS = {"setpriority": os.PRIO_PROCESS, "ioprio_set": 1}
# The default profile of container runtimes denies these too; local mode has no such profile.
_KERNEL_CALLS = (
    "add_key",
    "bpf",
    "keyctl",
    "perf_event_open",
    "request_key",
    "setns",
    "syslog",
    "unshare",
    "userfaultfd",
)
# CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID and NET. In clone, CLONE_NEWTIME is part of the signal.
_NAMESPACES = (1 << 17, *(1 << bit for bit in range(25, 31)))


def install(launcher: int, *, network: bool) -> None:
    """Load the filter into the calling process, which must be single-threaded.

    Args:
        launcher: the launcher's process ID in the worker's PID namespace.
        network: whether to refuse the network.

    Raises:
        OSError: if libseccomp is missing.
        RuntimeError: if the kernel refuses the filter.
    """
    build(launcher, network=network).load()


def build(launcher: int, *, network: bool, architecture: int = _NATIVE) -> pyseccomp.SyscallFilter:
    """Return the filter for an architecture, one of `pyseccomp.Arch`.

    It allows all system calls except:

    - changing limits or scheduling of the launcher, which the kernel permits to processes of the
      same user (EPERM);
    - calls of a foreign ABI, to which the rules would not apply (kills the process; in gVisor the
      thread);
    - kernel features that data analysis does not need, such as namespaces, keyrings, BPF and
      performance events (EPERM);
    - with `network`, `socket` and `socketpair` of a family other than AF_UNIX (EACCES), and
      io_uring, whose connect operation bypasses socket rules (ENOSYS).
    """
    with _known_libraries():
        import pyseccomp

    rules = pyseccomp.SyscallFilter(defaction=pyseccomp.ALLOW)
    if architecture not in (_NATIVE, pyseccomp.system_arch()):
        rules.add_arch(architecture)
        rules.remove_arch(_NATIVE)
    try:
        rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    except OSError as error:
        # gVisor does not say which actions it knows, so that libseccomp refuses this one there, and
        # its default stays, which kills the calling thread.
        if error.errno != errno.EINVAL:
            raise
    _protect_launcher(rules, launcher)
    _refuse_kernel_calls(rules)
    if network:
        _refuse_network(rules)
    return rules


@contextlib.contextmanager
def _known_libraries() -> Iterator[None]:
    """Replace `ctypes.util`, by which pyseccomp finds its libraries.

    It would run ldconfig and a compiler, and importing it takes a fifth of the launcher's start.
    """
    import ctypes

    name = "ctypes.util"
    before = sys.modules.get(name)
    known = types.ModuleType(name)
    vars(known)["find_library"] = _LIBRARIES.get
    sys.modules[name] = vars(ctypes)["util"] = known
    try:
        yield
    finally:
        del sys.modules[name], vars(ctypes)["util"]
        if before is not None:
            sys.modules[name] = vars(ctypes)["util"] = before


def _protect_launcher(rules: pyseccomp.SyscallFilter, launcher: int) -> None:
    import pyseccomp

    def is_value(position: int, value: int) -> object:
        return pyseccomp.Arg(position, pyseccomp.MASKED_EQ, _LOWER_HALF, value)

    refuse = pyseccomp.ERRNO(errno.EPERM)
    new_limit = pyseccomp.Arg(2, pyseccomp.NE, 0)
    # A limit on processor time would kill the launcher.
    rules.add_rule(refuse, "prlimit64", is_value(0, launcher), new_limit)
    for call in _SCHEDULING_CALLS:
        rules.add_rule(refuse, call, is_value(0, launcher))
    for call, process in _PRIORITY_CALLS.items():
        rules.add_rule(refuse, call, is_value(0, process), is_value(1, launcher))
        for group_or_user in (process + 1, process + 2):
            rules.add_rule(refuse, call, is_value(0, group_or_user))


def _refuse_kernel_calls(rules: pyseccomp.SyscallFilter) -> None:
    import pyseccomp

    refuse = pyseccomp.ERRNO(errno.EPERM)
    for call in _KERNEL_CALLS:
        rules.add_rule(refuse, call)
    for flag in _NAMESPACES:
        rules.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    # Its flags are in memory, which a filter cannot read. The C library falls back to clone.
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")


def _refuse_network(rules: pyseccomp.SyscallFilter) -> None:
    import pyseccomp

    # Compares all 64 bits of the argument, so that the upper ones cannot hide a family.
    other_family = pyseccomp.Arg(0, pyseccomp.NE, int(socket.AF_UNIX))
    for call in ("socket", "socketpair"):
        rules.add_rule(pyseccomp.ERRNO(errno.EACCES), call, other_family)
    for call in ("io_uring_setup", "io_uring_enter", "io_uring_register"):
        rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), call)
