"""Entry point: `python3 -I -m assay_runner.supervisor`."""

from __future__ import annotations

import os
import sys

from assay_runner.imports import exit_at_once, gc_paused


def main() -> int:
    """Serve one run; returns the process's exit code."""
    # asyncio would load it for TLS, which the protocol does not use.
    sys.modules["ssl"] = None  # type: ignore[assignment]
    with gc_paused():
        import asyncio

        from assay_runner.supervisor.config import Config, ConfigError
        from assay_runner.supervisor.service import serve
    try:
        config = Config.from_environment(os.environ)
    except ConfigError as error:
        print(f"assay_runner.supervisor: {error}", file=sys.stderr)
        return 2
    return asyncio.run(serve(config))


if __name__ == "__main__":
    exit_at_once(main())
