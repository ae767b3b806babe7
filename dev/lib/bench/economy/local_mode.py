"""Local mode of Assay with the tables, as a process of this benchmark."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.economy.connection import PeerError
from cluster.settings import REPOSITORY

# Of which the first start builds the program.
_START_SECONDS = 1800
_END_SECONDS = 60
_SERVES = re.compile(rb"Assay serves (http://\S+)/mcp")
_BLOCK = 4096


@dataclass(frozen=True)
class Endpoint:
    """Where the tools are, and the key that they want."""

    url: str
    key: str


@contextlib.contextmanager
def started(tables: Path, scratch: Path) -> Iterator[Endpoint]:
    """Start it with the tables of a folder, and end it after use; PeerError if it does not start.

    Its key and its progress are in `scratch`.
    """
    state = scratch / "state"
    log = scratch / "assay.log"
    command = [str(REPOSITORY / "assay"), "local", "--port", "0", "--data", str(tables)]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command,
            env={**os.environ, "XDG_STATE_HOME": str(state)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    try:
        url = _url(process, log)
        yield Endpoint(url, (state / "assay" / "api-key").read_text().strip())
    finally:
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _url(process: subprocess.Popen[bytes], log: Path) -> str:
    """The address, once all tables are loaded."""
    assert process.stdout is not None
    deadline = time.monotonic() + _START_SECONDS
    said = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (found := _SERVES.search(said)) is None:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise PeerError(f"did not serve within {_START_SECONDS} s: {log}")
            block = os.read(process.stdout.fileno(), _BLOCK)
            if not block:
                errors = log.read_text(errors="replace").strip()[-500:]
                raise PeerError(f"has ended with {process.wait()}: {errors}")
            said += block
    return found[1].decode()
