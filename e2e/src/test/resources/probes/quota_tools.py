"""What the probes of quotas are made of; the files of the folder `quota` are appended to it.

Each of them is about one quota that the kernel counts by user and not by Pod. `take` takes some of it
and raises OSError when there is none left; `use` does what ordinary code does with it, and returns
what that was like.
"""

import ctypes
import errno
import fcntl
import os
import select
import socket
import struct
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
USED_UP = "/dev/shm/used-up"

QUOTAS = {}


def quota(name, *exhausted):
    """Registers the class of a quota, and the names of the errors that say that it is used up."""

    def register(probe):
        QUOTAS[name] = (probe(), exhausted)
        return probe

    return register


def checked(result):
    """The result of a function of the C library; OSError where it failed."""
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def attack(name):
    """Uses a quota up, says so in a file, and takes all that gets free until it is stopped."""
    probe, exhausted = QUOTAS[name]
    taken = 0
    while True:
        try:
            probe.take()
            taken += 1
        except OSError as refusal:
            if errno.errorcode.get(refusal.errno) not in exhausted:
                raise
            if not os.path.exists(USED_UP):
                with open(USED_UP, "w") as file:
                    file.write(str(taken))
            time.sleep(0.002)


def use_all():
    """Uses each quota once, and prints what that was like."""
    for name, (probe, _) in QUOTAS.items():
        try:
            print(name, probe.use())
        except OSError as failure:
            print(name, failure)
