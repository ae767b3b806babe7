"""What a player speaks to: a listing of tools, and their calls."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from bench.kubernetes import Object
from bench.mcp import images, picture_size


class PeerError(Exception):
    """A system does not answer as MCP servers do; the message says what it did."""


@dataclass(frozen=True)
class Listing:
    """What an agent reads before it asks: the members of `tools` as the server sent them."""

    instructions: str
    tools: Sequence[Object]

    def schema(self, tool: str) -> Object | None:
        """The input schema of a tool; None where it is not listed."""
        for one in self.tools:
            if one.get("name") == tool:
                schema: Object = one.get("inputSchema") or {}
                return schema
        return None


@dataclass(frozen=True)
class Picture:
    """Pixels of an image block."""

    width: int
    height: int


@dataclass(frozen=True)
class Reply:
    """Of a call.

    Attributes:
        text: of all text blocks, one below the other.
        structured: the structured content; None without it.
    """

    text: str
    is_error: bool
    structured: Any = None
    pictures: Sequence[Picture] = field(default_factory=tuple)


class Connection(Protocol):
    """To one system, for as many tasks as there are."""

    def listing(self) -> Listing:
        """Its tools; PeerError if it has none."""

    def begin(self) -> None:
        """Another task begins, which knows nothing of the one before."""

    def call(self, tool: str, arguments: Object) -> Reply:
        """Call a tool; PeerError where there is no reply."""

    def close(self) -> None:
        """End what was started."""


def reply_of(result: object) -> Reply:
    """The reply that a `tools/call` returned; PeerError if it is none."""
    try:
        return _reply(result)
    except (AttributeError, KeyError, TypeError, ValueError, struct.error) as error:
        raise PeerError(f"answered a call with garbage: {result!r:.200}") from error


def _reply(result: Any) -> Reply:
    content = result["content"]
    texts = [block["text"] for block in content if block["type"] == "text"]
    pictures = [Picture(*picture_size(image)) for image in images(content)]
    return Reply(
        "\n".join(texts), bool(result.get("isError")), result.get("structuredContent"), pictures
    )


def listing_of(server: object, listed: object) -> Listing:
    """The listing that `initialize` and `tools/list` returned; PeerError if it is none."""
    if not isinstance(server, dict) or not isinstance(listed, dict):
        raise PeerError(f"answered with garbage: {listed!r:.200}")
    tools = listed.get("tools")
    if not isinstance(tools, list) or not tools or not all(isinstance(t, dict) for t in tools):
        raise PeerError(f"lists no tools: {listed!r:.200}")
    return Listing(str(server.get("instructions") or ""), tools)
