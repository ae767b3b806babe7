"""Helpers of the sandbox probes; the other files of this folder are appended to this one.

Each probe is something that code in a run must not be able to do, and ends as one line
`NAME<TAB>VERDICT<TAB>DETAIL`: `held`, or `broken` and what was possible. A probe that tries a call
on the launcher also tries it on a child of its own, where it has to work: the call is there.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import re
import resource
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time

LAUNCHER = 1
WORKER_ID = os.getuid()
RUN_USER_IDS = range(20_000, 60_000)
# The volume of snapshots belongs to this group and is mounted read-only.
SNAPSHOT_GROUP = 65532
DATASETS = ["sales-data"]
# Whether the Pod was there before the run: then datasets are links to files that a process holds.
CLAIMED = False
# Local mode has other values for these; it is not a container runtime.
FILTERS = 2
GROUPS = {WORKER_ID, SNAPSHOT_GROUP}
WRITABLE = {"/workspace", "/scratch", "/tmp", "/dev/shm", "/dev/mqueue"}
LANDLOCK = False
# Probes that are not made.
LEFT_OUT = set()
LIBC = ctypes.CDLL(None, use_errno=True)
# Numbers for x86-64 and for arm64; a call that one of them lacks is None.
CALLS = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "mknodat": (259, 33),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
ARCHITECTURE = ["x86_64", "aarch64"].index(os.uname().machine)
PTRACE_ATTACH, PTRACE_SEIZE, PTRACE_DETACH = 16, 0x4206, 17
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x10000000, 0x20000000, 0x40000000
CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWTIME = 0x2000000, 0x4000000, 0x8000000, 0x80

REFUSALS = ("EPERM", "EACCES", "EROFS", "ENOSYS")

PROBES = {}


class BrokenError(Exception):
    """An attempt that was not refused; the text says which."""


def probe(name):
    """Registers the function that tries `name` and returns what refused it."""

    def register(function):
        PROBES[name] = function
        return function

    return register


def require(condition, said):
    if not condition:
        raise BrokenError(said)


def refused(attempt, *arguments, also=()):
    """The name of the error that refuses `attempt`; BrokenError if nothing does.

    `also` are errors that say so beside those of REFUSALS. Any other, such as EFAULT or EINVAL,
    only says that this attempt was a clumsy one.
    """
    what = f"{getattr(attempt, '__name__', attempt)}{arguments}"
    try:
        result = attempt(*arguments)
    except OSError as error:
        found = errno.errorcode.get(error.errno, str(error))
        require(found in REFUSALS or found in also, f"{what}: {found} is no refusal")
        return found
    raise BrokenError(f"{what} gave {result!r}")


def each_refused(attempt, cases):
    """Requires a refusal of each case; returns the distinct errors."""
    return ", ".join(sorted({refused(attempt, *case) for case in cases}))


def call(name, *arguments):
    """Makes a system call by number; raises OSError if it fails."""
    number = CALLS[name][ARCHITECTURE]
    if number is None:
        raise OSError(errno.ENOSYS, "no such call on this architecture")
    result = LIBC.syscall(ctypes.c_long(number), *map(ctypes.c_void_p, arguments))
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def address(data):
    return ctypes.addressof(data)


def text(value):
    buffer = ctypes.create_string_buffer(value.encode())
    KEPT.append(buffer)
    return address(buffer)


KEPT = []


def read(path):
    with open(path, "rb") as file:
        return file.read()


def status(pid="self"):
    lines = read(f"/proc/{pid}/status").decode().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def mounts():
    """Returns (mount point, options, whether it is writable) of each mount."""
    for line in read("/proc/self/mountinfo").decode().splitlines():
        fields = line.split()
        yield fields[4], fields[3], "rw" in fields[5].split(",")


class Child:
    """A waiting child process, to show that a call works where it is allowed."""

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", "print(end='', flush=True); input()"], stdin=subprocess.PIPE
        )
        return self.process.pid

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


def only_children(attempt, *, writes=False):
    """Requires that `attempt` succeeds on a child and is refused on the launcher.

    `writes` says that it writes to /proc, which Landlock refuses for every process.
    """
    with Child() as child:
        try:
            attempt(child)
        except PermissionError:
            require(writes and LANDLOCK, "the attempt does not even work on a child")
    return refused(attempt, LAUNCHER)
