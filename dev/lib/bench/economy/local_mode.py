"""Local mode of Assay with the tables, as a process of this benchmark."""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.economy.connection import PeerError
from bench.subjects import FrontEnd
from cluster.errors import ClusterError
from cluster.settings import REPOSITORY
from cluster.waiting import wait_for

# Of which the first start builds the program.
_START_SECONDS = 1800
_END_SECONDS = 60
# A program that replies too late is asked again within half a minute.
_CONNECT_SECONDS = 180
_SERVES = re.compile(rb"Assay serves (http://\S+)/mcp")
_BLOCK = 4096


@dataclass(frozen=True)
class Endpoint:
    """Where the tools are, and the key that they want."""

    url: str
    key: str


@contextlib.contextmanager
def started(
    tables: Path, scratch: Path, servers: Mapping[str, Sequence[str]]
) -> Iterator[Endpoint]:
    """Start it with the tables of a folder, and end it after use; PeerError if it does not start.

    Args:
        scratch: for its key and its progress.
        servers: the programs of tool servers, by the names that code calls them by.
    """
    state = scratch / "state"
    log = scratch / "assay.log"
    command = [str(REPOSITORY / "assay"), "local", "--port", "0", "--data", str(tables)]
    # All code that is sent is that of the tasks.
    command.append("--trust-code")
    if servers:
        config = scratch / "servers.json"
        entries = {name: {"command": one[0], "args": one[1:]} for name, one in servers.items()}
        config.write_text(json.dumps({"mcpServers": entries}))
        command += ["--config", str(config)]
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


def await_connected(endpoint: Endpoint, count: int) -> None:
    """Wait until code can call the tools of all servers; PeerError where one is not connected."""
    front_end = FrontEnd(endpoint.url, endpoint.key)

    def are_connected() -> bool:
        servers = front_end.request("GET", "/tool-servers")["items"]
        return len(servers) == count and all(one["phase"] == "Connected" for one in servers)

    try:
        wait_for("tool servers", are_connected, seconds=_CONNECT_SECONDS)
    except (ClusterError, RuntimeError) as error:
        raise PeerError(f"does not reach its tool servers: {error}") from error


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
