"""Entry point: `python3 -I -m assay_runner.cleanup`.

The operator runs this command in images of other releases too, so its name stays.
"""

from __future__ import annotations

import os
import sys

from assay_runner.snapshot.cleanup import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ.get("ASSAY_SNAPSHOTS_DIR", "/snapshots")))
