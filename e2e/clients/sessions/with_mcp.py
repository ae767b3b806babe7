"""The official Python SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

import session


async def _progress(done: float, total: float | None, message: str | None) -> None:
    """It is asked for, so that the reply is a stream of events."""


class Sdk:
    """As in docs/agents.md."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def names(self) -> list[str]:
        names: list[str] = []
        cursor: str | None = None
        while True:
            page = await self._client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return names

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return session.plain(
            await self._client.call_tool(tool, arguments, progress_callback=_progress)
        )

    async def read(self, uri: str) -> dict[str, Any]:
        return session.plain(await self._client.read_resource(uri))


@asynccontextmanager
async def connected(server: session.Server) -> AsyncIterator[Sdk]:
    async with AsyncExitStack() as stack:
        if server.url is None:
            transport: Any = stdio_client(StdioServerParameters(**server.process))
        else:
            http = await stack.enter_async_context(
                httpx2.AsyncClient(headers=server.headers, timeout=180)
            )
            transport = streamable_http_client(server.url, http_client=http)
        client = Client(transport, read_timeout_seconds=session.PATIENCE)
        yield Sdk(await stack.enter_async_context(client))


if __name__ == "__main__":
    session.serve(connected(session.Server.of_arguments()))
