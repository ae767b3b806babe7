"""Snapshots whose memory is not measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay_runner.snapshot.measuring import PeakMemory


class Unmeasured(PeakMemory):
    """Starts no process."""

    def __init__(self, directory: str) -> None:
        self.directory = directory

    def __exit__(self, *_: object) -> None:
        pass

    def load(self, description: Mapping[str, Any]) -> None:
        """Do nothing."""

    def growth(self) -> int:
        """Return 0."""
        return 0
