"""A new Python process on this machine that imports what a worker has imported."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench.subjects import IMPORTS
from cluster.settings import REPOSITORY

_CODE = f"{IMPORTS}; import time; print(time.time_ns())"


@dataclass(frozen=True)
class Fresh:
    """Milliseconds from its start until the first instruction after the imports, and its end."""

    first: float
    ended: float


def fresh_process(python: Path) -> Fresh:
    """Start one and wait for it."""
    began = time.time_ns()
    done = subprocess.run([python, "-I", "-c", _CODE], check=True, capture_output=True)
    ended = time.time_ns()
    return Fresh((int(done.stdout) - began) / 1e6, (ended - began) / 1e6)


def environment() -> Path:
    """The Python with the libraries of the runner's image, which also draws the charts."""
    program = REPOSITORY / "images" / "runner" / "environment"
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip()) / "bin" / "python"
