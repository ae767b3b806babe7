"""Stores results."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.warm.fresh_process import environment
from bench.warm.result import Result, as_json


def write(result: Result, folder: Path) -> None:
    """PHASE.json, and PHASE.svg if there are samples."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{result.phase}.json"
    file.write_text(as_json(result))
    if not result.samples:
        return
    draw = Path(__file__).with_name("draw.py")
    subprocess.run([environment(), draw, file, file.with_suffix(".svg")], check=True)
