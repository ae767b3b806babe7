"""A second fence besides the mounts: Landlock, where the kernel has it (Linux 5.13 and later)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

from assay_container.system_calls import checked, system_call

_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_FIRST_VERSION = (1 << 13) - 1
_REFER = 1 << 13
_TRUNCATE = 1 << 14
_BIND_AND_CONNECT_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

# The version of Landlock that has each.
_HAS_REFER = 2
_HAS_TRUNCATE = 3
_HAS_NETWORK = 4
_HAS_SCOPES = 6


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("directory", ctypes.c_int32))


def restrict(writable: Iterable[str], *, readable: Iterable[int], network: bool) -> None:
    """Allow reading everywhere and writing in some directories; forbid all else for good.

    Args:
        writable: directories.
        readable: descriptors of directories that have no path here; a file of one, opened by a
            process with another root, may be read.
        network: whether TCP may be used.

    Raises:
        OSError: if the kernel has Landlock and refuses a rule.
    """
    version = system_call(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    if version < 1:
        return
    files = _file_rights(version)
    ruleset = _create(version, files, network)
    try:
        _allow(ruleset, "/", _EXECUTE | _READ_FILE | _READ_DIR)
        _allow(ruleset, "/dev", files & (_READ_FILE | _READ_DIR | _WRITE_FILE | _TRUNCATE))
        for directory in writable:
            _allow(ruleset, directory, files)
        for descriptor in readable:
            _allow_beneath(ruleset, descriptor, _READ_FILE)
        checked(system_call(_RESTRICT_SELF, ctypes.c_int(ruleset), 0), "landlock_restrict_self")
    finally:
        os.close(ruleset)


def _file_rights(version: int) -> int:
    rights = _FIRST_VERSION
    if version >= _HAS_REFER:
        rights |= _REFER
    if version >= _HAS_TRUNCATE:
        rights |= _TRUNCATE
    return rights


def _create(version: int, files: int, network: bool) -> int:
    size = 1 + (version >= _HAS_NETWORK) + (version >= _HAS_SCOPES)
    ruleset = _Ruleset(
        files=files,
        network=0 if network else _BIND_AND_CONNECT_TCP,
        scopes=_ABSTRACT_SOCKETS_AND_SIGNALS,
    )
    bytes_known = ctypes.c_size_t(size * ctypes.sizeof(ctypes.c_uint64))
    result = system_call(_CREATE_RULESET, ctypes.byref(ruleset), bytes_known, 0)
    return checked(result, "landlock_create_ruleset")


def _allow(ruleset: int, path: str, access: int) -> None:
    directory = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        _allow_beneath(ruleset, directory, access)
    finally:
        os.close(directory)


def _allow_beneath(ruleset: int, directory: int, access: int) -> None:
    rule = _PathBeneath(access=access, directory=directory)
    result = system_call(
        _ADD_RULE, ctypes.c_int(ruleset), _RULE_PATH_BENEATH, ctypes.byref(rule), 0
    )
    checked(result, "landlock_add_rule")
