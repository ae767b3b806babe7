"""A new Python process on this machine that imports what a worker has imported."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench.subjects import IMPORTS
from cluster.settings import REPOSITORY

_CODE = IMPORTS + "; import sys, time; {first}; print(time.time_ns())"


@dataclass(frozen=True)
class Fresh:
    """Milliseconds from its start until it has done what it is for, and until its end."""

    first: float
    ended: float


def fresh_process(python: Path, first: str = "pass", *arguments: str | Path) -> Fresh:
    """Start one and wait for it.

    Args:
        python: the interpreter.
        first: a statement after the imports, which counts.
        arguments: of the process, as `sys.argv[1:]`.
    """
    code = _CODE.format(first=first)
    began = time.time_ns()
    done = subprocess.run([python, "-I", "-c", code, *arguments], check=True, capture_output=True)
    ended = time.time_ns()
    return Fresh((int(done.stdout) - began) / 1e6, (ended - began) / 1e6)


def environment() -> Path:
    """The Python with the libraries of the runner's image, which also draws the charts."""
    program = REPOSITORY / "images" / "runner" / "environment"
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip()) / "bin" / "python"
