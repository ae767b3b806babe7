"""langchain-mcp-adapters: its tools, and what chat models of three vendors would send."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

from google.genai._mcp_utils import mcp_to_gemini_tool
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_mcp_adapters.callbacks import CallbackContext, Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI

import payload
import session

_NAME = "assay"

_results: ContextVar[list[Any]] = ContextVar("_results")


def _openai(responses: bool) -> Any:
    model: Any = ChatOpenAI(model="gpt-5", api_key="none", use_responses_api=responses)  # type: ignore[arg-type]
    return model


_CHAT = _openai(responses=False)
_RESPONSES = _openai(responses=True)
_ANTHROPIC: Any = ChatAnthropic(model_name="claude-sonnet-4-5", api_key="none")  # type: ignore[arg-type, call-arg]
_GEMINI: Any = ChatGoogleGenerativeAI(model="gemini-3-pro", api_key="none")


async def _progress(
    done: float, total: float | None, message: str | None, context: CallbackContext
) -> None:
    """It is asked for, so that the reply is a stream of events."""


async def _recorded(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
    """Keeps what the server has replied: the agent has only a part of it."""
    result = await handler(request)
    _results.get().append(result)
    return result


class Langchain:
    """A client with a session for each call, which is the default."""

    def __init__(self, client: MultiServerMCPClient) -> None:
        self._client = client
        self._tools: dict[str, BaseTool] = {}

    async def names(self) -> list[str]:
        tools = await self._client.get_tools()
        self._tools = {tool.name: tool for tool in tools}
        for model in (_CHAT, _RESPONSES, _ANTHROPIC, _GEMINI):
            model.bind_tools(tools)
        for tool in tools:
            convert_to_openai_tool(tool, strict=True)
        async with self._client.session(_NAME) as listing:
            for listed in (await listing.list_tools()).tools:
                mcp_to_gemini_tool(listed)
        return list(self._tools)

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if not self._tools:
            await self.names()
        results: list[Any] = []
        _results.set(results)
        call = {"type": "tool_call", "id": "call_1", "name": tool, "args": arguments}
        message: ToolMessage = await self._tools[tool].ainvoke(call)
        _complain([HumanMessage("?"), AIMessage("", tool_calls=[call]), message])
        return {
            **session.plain(results[0]),
            "content": [_in_protocol(block) for block in message.content],
            "isError": message.status == "error",
        }

    async def read(self, uri: str) -> dict[str, Any]:
        found = await self._client.get_resources(_NAME, uris=[uri])
        return {"contents": [_resource(uri, blob) for blob in found]}


def _complain(messages: list[Any]) -> None:
    builders = {
        "chat completions": lambda: _CHAT._get_request_payload(messages)["messages"],
        "responses": lambda: _RESPONSES._get_request_payload(messages)["input"],
        "Anthropic": lambda: _ANTHROPIC._get_request_payload(messages)["messages"],
        "Gemini": lambda: [
            content.model_dump() for content in _GEMINI._prepare_request(messages)["contents"]
        ],
    }
    for name, build in builders.items():
        try:
            session.complaints.extend(f"{name}: {part}" for part in payload.refused(build()))
        except Exception as failure:
            session.complaints.append(f"{name}: {failure!r}")


def _in_protocol(block: Any) -> dict[str, Any]:
    match block["type"]:
        case "text":
            return {"type": "text", "text": block["text"]}
        case "image" if "base64" in block:
            return {"type": "image", "data": block["base64"], "mimeType": block["mime_type"]}
    return {"type": "resource_link", "uri": block.get("url", ""), "name": block["type"]}


def _resource(uri: str, blob: Any) -> dict[str, Any]:
    found = {"uri": uri, "mimeType": blob.mimetype or "text/plain"}
    if isinstance(blob.data, str):
        return {**found, "text": blob.data}
    return {**found, "blob": base64.b64encode(blob.data).decode()}


@asynccontextmanager
async def connected(server: session.Server) -> AsyncIterator[Langchain]:
    connection: Any
    if server.url is None:
        connection = {"transport": "stdio", **server.process}
        # mcp 1 kills the command where progress comes after a call was given up, so that it cannot
        # cancel its calls.
        callbacks = None
    else:
        connection = {"transport": "http", "url": server.url, "headers": server.headers}
        callbacks = Callbacks(on_progress=_progress)
    patience = {"read_timeout_seconds": timedelta(seconds=session.PATIENCE)}
    yield Langchain(
        MultiServerMCPClient(
            {_NAME: {**connection, "session_kwargs": patience}},
            callbacks=callbacks,
            tool_interceptors=[_recorded],
        )
    )


if __name__ == "__main__":
    session.serve(connected(session.Server.of_arguments()))
