"""mcpproxy-go as a peer: built from a checkout of it, and served on the loopback address.

Its code is no part of this repository. It has what a user has who follows its documentation of
code execution, with its telemetry, its look for updates and its count of tokens switched off.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import secrets
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from bench import cpu
from bench.kubernetes import Object
from bench.mcp import McpClient
from bench.memory_limit import MemoryLimit
from bench.scripts.script_client import Script, ScriptClient, ScriptError
from cluster.settings import cache_root
from cluster.waiting import wait_for

NAME = "mcpproxy-go"
OPTION = "--mcpproxy"
_HOST = "127.0.0.1"
_START_SECONDS = 60.0
_STOP_SECONDS = 5.0
# As many scripts at a time as any phase runs at once.
_POOL_SIZE = 32


@dataclass(frozen=True)
class PeerProgram:
    """The program.

    Attributes:
        program: the file.
        version: what its sources call themselves.
    """

    program: Path
    version: str

    @property
    def conditions(self) -> Mapping[str, str]:
        """What it is measured with, for a result."""
        return {
            NAME: self.version,
            f"{NAME}, settings": json.dumps(_settings(), sort_keys=True),
            f"{NAME}, environment": " ".join(f"{name}={value}" for name, value in _QUIET.items()),
        }

    def serve(self, server: str, url: str, limit: MemoryLimit | None = None) -> Peer:
        """Start it, with one server of MCP behind it.

        Args:
            server: the name by which scripts call it.
            url: its address.
            limit: of its memory; none if there is none.
        """
        return Peer(self.program, server, url, limit)


def built(source: Path) -> PeerProgram:
    """Build it from a checkout, without its web pages; into the cache, not into the checkout."""
    version = _output(["git", "-C", source, "describe", "--tags", "--always", "--dirty"])
    program = cache_root() / "bench" / "mcpproxy-go" / version / "mcpproxy"
    program.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["go", "build", "-o", program, "./cmd/mcpproxy"],
        cwd=source,
        env={**os.environ, "CGO_ENABLED": "0"},
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        raise SystemExit(f"dev/bench scripts: go build in {source} failed; its messages are above")
    return PeerProgram(program, version)


_QUIET = {"MCPPROXY_TELEMETRY": "false", "MCPPROXY_DISABLE_AUTO_UPDATE": "true"}


def _settings() -> Object:
    """Those that are not its defaults, besides its addresses and its key."""
    return {
        "enable_code_execution": True,
        "code_execution_pool_size": _POOL_SIZE,
        "enable_socket": False,
        # 0 is no limit.
        "tool_response_limit": 0,
        "quarantine_enabled": False,
        "docker_isolation": {"enabled": False},
        "telemetry": {"enabled": False},
        "update_check": {"enabled": False},
        "tokenizer": {"enabled": False},
    }


def config(port: int, folder: Path, key: str, server: str, url: str) -> Object:
    """Its configuration file.

    Args:
        port: at which it listens on the loopback address.
        folder: of its data.
        key: of its REST interface, which it would make itself.
        server: the name of the server behind it.
        url: the address of that server.
    """
    return {
        **_settings(),
        "listen": f"{_HOST}:{port}",
        "data_dir": str(folder),
        "api_key": key,
        "mcpServers": [
            {
                "name": server,
                "url": url,
                "protocol": "streamable-http",
                "enabled": True,
                "quarantined": False,
                "trust_mode": "auto",
            }
        ],
    }


class Peer:
    """A process of it, while it is entered."""

    def __init__(self, program: Path, server: str, url: str, limit: MemoryLimit | None) -> None:
        self._program = program
        self._server = server
        self._url = url
        self._limit = limit
        self._exits = contextlib.ExitStack()

    def client(self) -> ScriptClient:
        """A client of it, with a session for each connection."""
        return ScriptClient(self._connect)

    def cpu_seconds(self) -> float:
        """CPU time of the process so far; GoneError once it has ended."""
        return cpu.own_seconds(cpu.process_stat(self._process.pid))

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended by itself."""
        return self._process.poll() is not None

    def _connect(self) -> McpClient:
        client = McpClient(f"http://{_HOST}:{self._port}/mcp", None)
        client.initialize()
        return client

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            self._port = _free_port()
            file = folder / "mcp_config.json"
            key = secrets.token_hex(16)
            file.write_text(json.dumps(config(self._port, folder, key, self._server, self._url)))
            command: list[str | Path] = [self._program, "serve", "--config", file]
            log = stack.enter_context((folder / "output.log").open("wb"))
            self._process = subprocess.Popen(
                command if self._limit is None else self._limit.command(command),
                cwd=folder,
                env={**os.environ, **_QUIET, "HOME": str(folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            stack.callback(self._stop)
            try:
                wait_for(
                    NAME,
                    self._serves,
                    seconds=_START_SECONDS,
                    still_possible=lambda: not self.has_ended,
                )
            except Exception as error:
                said = (folder / "output.log").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"{NAME} does not serve: {error}\n{said}") from error
            self._exits = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._exits.close()

    def _serves(self) -> bool:
        """Whether a script can call a tool."""
        code = f"call_tool('{self._server}', 'echo', {{value: 1}}).ok"
        try:
            return self.client().run(Script(code)).value is True
        except (OSError, http.client.HTTPException, RuntimeError, ValueError, ScriptError):
            return False

    def _stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            # A script that never ends keeps it.
            self._process.kill()
            self._process.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind((_HOST, 0))
        port: int = free.getsockname()[1]
        return port


def _output(command: list[str | Path]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
