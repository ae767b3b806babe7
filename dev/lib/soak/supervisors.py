"""What supervisors log: which runs' code they have started."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

from cluster.settings import DEFAULT_CONTEXT, Paths
from soak.repeated import Repeated

_LOGS = Paths(DEFAULT_CONTEXT).state / "var-log" / "pods"
_EVERY_SECONDS = 1.0


class StartCounter:
    """Reads the logs of supervisors from `start` to `stop`, also if their Pods are deleted.

    Attributes:
        started: how often code was started, by the UID of its run.
    """

    def __init__(self, namespaces: Collection[str], logs: Path = _LOGS) -> None:
        self.started: Counter[str] = Counter()
        self._namespaces = namespaces
        self._logs = logs
        self._open: dict[Path, BinaryIO] = {}
        self._repeated = Repeated(self.read, lambda: _EVERY_SECONDS)

    def start(self) -> None:
        """Begin."""
        self._repeated.start()

    def stop(self) -> None:
        """Read what is there, and no more."""
        self._repeated.stop()
        self.read()

    def read(self) -> None:
        """Read what has been logged since."""
        for namespace in self._namespaces:
            for file in self._logs.glob(f"{namespace}_*/supervisor/0.log"):
                if file not in self._open:
                    # A Pod may be gone meanwhile.
                    with contextlib.suppress(FileNotFoundError):
                        self._open[file] = file.open("rb")
        for file, log in list(self._open.items()):
            while (line := log.readline()).endswith(b"\n"):
                self._count(line)
            # The rest of it is still to come.
            log.seek(-len(line), os.SEEK_CUR)
            # Its last lines were written before it was deleted.
            if not file.exists():
                self._open.pop(file).close()

    def _count(self, line: bytes) -> None:
        # Of containerd: time, stream, and whether the line is complete stand before it.
        record = line.split(b" ", 3)[-1]
        if not record.startswith(b"{"):
            return
        try:
            said = json.loads(record)
        except ValueError:
            return
        if said.get("event") == "started":
            self.started[str(said.get("runUid"))] += 1
