"""Parses the launcher's arguments and environment."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assay_runner.linger import DEFAULT_LINGER_MS, LINGER_MS, MAX_LINGER_MS
from assay_runner.workers import WORKERS

_DATASET_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
_DISPLAY_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9 ._-]{0,251}[A-Za-z0-9])?")

USAGE = f"usage: launcher {'|'.join(WORKERS)} [--dataset NAME]..."


class UsageError(ValueError):
    """The command line or the environment is invalid; the message says why."""


class Command(NamedTuple):
    """The worker to start. A named tuple, since importing dataclasses takes longer than the rest.

    Attributes:
        worker: its name in `WORKERS`.
        datasets: names of the datasets to load before there is a job.
        datasets_directory: where datasets are mounted, by name.
        display_names: the names that their owners wrote, by name; others have their own.
        socket_path: the supervisor's unix socket.
        workspace: the worker's working directory.
        scratch: the worker's HOME, and its TMPDIR if there is no other.
        matplotlib_cache: directory with matplotlib's font cache; may be missing.
        network_filter: whether the seccomp filter refuses the network.
        linger_seconds: how long to stay after the exit was reported.
    """

    worker: str
    datasets: tuple[str, ...]
    datasets_directory: str
    display_names: Mapping[str, str]
    socket_path: str
    workspace: str
    scratch: str
    matplotlib_cache: str
    network_filter: bool
    linger_seconds: float = DEFAULT_LINGER_MS / 1000


def parse(arguments: Sequence[str], environment: Mapping[str, str]) -> Command:
    """Parse without argparse, which would double the launcher's start-up time.

    Raises:
        UsageError: for an unknown worker, option, dataset name or setting.
    """
    if not arguments or arguments[0] not in WORKERS:
        raise UsageError(USAGE)
    datasets = []
    rest = iter(arguments[1:])
    for option in rest:
        name = next(rest, None)
        if option != "--dataset" or name is None:
            raise UsageError(USAGE)
        if not _DATASET_NAME.fullmatch(name):
            raise UsageError(f"not a dataset name: {name!r}")
        datasets.append(name)
    setting = environment.get("ASSAY_NETWORK_FILTER", "on")
    if setting not in ("on", "off"):
        raise UsageError(f"ASSAY_NETWORK_FILTER must be on or off, not {setting!r}")
    scratch = environment.get("ASSAY_SCRATCH_DIR", "/scratch")
    return Command(
        worker=arguments[0],
        datasets=tuple(datasets),
        datasets_directory=environment.get("ASSAY_DATASETS_DIR", "/datasets"),
        display_names=_display_names(environment.get("ASSAY_DISPLAY_NAMES", "")),
        socket_path=environment.get("ASSAY_SOCKET", "/run/assay/launcher.sock"),
        workspace=_workspace(environment.get("ASSAY_WORKSPACE_DIR", "/workspace"), scratch),
        scratch=scratch,
        matplotlib_cache=environment.get(
            "ASSAY_MATPLOTLIB_CACHE", f"{sys.prefix}/share/assay/matplotlib"
        ),
        network_filter=setting == "on",
        linger_seconds=_linger_seconds(environment.get(LINGER_MS)),
    )


def _linger_seconds(text: str | None) -> float:
    milliseconds = text or str(DEFAULT_LINGER_MS)
    if not milliseconds.isdecimal() or int(milliseconds) > MAX_LINGER_MS:
        raise UsageError(f"{LINGER_MS} must be a number from 0 to {MAX_LINGER_MS}, not {text!r}")
    return int(milliseconds) / 1000


def _workspace(directory: str, scratch: str) -> str:
    """Return the working directory, which Pods of earlier operators do not have."""
    return directory if os.access(directory, os.W_OK | os.X_OK) else scratch


def _display_names(text: str) -> dict[str, str]:
    names = {}
    for pair in text.split(",") if text else ():
        name, _, display_name = pair.partition("=")
        if not _DATASET_NAME.fullmatch(name) or not _DISPLAY_NAME.fullmatch(display_name):
            raise UsageError(f"ASSAY_DISPLAY_NAMES must be NAME=DISPLAY,..., not {pair!r}")
        names[name] = display_name
    return names
