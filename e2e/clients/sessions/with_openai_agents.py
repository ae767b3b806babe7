"""openai-agents: its client, and what it would send to the models of OpenAI."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

from agents import RunContextWrapper
from agents.items import ItemHelpers
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, MCPUtil
from agents.models.chatcmpl_converter import Converter as ChatConverter
from agents.models.openai_responses import Converter as ResponsesConverter
from openai.types.responses import ResponseFunctionToolCall

import payload
import session

_results: ContextVar[list[Any]] = ContextVar("_results")


class _Recorded:
    """Keeps what the server has replied: the agent has only the content."""

    async def call_tool(self, *arguments: Any, **named: Any) -> Any:
        result = await super().call_tool(*arguments, **named)  # type: ignore[misc]
        _results.get().append(result)
        return result


class _Http(_Recorded, MCPServerStreamableHttp):
    pass


class _Stdio(_Recorded, MCPServerStdio):
    pass


class Agents:
    """A server of openai-agents."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._tools: dict[str, Any] = {}

    async def names(self) -> list[str]:
        self._tools = {tool.name: tool for tool in await self._server.list_tools()}
        for strict in (False, True):
            tools: list[Any] = [
                MCPUtil.to_function_tool(tool, self._server, strict)
                for tool in self._tools.values()
            ]
            ResponsesConverter.convert_tools(tools, [])
            for tool in tools:
                ChatConverter.tool_to_openai(tool)
        return list(self._tools)

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if not self._tools:
            await self.names()
        results: list[Any] = []
        _results.set(results)
        given = json.dumps(arguments)
        context: Any = RunContextWrapper(None)
        output = await MCPUtil.invoke_mcp_tool(self._server, self._tools[tool], context, given)
        call = ResponseFunctionToolCall(
            type="function_call", call_id="call_1", name=tool, arguments=given
        )
        item: Any = ItemHelpers.tool_call_output_item(call, output)
        asked: Any = call.model_dump(exclude_none=True)
        for built in (item, ChatConverter.items_to_messages([asked, item])):
            session.complaints.extend(payload.refused(built))
        return session.plain(results[0])

    async def read(self, uri: str) -> dict[str, Any]:
        return session.plain(await self._server.read_resource(uri))


@asynccontextmanager
async def connected(server: session.Server) -> AsyncIterator[Agents]:
    # The default of 5 s ends every longer call, and cancels its run.
    patience: dict[str, Any] = {"client_session_timeout_seconds": session.PATIENCE}
    client: Any
    if server.url is None:
        client = _Stdio(params=server.process, **patience)
    else:
        client = _Http(params={"url": server.url, "headers": server.headers}, **patience)
    async with client:
        yield Agents(client)


if __name__ == "__main__":
    session.serve(connected(session.Server.of_arguments()))
