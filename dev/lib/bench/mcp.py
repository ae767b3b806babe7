"""A client for the tools of an MCP endpoint, enough for measurements."""

from __future__ import annotations

import base64
import http.client
import json
import struct
import time
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass

from bench.kubernetes import Object

PROTOCOL_VERSION = "2025-11-25"
_SECONDS = 900
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_SIZE = slice(16, 24)


@dataclass(frozen=True)
class ToolResult:
    """What a tool returned, and how long the call took, in seconds."""

    structured: Object
    text: str
    is_error: bool
    seconds: float
    images: tuple[bytes, ...] = ()


class McpClient:
    """Calls tools on one connection.

    Args:
        seconds: how long a reply may take.
    """

    def __init__(self, url: str, key: str | None, seconds: float = _SECONDS) -> None:
        parts = urllib.parse.urlsplit(url)
        self._connection = http.client.HTTPConnection(
            parts.hostname or "", parts.port, timeout=seconds
        )
        self._path = parts.path or "/mcp"
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": PROTOCOL_VERSION,
        }
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def initialize(self) -> None:
        """Begin a session, where the server has sessions; RuntimeError if it is refused."""
        params = {
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": {},
            "clientInfo": {"name": "assay-bench", "version": "1"},
        }
        response, text = self._post(_request("initialize", params))
        version = _result("initialize", response.status, text)["protocolVersion"]
        self._headers["MCP-Protocol-Version"] = version
        session = response.getheader("Mcp-Session-Id")
        if session:
            self._headers["Mcp-Session-Id"] = session
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Object) -> ToolResult:
        """Call a tool; RuntimeError if the endpoint refuses the request."""
        params = {"name": tool, "arguments": arguments}
        began = time.monotonic()
        response, text = self._post(_request("tools/call", params))
        seconds = time.monotonic() - began
        result = _result(tool, response.status, text)
        texts = [block["text"] for block in result["content"] if block["type"] == "text"]
        return ToolResult(
            result.get("structuredContent") or {},
            "\n".join(texts),
            bool(result.get("isError")),
            seconds,
            images(result["content"]),
        )

    def request(self, method: str, params: Object) -> Object:
        """The result of a request; RuntimeError if the endpoint refuses it."""
        response, text = self._post(_request(method, params))
        return _result(method, response.status, text)

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


def picture_size(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG file in pixels; ValueError for another."""
    if not picture.startswith(_PNG):
        raise ValueError(f"not a PNG file: {picture[: len(_PNG)]!r}")
    width, height = struct.unpack(">II", picture[_PNG_SIZE])
    return width, height


def _request(method: str, params: Object) -> Object:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _result(what: str, status: int, text: str) -> Object:
    answer = _answer(text)
    if status != http.client.OK or "result" not in answer:
        raise RuntimeError(f"{what}: {status} {text[:500]}")
    result: Object = answer["result"]
    return result


def _answer(text: str) -> Object:
    """The response: of a body that is JSON, or of the last event of a stream."""
    lines = [line[len("data:") :] for line in text.splitlines() if line.startswith("data:")]
    for line in reversed(lines):
        message: Object = json.loads(line)
        if "result" in message or "error" in message:
            return message
    answer: Object = json.loads(text)
    return answer
