"""Running host commands whose failure is reported in one line."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from cluster.errors import ClusterError


def run(command: Sequence[str | Path], *, stdin: str | None = None) -> str:
    """Runs `command`, returns its standard output; ClusterError with its last line otherwise."""
    words = [str(word) for word in command]
    done = subprocess.run(words, input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        shown = " ".join([Path(words[0]).name, *words[1:4]])
        raise ClusterError(f"'{shown} ...' failed: {' '.join(said) or done.returncode}")
    return done.stdout


def succeeds(command: Sequence[str | Path]) -> bool:
    """Whether `command` ends with status 0; its output is dropped."""
    return subprocess.run([str(word) for word in command], capture_output=True).returncode == 0
