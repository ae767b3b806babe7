"""Entry point: `python3 -I -m assay_runner.supervisor`."""

from __future__ import annotations

import asyncio
import os
import sys

from assay_runner.supervisor.config import Config, ConfigError
from assay_runner.supervisor.service import serve


def main() -> int:
    """Serve one run; returns the process's exit code."""
    try:
        config = Config.from_environment(os.environ)
    except ConfigError as error:
        print(f"assay_runner.supervisor: {error}", file=sys.stderr)
        return 2
    return asyncio.run(serve(config))


if __name__ == "__main__":
    sys.exit(main())
