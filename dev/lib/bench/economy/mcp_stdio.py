"""A connection to an MCP server that is a program, by its standard streams."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.economy.connection import Listing, PeerError, Reply, listing_of, reply_of
from bench.economy.mcp_http import initialize
from bench.kubernetes import Object

_BLOCK = 64 * 1024
_MAX_LINE = 64 * 1024 * 1024
_METHOD_NOT_FOUND = -32601
_END_SECONDS = 5


class McpStdioConnection:
    """It starts the program, and ends it; the standard error goes to a file."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        log: Path,
        seconds: float,
    ) -> None:
        """Start it in a folder; OSError if that fails.

        Args:
            seconds: what it may take for a reply.
        """
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input = self._process.stdin
        self._output = self._process.stdout.fileno()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        self._read = b""
        self._seconds = seconds
        self._last_id = 0

    def listing(self) -> Listing:
        server = self._request("initialize", initialize())
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return listing_of(server, self._request("tools/list", {}))

    def begin(self) -> None:
        """Nothing of a task is left in the server but its files."""

    def call(self, tool: str, arguments: Object) -> Reply:
        return reply_of(self._request("tools/call", {"name": tool, "arguments": arguments}))

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._input.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()

    def _request(self, method: str, params: Object) -> Any:
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        deadline = time.monotonic() + self._seconds
        while True:
            message = self._message(method, deadline)
            if "method" in message:
                self._refuse(message)
            elif message.get("id") == self._last_id:
                if "result" not in message:
                    raise PeerError(f"answered {method} with {message.get('error')!r:.300}")
                return message["result"]

    def _refuse(self, message: Object) -> None:
        """Requests of the server are for features that this client does not have."""
        if "id" in message:
            error = {"code": _METHOD_NOT_FOUND, "message": "Not supported"}
            self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def _send(self, message: Object) -> None:
        # If the program has ended, its output is read next and may say why.
        with contextlib.suppress(OSError):
            self._input.write(json.dumps(message).encode() + b"\n")
            self._input.flush()

    def _message(self, method: str, deadline: float) -> Object:
        line = self._line(method, deadline)
        try:
            message = json.loads(line)
        except ValueError as error:
            raise PeerError(f"answered {method} with garbage: {line[:200]!r}") from error
        if not isinstance(message, dict):
            raise PeerError(f"answered {method} with garbage: {line[:200]!r}")
        return message

    def _line(self, method: str, deadline: float) -> bytes:
        while b"\n" not in self._read:
            if not self._selector.select(max(0.0, deadline - time.monotonic())):
                raise PeerError(f"hangs: no answer to {method} within {self._seconds:g} s")
            block = os.read(self._output, _BLOCK)
            if not block:
                raise PeerError(f"has ended with {self._process.wait()} at {method}")
            self._read += block
            if len(self._read) > _MAX_LINE:
                raise PeerError(f"answered {method} with more than {_MAX_LINE} bytes")
        line, _, self._read = self._read.partition(b"\n")
        return line
