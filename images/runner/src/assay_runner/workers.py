"""The workers: what the launcher starts, and what the supervisor gives them to do.

This table is the only one: another worker is another row. A named tuple, since the launcher imports
this, and importing dataclasses takes longer than the rest of its start.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from typing import NamedTuple

PYTHON_CONTROL_FD = 3
"""Where workers in Python find the control socket."""

SCRIPT = "main.py"
"""Name of the script that the Python worker runs, in its working directory."""

WORK = ".work"
"""The folder in the working directory where code mode keeps its own files about a run."""

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
# Unbuffered, so that output of C code keeps its order.
_PYTHON = (sys.executable, "-u")
# Features of the workers that bring, read and leave files.
_FILES = ("artifacts", "artifactStream", "artifactData", "anywhere", "files", "inputs")
# Local mode starts this worker where it was built.
_JVM_RUNNER = os.environ.get("ASSAY_JVM_RUNNER") or "/opt/assay/jvm-runner"


class Worker(NamedTuple):
    """How one kind of process is started and used.

    Attributes:
        kinds: the kinds of job that it runs.
        command: its command line.
        environment: further variables.
        settings: variables of the container that only workers which name them get.
        control_fd: the descriptor of its control socket. A process that cannot open a socket by its
            number, such as a JVM, gets it as descriptor 0; others have /dev/null there.
        flushes: whether it flushes its output when it is sent `stop`; others get SIGTERM at once.
        features: what it supports, besides its kinds of job.
        writes_stack: whether it writes where code is when it gets the signal for that, which means
            something else to a JVM.
        memory_signal: the signal by which it ends itself where its own limit of memory, which is
            below that of its container, is reached; None if it has no such limit.
        own_errors: whether what its libraries write to stderr is no output. It is in the reason
            why the worker did not start, and nowhere else.
    """

    kinds: tuple[str, ...]
    command: tuple[str, ...]
    environment: Mapping[str, str]
    control_fd: int
    flushes: bool
    settings: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    writes_stack: bool = False
    memory_signal: int | None = None
    own_errors: bool = False


WORKERS: dict[str, Worker] = {
    "python": Worker(
        kinds=("python", "polars"),
        # A script can import modules from its own directory, which -I would prevent.
        command=(*_PYTHON, "-s", SCRIPT),
        # Python imports `sitecustomize` from here. The worker's first process removes the variable.
        environment={"PYTHONPATH": os.path.join(_PACKAGE, "worker", "startup")},
        control_fd=PYTHON_CONTROL_FD,
        flushes=True,
        # The worker's first process removes this variable, too.
        settings=("ASSAY_WARM_UP",),
        features=(*_FILES, "reply", "workspace", "keep", "charts", "code", "tools"),
        writes_stack=True,
    ),
    "jvm": Worker(
        kinds=("sql", "builtin"),
        command=(os.path.join(_JVM_RUNNER, "start"),),
        # It draws charts with the package `chart`.
        environment={"ASSAY_PYTHON": sys.executable},
        control_fd=0,
        flushes=True,
        settings=("ASSAY_MEMORY_BYTES", "ASSAY_SCRATCH_BYTES", "ASSAY_WARM_UP"),
        features=(*_FILES, "reply", "workspace", "charts", "timeZone", "export"),
    ),
    "javascript": Worker(
        kinds=("javascript",),
        command=(os.path.join(_JVM_RUNNER, "start-javascript"),),
        environment={},
        control_fd=0,
        # It writes what scripts print at once, so that SIGTERM loses nothing.
        flushes=False,
        settings=("ASSAY_MEMORY_BYTES", "ASSAY_WARM_UP"),
        features=("tools",),
        # V8 ends the process by a trap when its heap is full.
        memory_signal=signal.SIGTRAP,
        own_errors=True,
    ),
    "snapshot": Worker(
        kinds=("snapshot",),
        command=(*_PYTHON, "-X", "utf8", "-I", "-m", "assay_runner.snapshot"),
        environment={},
        control_fd=PYTHON_CONTROL_FD,
        flushes=False,
    ),
}
"""The workers by name."""
