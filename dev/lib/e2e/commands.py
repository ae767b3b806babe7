"""Running programs with the cluster's kubeconfig."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from e2e import settings
from e2e.errors import E2eError

_MAX_SHOWN = 100


def run(
    command: Sequence[str | Path],
    *,
    stdin: bytes = b"",
    cwd: Path | None = None,
    seconds: float = 600,
) -> str:
    """Runs `command` and returns its standard output; E2eError with its last line otherwise."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            input=stdin,
            capture_output=True,
            cwd=cwd,
            env=settings.environment(),
            timeout=seconds,
        )
    except FileNotFoundError as missing:
        raise E2eError(f"{words[0]} not found") from missing
    except subprocess.TimeoutExpired as late:
        raise E2eError(f"{_shown(words)} took more than {seconds:.0f} s") from late
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).decode(errors="replace")
        last = " ".join(said.splitlines()[-4:])
        raise E2eError(f"{_shown(words)} failed: {last or done.returncode}")
    return done.stdout.decode(errors="replace")


def _shown(words: Sequence[str]) -> str:
    """Returns the start of a command, so that a line has room for why it failed."""
    start = " ".join(" ".join(words[:4]).split())
    return f"'{start[:_MAX_SHOWN]} ...'"


def show(command: Sequence[str | Path]) -> None:
    """Runs a command of this repository whose own output is for the reader."""
    words = [str(word) for word in command]
    done = subprocess.run(words, env=settings.environment(), stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise E2eError(f"{' '.join(words)} failed; its messages are above")


def kubectl(*arguments: str, stdin: str = "", seconds: float = 600) -> str:
    """Runs kubectl and returns what it prints."""
    return run(["kubectl", *arguments], stdin=stdin.encode(), seconds=seconds)
