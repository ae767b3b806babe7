"""Maps a file into memory so that it can be modified there, and nowhere else."""

from __future__ import annotations

import ctypes
import mmap
import os

_FAILED = ctypes.c_void_p(-1).value
# Linux would refuse a file that is larger than memory, although few of its pages are copied.
# Python has no name for it before 3.13.
_MAP_NORESERVE = 0x4000

_map = ctypes.CDLL(None, use_errno=True).mmap
_map.restype = ctypes.c_void_p
_map.argtypes = (
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int64,
)


def map_privately(path: str) -> memoryview:
    """Return the bytes of a file, which stay mapped until the process ends.

    The kernel copies a page when it is first written to. Unlike `mmap.mmap`, this keeps no
    descriptor, which code could close.

    Raises:
        OSError: if the file cannot be opened or mapped; an empty one cannot.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(descriptor).st_size
        access = mmap.PROT_READ | mmap.PROT_WRITE
        flags = mmap.MAP_PRIVATE | _MAP_NORESERVE
        address = _map(None, size, access, flags, descriptor, 0)
        if address == _FAILED:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
    finally:
        os.close(descriptor)
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")
