"""Starts each worker in turn as the launcher does, until it says that it is ready."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import time
from typing import Any

from assay_runner.workers import WORKERS

PARAMETERS: dict[str, Any] = json.loads("{}")

_KIB = 1024


def start(name: str) -> dict[str, float]:
    """Seconds until the worker is ready, and the MiB that are resident then."""
    worker = WORKERS[name]
    directory = tempfile.mkdtemp()
    environment = {
        **os.environ,
        "ASSAY_SCRATCH_DIR": directory,
        "ASSAY_DATASETS_DIR": directory,
        "MPLCONFIGDIR": directory,
        **worker.environment,
    }
    mine, theirs = socket.socketpair()
    began = time.perf_counter()
    pid = os.posix_spawn(
        worker.command[0],
        worker.command,
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, theirs.fileno(), worker.control_fd)],
    )
    theirs.close()
    if b'"ready"' not in mine.recv(_KIB):
        raise RuntimeError(f"the worker {name} did not start")
    seconds = time.perf_counter() - began
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        (resident,) = (line for line in file if line.startswith("VmRSS"))
    mine.close()
    os.waitpid(pid, 0)
    return {"seconds": seconds, "mebibytes": int(resident.split()[1]) / _KIB}


os.chdir(tempfile.mkdtemp())
rounds = PARAMETERS["rounds"]
# The first round fills the page cache.
print(
    json.dumps(
        [
            {name: start(name) for name in ("jvm", "javascript", "python")}
            for _ in range(rounds + 1)
        ][1:]
    )
)
