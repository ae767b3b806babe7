"""The seccomp filter: no socket but AF_UNIX, for this process and all it will ever start."""

from __future__ import annotations

import ctypes.util
import errno
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyseccomp

_LIBRARIES = {"c": "libc.so.6", "seccomp": "libseccomp.so.2"}
_NATIVE = 0


def install() -> None:
    """Load the filter into the calling process, which must have one thread.

    Raises:
        OSError: if libseccomp is missing.
        RuntimeError: if the kernel refuses the filter.
    """
    build().load()


def build(architecture: int = _NATIVE) -> pyseccomp.SyscallFilter:
    """Return the filter of an architecture, one of `pyseccomp.Arch`.

    Everything is allowed but: `socket` and `socketpair` of a family other than AF_UNIX (EACCES),
    io_uring, whose connect operation no socket rule sees (ENOSYS), and system calls of a foreign
    ABI, to which the rules would not apply (the process is killed).
    """
    # pyseccomp asks ctypes for the libraries' names, which runs ldconfig and a compiler if any.
    ctypes.util.find_library = _LIBRARIES.get  # type: ignore[assignment]
    import pyseccomp

    rules = pyseccomp.SyscallFilter(defaction=pyseccomp.ALLOW)
    if architecture not in (_NATIVE, pyseccomp.system_arch()):
        rules.add_arch(architecture)
        rules.remove_arch(_NATIVE)
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    # All 64 bits of the argument are compared, so none of them can hide another family.
    other_family = pyseccomp.Arg(0, pyseccomp.NE, int(socket.AF_UNIX))
    for call in ("socket", "socketpair"):
        rules.add_rule(pyseccomp.ERRNO(errno.EACCES), call, other_family)
    for call in ("io_uring_setup", "io_uring_enter", "io_uring_register"):
        rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), call)
    return rules
