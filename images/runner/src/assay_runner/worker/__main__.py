"""Entry point: `python3 -I -m assay_runner.worker [--dataset NAME]...`, started by the launcher."""

from __future__ import annotations

import sys
import time

_BEGAN_AT = time.monotonic()

from assay_runner.control import Control  # noqa: E402
from assay_runner.worker.lifecycle import run_worker  # noqa: E402

if __name__ == "__main__":
    run_worker(Control(), dataset_names=sys.argv[2::2], began_at=_BEGAN_AT)
