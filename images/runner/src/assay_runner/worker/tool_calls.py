"""The functions by which code calls tools: `call_tool` and `call_tools`."""

from __future__ import annotations

import base64
import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any, NoReturn

from assay_runner.control import Control
from assay_runner.frames import Message
from assay_runner.worker import streams
from assay_runner.worker.errors import describe_stack
from assay_runner.worker.tool_requests import (
    InvalidCallError,
    ToolRequest,
    parallel_calls,
    tool_request,
    tool_requests,
)

DEFAULT_PARALLEL = 8
_ENDED = 1


class ToolOutcome(dict[str, Any]):
    """The outcome of a call: `ok`, and `result` or `error`.

    Attributes:
        raw: what the tool has returned, with its `content`; None where it has returned nothing.
    """

    raw: Any = None


class ToolCalls:
    """Makes the calls of a run by way of the supervisor: one call or batch after the other.

    Args:
        control: the connection to the supervisor.
        script: path of the script.
        max_parallel: how many tools may be called at once.
    """

    def __init__(self, control: Control, script: str, max_parallel: int) -> None:
        self._control = control
        self._script = script
        self._max_parallel = max_parallel
        self._pid = os.getpid()
        self._turn = threading.Lock()
        self._last = 0
        self._waiting: set[int] = set()
        """The calls whose results have not been taken from the queue."""
        self._results: queue.SimpleQueue[tuple[int, bytes] | None] = queue.SimpleQueue()
        self._pieces = bytearray()

    def functions(self) -> dict[str, Callable[..., object]]:
        """Return the functions as code finds them, by name."""

        def call_tool(server: str, tool: str, args: dict[str, Any] | None = None) -> ToolOutcome:
            """Call a tool of a server; returns {"ok": True, "result": …} or {"error": …}."""
            try:
                request = tool_request(server, tool, args)
            except InvalidCallError as error:
                return _invalid(error)
            return self._call([request], None, sys._getframe(1))[0]

        def call_tools(
            requests: Sequence[Mapping[str, Any]], max_parallel: int = DEFAULT_PARALLEL
        ) -> list[ToolOutcome] | ToolOutcome:
            """Call several tools at once; returns the outcome of each, in order."""
            try:
                parallel = min(parallel_calls(max_parallel), self._max_parallel)
                checked = tool_requests(requests)
            except InvalidCallError as error:
                return _invalid(error)
            return self._call(checked, parallel, sys._getframe(1)) if checked else []

        return {"call_tool": call_tool, "call_tools": call_tools}

    def deliver(self, message: Message) -> None:
        """Take a piece of a result, which comes in a thread of its own."""
        self._pieces += base64.b64decode(message["data"])
        if not message["more"]:
            self._results.put((message["call"], bytes(self._pieces)))
            self._pieces.clear()

    def disconnect(self) -> None:
        """No result comes any more."""
        self._results.put(None)

    def _call(
        self, requests: Sequence[ToolRequest], max_parallel: int | None, caller: FrameType
    ) -> list[ToolOutcome]:
        if os.getpid() != self._pid:
            raise RuntimeError("only the process of the run can call tools, none that it starts")
        with self._turn:
            # Of a call that an exception of a signal handler has left.
            while self._waiting:
                self._take()
            first = self._last + 1
            batch = None
            if max_parallel is not None:
                batch = {"first": first, "size": len(requests), "maxParallel": max_parallel}
            for request in requests:
                self._last += 1
                self._waiting.add(self._last)
                self._control.tool_call(self._last, batch, *request)
            results = {}
            while self._waiting:
                call, data = self._take()
                results[call] = data
        outcomes = [_outcome(results[first + index]) for index in range(len(requests))]
        for outcome in outcomes:
            if "terminate" in outcome:
                self._end_run(outcome.get("error") or {}, caller)
        return outcomes

    def _take(self) -> tuple[int, bytes]:
        result = self._results.get()
        if result is None:
            # For whoever calls next.
            self._results.put(None)
            raise ConnectionError("the connection to the supervisor is closed")
        self._waiting.discard(result[0])
        return result

    def _end_run(self, error: Mapping[str, Any], caller: FrameType) -> NoReturn:
        """End the process, which no code can prevent."""
        message = describe_stack(
            "ToolCallError", str(error.get("message", "")), caller, self._script
        )
        code = error.get("code")
        message["code"] = code if isinstance(code, str) else None
        streams.flush()
        self._control.result(message)
        os._exit(_ENDED)


def _invalid(error: InvalidCallError) -> ToolOutcome:
    details = {"code": "INVALID_ARGS", "message": str(error), "sent": "no", **error.place}
    return ToolOutcome(ok=False, error=details)


def _outcome(data: bytes) -> ToolOutcome:
    try:
        members = json.loads(data)
    except (ValueError, RecursionError):
        members = None
    if not isinstance(members, dict) or "ok" not in members:
        message = "The outcome of the call could not be read"
        error = {"code": "OUTCOME_UNKNOWN", "message": message, "sent": "unknown"}
        return ToolOutcome(ok=False, error=error)
    raw = members.pop("raw", None)
    outcome = ToolOutcome(members)
    outcome.raw = raw
    return outcome
