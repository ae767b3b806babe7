"""A connection to an MCP server by HTTP."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from typing import TypeVar

from bench.economy.connection import Listing, PeerError, Reply, listing_of, reply_of
from bench.kubernetes import Object
from bench.mcp import PROTOCOL_VERSION, McpClient

Result = TypeVar("Result")


class McpHttpConnection:
    """A connection to the endpoint of Assay."""

    def __init__(self, client: McpClient) -> None:
        self._client = client

    def listing(self) -> Listing:
        return listing_of(
            _asked(lambda: self._client.request("initialize", initialize())),
            _asked(lambda: self._client.request("tools/list", {})),
        )

    def begin(self) -> None:
        """Each call stands alone."""

    def call(self, tool: str, arguments: Object) -> Reply:
        params = {"name": tool, "arguments": arguments}
        return reply_of(_asked(lambda: self._client.request("tools/call", params)))

    def close(self) -> None:
        self._client.close()


def initialize() -> Object:
    """What a client without features of its own says first."""
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "dev/bench economy", "version": "1"},
    }


def _asked(request: Callable[[], Result]) -> Result:
    try:
        return request()
    except (OSError, http.client.HTTPException, RuntimeError, ValueError) as error:
        raise PeerError(f"gave no result: {error}") from error
