"""How long supervisor and launcher stay after the end of a run.

The end of a container starts work of its runtime, the kubelet and network plugins, on the node that
may be about to answer the caller: for code that runs for milliseconds, that was half of the time
from request to answer.
"""

from __future__ import annotations

LINGER_MS = "ASSAY_LINGER_MS"
"""Environment variable: milliseconds after the report of the exit, and after the last `ack`."""
DEFAULT_LINGER_MS = 300
MAX_LINGER_MS = 10_000
