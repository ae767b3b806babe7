"""A client for the tools of an MCP endpoint, enough for measurements."""

from __future__ import annotations

import base64
import http.client
import json
import time
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass

from bench.kubernetes import Object

_PROTOCOL_VERSION = "2025-11-25"
_SECONDS = 900


@dataclass(frozen=True)
class ToolResult:
    """What a tool returned, and how long the call took, in seconds."""

    structured: Object
    text: str
    is_error: bool
    seconds: float
    images: tuple[bytes, ...] = ()


class McpClient:
    """Calls tools on one connection."""

    def __init__(self, url: str, key: str | None) -> None:
        parts = urllib.parse.urlsplit(url)
        self._connection = http.client.HTTPConnection(
            parts.hostname or "", parts.port, timeout=_SECONDS
        )
        self._path = parts.path or "/mcp"
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _PROTOCOL_VERSION,
        }
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def initialize(self) -> None:
        """Begin a session, where the server has sessions; RuntimeError if it is refused."""
        body = {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "initialize",
            "params": {
                "protocolVersion": _PROTOCOL_VERSION,
                "capabilities": {},
                "clientInfo": {"name": "assay-bench", "version": "1"},
            },
        }
        response, text = self._post(body)
        if response.status != http.client.OK:
            raise RuntimeError(f"initialize: {response.status} {text[:500]}")
        version = _answer(text)["result"]["protocolVersion"]
        self._headers["MCP-Protocol-Version"] = version
        session = response.getheader("Mcp-Session-Id")
        if session:
            self._headers["Mcp-Session-Id"] = session
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Object) -> ToolResult:
        """Call a tool; RuntimeError if the endpoint refuses the request."""
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        began = time.monotonic()
        response, text = self._post(body)
        seconds = time.monotonic() - began
        answer = _answer(text)
        if response.status != http.client.OK or "result" not in answer:
            raise RuntimeError(f"{tool}: {response.status} {text[:500]}")
        result = answer["result"]
        texts = [block["text"] for block in result["content"] if block["type"] == "text"]
        return ToolResult(
            result.get("structuredContent") or {},
            "\n".join(texts),
            bool(result.get("isError")),
            seconds,
            images(result["content"]),
        )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _post(self, body: Object) -> tuple[http.client.HTTPResponse, str]:
        self._connection.request("POST", self._path, json.dumps(body), self._headers)
        response = self._connection.getresponse()
        return response, response.read().decode()


def images(content: Sequence[Object]) -> tuple[bytes, ...]:
    """The pictures among the blocks of a reply."""
    return tuple(base64.b64decode(one["data"]) for one in content if one["type"] == "image")


def _answer(text: str) -> Object:
    """The response: of a body that is JSON, or of the last event of a stream."""
    lines = [line[len("data:") :] for line in text.splitlines() if line.startswith("data:")]
    for line in reversed(lines):
        message: Object = json.loads(line)
        if "result" in message or "error" in message:
            return message
    answer: Object = json.loads(text)
    return answer
