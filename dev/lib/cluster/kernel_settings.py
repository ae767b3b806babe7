"""Kernel settings that the kubelet changes for the whole machine, and putting them back."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from cluster.settings import Paths

_CHANGED_BY_KUBELET = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)
_PROC_SYS = Path("/proc/sys")


def _file(paths: Paths) -> Path:
    return paths.state / "kernel-settings.json"


def remember(paths: Paths) -> None:
    """Notes the values before the first start of the kubelet."""
    if not _file(paths).exists():
        values = {name: (_PROC_SYS / name).read_text().strip() for name in _CHANGED_BY_KUBELET}
        _file(paths).write_text(json.dumps(values, indent=2))


def restore(paths: Paths) -> None:
    """Writes the noted values back; does nothing if none were noted."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        for name, value in json.loads(_file(paths).read_text()).items():
            with contextlib.suppress(OSError):
                (_PROC_SYS / name).write_text(value)
