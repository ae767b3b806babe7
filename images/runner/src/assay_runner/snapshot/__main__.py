"""Entry point: `python3 -I -m assay_runner.snapshot`, started by the launcher."""

from __future__ import annotations

import time

_BEGAN_AT = time.monotonic()

from assay_runner.control import Control  # noqa: E402
from assay_runner.snapshot.worker import run_worker  # noqa: E402

if __name__ == "__main__":
    run_worker(Control(), began_at=_BEGAN_AT)
