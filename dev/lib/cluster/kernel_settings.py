"""Kernel settings that the kubelet changes for the whole machine, and restoring them."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from cluster import settings

_CHANGED_BY_KUBELET = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)
_PROC_SYS = Path("/proc/sys")


def _file() -> Path:
    # Beside the clusters: one that was not ended properly must not make the
    # next one take the changed values for the original ones.
    return settings.STATE_ROOT / "kernel-settings.json"


def remember() -> None:
    """Saves the values before the first start of a kubelet."""
    if not _file().exists():
        values = {name: (_PROC_SYS / name).read_text().strip() for name in _CHANGED_BY_KUBELET}
        _file().write_text(json.dumps(values, indent=2))


def restore() -> None:
    """Restores the saved values and deletes them; does nothing if none were saved."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        for name, value in json.loads(_file().read_text()).items():
            with contextlib.suppress(OSError):
                (_PROC_SYS / name).write_text(value)
    _file().unlink(missing_ok=True)
