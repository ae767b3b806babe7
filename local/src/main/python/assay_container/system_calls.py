"""System calls that Python's standard library does not have."""

from __future__ import annotations

import ctypes
import errno
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000

MOUNT_ATTR_RDONLY = 1
MOUNT_ATTR_NOSUID = 2
MOUNT_ATTR_NODEV = 4

_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38

_MNT_DETACH = 2
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_SYS_KEYCTL = {"x86_64": 250, "aarch64": 219}
_KEYCTL_JOIN_SESSION_KEYRING = 1
# Calls of the last years have one number on all architectures.
_SYS_MOUNT_SETATTR = 442

_libc = ctypes.CDLL(None, use_errno=True)


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user_namespace", ctypes.c_uint64),
    )


def checked(result: int, what: str) -> int:
    """Return a result that is no error.

    Raises:
        OSError: that names what failed.
    """
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def system_call(number: int, *arguments: object) -> int:
    """Make a call by its number; -1 where it fails."""
    return int(_libc.syscall(ctypes.c_long(number), *arguments))


def unshare(flags: int) -> None:
    """Move into new namespaces; of process ids, only children do."""
    checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount a file system, or bind a file or directory."""
    result = _libc.mount(
        source.encode(),
        target.encode(),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode(),
    )
    checked(result, f"mount on {target}")


def restrict_mount(path: str, attributes: int, *, recursive: bool) -> None:
    """Add attributes to a mount, and to all below it; none is ever taken away."""
    wanted = _MountAttributes(set=attributes)
    result = system_call(
        _SYS_MOUNT_SETATTR,
        ctypes.c_int(_AT_FDCWD),
        path.encode(),
        ctypes.c_uint(_AT_RECURSIVE if recursive else 0),
        ctypes.byref(wanted),
        ctypes.c_size_t(ctypes.sizeof(wanted)),
    )
    checked(result, f"mount_setattr {path}")


def enter_root(path: str) -> None:
    """Make a mount the root, and forget all that was mounted outside of it."""
    os.chdir(path)
    # Where both are the same the old root lies on top of the new one.
    checked(_libc.pivot_root(b".", b"."), "pivot_root")
    checked(_libc.umount2(b".", ctypes.c_int(_MNT_DETACH)), "umount of the old root")
    os.chdir("/")


def _prctl(option: int, value: int, what: str) -> None:
    result = _libc.prctl(option, ctypes.c_ulong(value), *(ctypes.c_ulong(0),) * 3)
    checked(result, what)


def die_with_parent(signal: int) -> None:
    """Get a signal when the thread that has forked this process ends."""
    _prctl(_PR_SET_PDEATHSIG, signal, "PR_SET_PDEATHSIG")


def adopt_orphans() -> None:
    """Become the parent of all descendants that lose theirs."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, "PR_SET_CHILD_SUBREAPER")


def forbid_new_privileges() -> None:
    """Let no program give this process or its children more than they have."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, "PR_SET_NO_NEW_PRIVS")


def leave_session_keyring() -> None:
    """Get an empty keyring instead of the login's, which may hold credentials.

    Raises:
        OSError: if the kernel has keyrings and refuses.
    """
    number = _SYS_KEYCTL.get(os.uname().machine)
    if number is None:
        raise OSError(errno.ENOSYS, f"keyctl has no known number on {os.uname().machine}")
    result = system_call(number, ctypes.c_int(_KEYCTL_JOIN_SESSION_KEYRING), None)
    # A kernel may have no keyrings, and a sandbox around this may refuse the call to everybody.
    if result < 0 and ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM):
        checked(result, "KEYCTL_JOIN_SESSION_KEYRING")


def drop_bounding_capabilities() -> None:
    """Let no program that is started have a capability."""
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as file:
        last = int(file.read())
    for capability in range(last + 1):
        _prctl(_PR_CAPBSET_DROP, capability, "PR_CAPBSET_DROP")
