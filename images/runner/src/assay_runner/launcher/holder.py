"""A process that does nothing but keep files open, for links to `/proc/PID/fd`."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Collection
from typing import NoReturn

from assay_runner.launcher.hardening import allow_inspection, undo_for_worker
from assay_runner.launcher.system_call_filter import install

_FAILED = 1


def hold(descriptors: Collection[int], *, network: bool) -> int:
    """Start the process; returns its process ID once links to its descriptors can be opened.

    It belongs to the worker's user, and is confined as the worker is: code can do with it as it
    likes, and gains nothing.

    Args:
        descriptors: which it keeps open under the same numbers; the caller keeps its own.
        network: whether its seccomp filter refuses the network.

    Raises:
        OSError: if it cannot be started.
    """
    launcher = os.getpid()
    readable, writable = os.pipe()
    try:
        process = os.fork() or _become_holder({*descriptors, writable}, writable, launcher, network)
    finally:
        os.close(writable)
    try:
        if not os.read(readable, 1):
            raise OSError(errno.EIO, "the process that holds them could not be started")
    finally:
        os.close(readable)
    return process


def _become_holder(kept: Collection[int], ready: int, launcher: int, network: bool) -> NoReturn:
    try:
        signal.set_wakeup_fd(-1)
        undo_for_worker()
        install(launcher, network=network)
        for descriptor in map(int, os.listdir("/proc/self/fd")):
            if descriptor not in kept:
                # That of the directory is closed already.
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        # Last: from now on, code can look into this process, and stop it.
        allow_inspection()
        os.write(ready, b"1")
        os.close(ready)
        while True:
            signal.pause()
    finally:
        os._exit(_FAILED)
