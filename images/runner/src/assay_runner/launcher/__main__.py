"""Entry point: `python3 -I -m assay_runner.launcher WORKER [--dataset NAME]...`."""

from __future__ import annotations

import os
import sys

from assay_runner.imports import exit_at_once, gc_paused


def main() -> int:
    """Run the worker until it ends; returns the launcher's exit code."""
    with gc_paused():
        from assay_runner.launcher.command import UsageError, parse
        from assay_runner.launcher.hardening import harden
        from assay_runner.launcher.launcher import Launcher
    try:
        command = parse(sys.argv[1:], os.environ)
    except UsageError as error:
        print(f"assay_runner.launcher: {error}", file=sys.stderr)
        return 2
    harden()
    return Launcher(command).run()


if __name__ == "__main__":
    exit_at_once(main())
