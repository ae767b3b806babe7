"""Makes a snapshot of a file of the corpus, with the functions used in a Pod."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay_runner.snapshot import build, worker
from corpus.case import Case
from unmeasured import Unmeasured


@dataclass(frozen=True)
class Made:
    """What became of a file.

    Attributes:
        snapshot: the directory.
        value: of the result, as far as the worker says it.
        error_type: of the refusal; None if there is a snapshot.
        message: of the refusal.
    """

    snapshot: Path
    value: dict[str, object] = field(default_factory=dict)
    error_type: str | None = None
    message: str = ""


def made(case: Case, directory: Path) -> Made:
    """Make a snapshot in a new directory within another, without measuring its memory."""
    volume, snapshot = directory / "volume", directory / "snapshot"
    volume.mkdir()
    snapshot.mkdir()
    (volume / case.file).write_bytes(case.data)
    job = {**case.source, "path": case.file}
    try:
        value: Any = build.build_snapshot(
            job, snapshot_dir=str(snapshot), source_dir=str(volume), measuring=Unmeasured
        )
    except Exception as error:
        error_message = worker.describe_error(error)
        return Made(snapshot, {}, error_message["type"], error_message["message"])
    return Made(snapshot, value)
