"""Helpers of the quota probes; the files of the folder `quota` are appended to this one.

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
    """Registers the class of a quota, with the names of the errors once it is used up."""

    def register(probe):
        QUOTAS[name] = (probe(), exhausted)
        return probe

    return register


def checked(result):
    """Returns the result of a C library function; raises OSError if it failed."""
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def attack(name):
    """Uses up a quota, reports that in a file, and takes what is freed until it is stopped."""
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
    """Uses each quota once, and prints the results."""
    for name, (probe, _) in QUOTAS.items():
        try:
            print(name, probe.use())
        except OSError as failure:
            print(name, failure)
