"""Prepares a worker before CPython looks for its script, `main.py`.

Only the worker's first process has this directory on its path; the processes that it starts are
plain Python.
"""

import time

_BEGAN_AT = time.monotonic()

from assay_runner.worker.preparation import prepare_script  # noqa: E402

prepare_script(_BEGAN_AT)
