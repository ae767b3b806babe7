"""Stores results."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.fresh_process import environment
from bench.report.result import Result, as_json


def write(result: Result, folder: Path) -> None:
    """PHASE.json, in place of that of an earlier measurement unless nothing was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    file = _file(result, folder)
    if file.exists() and not (result.samples or result.figures):
        return
    # Whoever is interrupted while it is written has the one before.
    part = file.with_suffix(".part")
    part.write_text(as_json(result))
    part.replace(file)


def draw(result: Result, folder: Path) -> None:
    """PHASE.svg from PHASE.json, if there are samples."""
    if result.samples:
        file = _file(result, folder)
        program = Path(__file__).with_name("draw.py")
        subprocess.run([environment(), program, file, file.with_suffix(".svg")], check=True)


def _file(result: Result, folder: Path) -> Path:
    return folder / f"{result.phase}.json"
