"""Runs scripts by the tool `code_execution`, which Assay and mcpproxy-go both have."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.kubernetes import Object
from bench.mcp import McpClient, ToolResult

TOOL = "code_execution"
# A server may close a connection that is idle for longer.
_MAX_IDLE_SECONDS = 10.0


@dataclass(frozen=True)
class Script:
    """A script and what it is run with.

    Attributes:
        code: the source.
        input: what the script has as `input`.
        options: limits.
        language: `javascript` or `typescript`.
    """

    code: str
    input: Mapping[str, object] | None = None
    options: Mapping[str, object] | None = None
    language: str = "javascript"

    def arguments(self) -> Object:
        """Those of the tool."""
        given = {"input": self.input, "options": self.options}
        return {
            "code": self.code,
            "language": self.language,
            **{name: dict(value) for name, value in given.items() if value is not None},
        }


@dataclass(frozen=True)
class Reply:
    """What became of a script.

    Attributes:
        value: that of the script; None if it has failed.
        error: the code of its error; empty if it has not failed.
        run: the name of its run; empty where there are no runs.
        seconds: from the request until the reply was there.
        answered: when it was there, in epoch seconds.
    """

    value: Any
    error: str
    run: str
    seconds: float
    answered: float

    @property
    def milliseconds(self) -> float:
        return self.seconds * 1000


class ScriptError(Exception):
    """A script that has to succeed has failed."""


class ScriptClient:
    """A client of one endpoint.

    Args:
        connect: opens a connection.
    """

    def __init__(self, connect: Callable[[], McpClient]) -> None:
        self._connect = connect
        self._client = connect()
        self._used = time.monotonic()

    def run(self, script: Script) -> Reply:
        """Run a script on the connection of this client; one at a time."""
        if time.monotonic() - self._used > _MAX_IDLE_SECONDS:
            self._client.close()
            self._client = self._connect()
        try:
            result = self._client.call(TOOL, script.arguments())
        except (OSError, http.client.HTTPException):
            # Else the next script would find the connection in the middle of a reply.
            self._client.close()
            raise
        self._used = time.monotonic()
        return reply(result)

    def value(self, script: Script) -> Reply:
        """The same; ScriptError if the script fails."""
        found = self.run(script)
        if found.error:
            raise ScriptError(f"the script ended with {found.error}: {script.code[:200]}")
        return found

    def run_apart(self, script: Script) -> Reply:
        """Run a script on a connection of its own, beside others; never raises for its loss."""
        began = time.monotonic()
        try:
            client = self._connect()
            try:
                return reply(client.call(TOOL, script.arguments()))
            finally:
                client.close()
        except (OSError, http.client.HTTPException, RuntimeError, ValueError, ScriptError) as error:
            seconds = time.monotonic() - began
            return Reply(None, f"no reply: {type(error).__name__}", "", seconds, time.time())


def reply(result: ToolResult) -> Reply:
    """Read a reply, of which one of the two has no structured content."""
    answered = time.time()
    document: Object = result.structured
    if not document:
        try:
            document = json.loads(result.text)
        except ValueError:
            raise ScriptError(f"{TOOL} failed: {result.text[:500]}") from None
    is_ok = document.get("ok") is True
    return Reply(
        document.get("value") if is_ok else None,
        "" if is_ok else str(document.get("error", {}).get("code", "unknown")),
        str(document.get("execution_id", "")),
        result.seconds,
        answered,
    )
