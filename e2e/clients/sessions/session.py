"""Serves one session of a client of MCP over standard input and output, as lines of JSON.

Arguments of each program beside this one: `http URL`, or `stdio COMMAND ARGUMENT...`, which starts
the server. The API key comes from ASSAY_API_KEY.

Requests, answered in the order in which they end:

    {"id": 1, "do": "list"}
    {"id": 1, "names": [...]}

    {"id": 2, "do": "call", "tool": "...", "arguments": {}}
    {"id": 2, "result": a CallToolResult}

    {"id": 3, "do": "read", "uri": "..."}
    {"id": 3, "result": a ReadResourceResult}

    {"id": 4, "do": "cancel", "call": 2}
    {"id": 4}

    {"id": 5, "do": "complaints"}
    {"id": 5, "complaints": [...]}

An answer of `failed` instead has what the client raised. Complaints are what the client has logged
as a warning or an error since it was asked last, and what a model's API would refuse.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

# Of a client that waits no longer, as most do by default. Seconds.
PATIENCE = 60

complaints: list[str] = []


class Client(Protocol):
    """What a session asks of a client. Results are as in the protocol."""

    async def names(self) -> list[str]:
        """The names of all tools, each of which is converted for the models that it can use."""

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Calls a tool as an agent does, with progress where the client can ask for it."""

    async def read(self, uri: str) -> dict[str, Any]:
        """Reads a resource."""


@dataclass(frozen=True)
class Server:
    """What the arguments name: a URL, or the command that starts the server."""

    url: str | None
    command: list[str]

    @staticmethod
    def of_arguments() -> Server:
        transport, *rest = sys.argv[1:]
        return Server(rest[0], []) if transport == "http" else Server(None, rest)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {os.environ['ASSAY_API_KEY']}"}

    @property
    def process(self) -> dict[str, Any]:
        """Parameters of a process that has the environment of this one."""
        return {"command": self.command[0], "args": self.command[1:], "env": dict(os.environ)}


def plain(result: Any) -> dict[str, Any]:
    """A model of the MCP SDK as JSON."""
    found: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


class _Complaints(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        said = f"{record.name}: {record.getMessage()}"
        if record.exc_info and record.exc_info[1] is not None:
            said += f": {record.exc_info[1]!r}"
        complaints.append(said)


class _Session:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._calls: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            request = json.loads(line)
            task = asyncio.create_task(self._answer(request["id"], self._done(request)))
            self._calls[request["id"]] = task
        await asyncio.gather(*self._calls.values())

    async def _answer(self, number: int, work: Coroutine[Any, Any, dict[str, Any]]) -> None:
        try:
            answer = await work
        except asyncio.CancelledError:
            answer = {"failed": "cancelled"}
        except Exception as failure:
            answer = {"failed": _described(failure)}
        print(json.dumps({"id": number, **answer}), flush=True)

    async def _done(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "list":
                return {"names": await self._client.names()}
            case "call":
                return {"result": await self._client.call(request["tool"], request["arguments"])}
            case "read":
                return {"result": await self._client.read(request["uri"])}
            case "cancel":
                task = self._calls[request["call"]]
                task.cancel()
                await asyncio.wait([task])
                return {}
            case "complaints":
                found = list(complaints)
                complaints.clear()
                return {"complaints": found}
        raise ValueError(request["do"])


def _described(failure: BaseException) -> str:
    """With its parts, which a group of exceptions does not show."""
    parts = getattr(failure, "exceptions", ())
    return f"{type(failure).__name__}: {failure}" + "".join(f"; {_described(p)}" for p in parts)


def serve(client: AbstractAsyncContextManager[Client]) -> None:
    """Answers requests until standard input ends."""
    logging.getLogger().addHandler(_Complaints(logging.WARNING))

    async def served() -> None:
        async with client as connected:
            await _Session(connected).run()

    asyncio.run(served())
