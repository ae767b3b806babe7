"""Starts a runner as local processes, for the conformance kit's `--launch`."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path

from local_runner import make_interpreter, start_runner


def main() -> None:
    """Start a runner, print its address, and stop it at the end of stdin."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("ASSAY_")}
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        home = Path(directory)
        runner = start_runner(
            stack,
            make_interpreter(home / "python"),
            home / "pod",
            supervisor_environment=settings,
        )
        target = runner.client.target
        address = f"{target.host}:{target.port}"
        print(json.dumps({"address": address, "podUid": target.pod_uid}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
