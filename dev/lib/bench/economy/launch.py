"""Starts dev/bench economy with the Python that has what it needs: DuckDB, pandas and YAML."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.fresh_process import environment
from cluster.settings import REPOSITORY


def main(arguments: Sequence[str]) -> int:
    """Play and count; returns the exit status."""
    python = environment()
    if Path(sys.prefix).resolve() != python.parent.parent.resolve():
        command = [str(python), str(REPOSITORY / "dev" / "bench"), "economy", *arguments]
        os.execv(python, command)
    from bench.economy import cli

    return cli.main(arguments)
