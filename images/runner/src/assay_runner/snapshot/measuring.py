"""Measures the peak memory of loading a snapshot, in a separate process."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from assay_runner.snapshot_files import SnapshotError, load_described


def peak_memory(directory: str, description: Mapping[str, Any]) -> int:
    """Return the maximum growth in bytes of a process that loads a snapshot as a run does.

    Args:
        directory: the snapshot directory.
        description: its description, which need not be in the directory yet.

    Raises:
        SnapshotError: if the snapshot cannot be loaded.
    """
    done = subprocess.run(  # noqa: S603 - this module
        [sys.executable, "-I", "-X", "utf8", "-m", "assay_runner.snapshot.measuring", directory],
        input=json.dumps({name: description.get(name) for name in _NEEDED}).encode(),
        stdout=subprocess.PIPE,
        # Output of a parser may quote cells.
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        raise SnapshotError(
            "The dataset was read once, but could not be loaded again in a new process"
            f" (exit code {done.returncode}); a class with more memory may help."
        )
    return int(done.stdout)


_NEEDED = ("format", "options", "source", "frame", "pandas")


def main() -> None:
    """Load the snapshot in a directory and print the growth in bytes."""
    # A run has it imported before it loads its dataset.
    import pandas as pd

    description = json.load(sys.stdin)
    before = _most_resident_bytes()
    frame = load_described(sys.argv[1], description)
    os.write(1, b"%d" % (_most_resident_bytes() - before))
    del frame, pd


def _most_resident_bytes() -> int:
    """Return the peak resident memory of this program.

    If the kernel does not report it, as in gVisor, returns `ru_maxrss`, which also covers the
    parent process at the time of the fork.
    """
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
