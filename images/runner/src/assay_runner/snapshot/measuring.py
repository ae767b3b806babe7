"""Measures the peak memory of loading a snapshot, in a separate process."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from typing import IO, Any, Self, cast

from assay_runner.snapshot_files import SnapshotError
from assay_runner.snapshot_loading import load_described


class PeakMemory:
    """Measures the peak memory of a process that loads a snapshot as a run does.

    The process imports its libraries while the caller reads the source.
    """

    def __init__(self, directory: str) -> None:
        """Start the process.

        Args:
            directory: the snapshot directory.
        """
        module = "assay_runner.snapshot.measuring"
        self._process = subprocess.Popen(  # noqa: S603 - this module
            [sys.executable, "-I", "-X", "utf8", "-m", module, directory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Output of a parser may quote cells.
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.kill()

    def load(self, description: Mapping[str, Any]) -> None:
        """Let it load the snapshot, whose description need not be in the directory yet."""
        wanted = {name: description.get(name) for name in _NEEDED}
        # If the process has ended, its exit code says so.
        with contextlib.suppress(BrokenPipeError), cast("IO[bytes]", self._process.stdin) as stdin:
            stdin.write(json.dumps(wanted).encode())

    def growth(self) -> int:
        """Return by how many bytes the process has grown at most.

        Raises:
            SnapshotError: if the snapshot cannot be loaded.
        """
        printed = cast("IO[bytes]", self._process.stdout).read()
        code = self._process.wait()
        if code != 0:
            raise SnapshotError(
                "The dataset was read once, but could not be loaded again in a new process"
                f" (exit code {code}); a class with more memory may help."
            )
        return int(printed)


_NEEDED = ("format", "options", "source", "frame", "pandas", "version")


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
