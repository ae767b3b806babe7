"""fastmcp, which asks for progress in every call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

import session


class FastMcp:
    """A client of fastmcp."""

    def __init__(self, client: Client[Any]) -> None:
        self._client = client

    async def names(self) -> list[str]:
        return [tool.name for tool in await self._client.list_tools()]

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return session.plain(await self._client.call_tool_mcp(tool, arguments))

    async def read(self, uri: str) -> dict[str, Any]:
        return session.plain(await self._client.read_resource_mcp(uri))


@asynccontextmanager
async def connected(server: session.Server) -> AsyncIterator[FastMcp]:
    transport: Any
    if server.url is None:
        transport = StdioTransport(**server.process)
    else:
        transport = StreamableHttpTransport(server.url, headers=server.headers)
    async with Client(transport, timeout=session.PATIENCE) as client:
        yield FastMcp(client)


if __name__ == "__main__":
    session.serve(connected(session.Server.of_arguments()))
