"""Checks the calls of tools that code makes, before anything of them is sent."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from assay_runner.json_text import JsonTextError, check

MAX_REQUESTS = 100
MAX_BATCH_ARGS_BYTES = 1024 * 1024
MAX_PARALLEL = 32
_MAX_NAME_BYTES = 256
_MEMBERS = ("server", "tool", "args")


class ToolRequest(NamedTuple):
    """A tool to call, with its arguments as JSON."""

    server: str
    tool: str
    args: str


class InvalidCallError(ValueError):
    """A call that cannot be made.

    Attributes:
        place: `member`, and `index` in a batch, as far as they are known.
    """

    def __init__(self, message: str, **place: object) -> None:
        super().__init__(message)
        self.place = place


def tool_request(server: object, tool: object, args: object, prefix: str = "") -> ToolRequest:
    """Return a call as it is sent.

    Args:
        server: the name of the server.
        tool: the name of the tool.
        args: its arguments, None for none.
        prefix: what precedes the name of a parameter in messages.

    Raises:
        InvalidCallError: if one of them cannot be sent.
    """
    return ToolRequest(
        _name(server, "server", prefix), _name(tool, "tool", prefix), _args(args, prefix)
    )


def tool_requests(requests: object) -> list[ToolRequest]:
    """Return the calls of a batch as they are sent.

    Raises:
        InvalidCallError: if one of them cannot be sent.
    """
    if not isinstance(requests, (list, tuple)):
        raise InvalidCallError(
            "requests must be a list of {'server', 'tool', 'args'}", member="requests"
        )
    if len(requests) > MAX_REQUESTS:
        raise InvalidCallError(
            f"requests has {len(requests)} entries, and the limit is {MAX_REQUESTS}",
            member="requests",
        )
    checked = [_of_batch(index, request) for index, request in enumerate(requests)]
    size = sum(len(request.args.encode()) for request in checked)
    if size > MAX_BATCH_ARGS_BYTES:
        raise InvalidCallError(
            f"The args of all requests take {size} bytes as JSON, and the limit is "
            f"{MAX_BATCH_ARGS_BYTES}: make two batches",
            member="requests",
        )
    return checked


def parallel_calls(number: object) -> int:
    """Return how many calls of a batch may be made at once.

    Raises:
        InvalidCallError: if the number is none of those that are allowed.
    """
    if type(number) is not int or not 1 <= number <= MAX_PARALLEL:
        raise InvalidCallError(
            f"max_parallel must be a whole number from 1 to {MAX_PARALLEL}", member="max_parallel"
        )
    return number


def _of_batch(index: int, request: object) -> ToolRequest:
    subject = f"requests[{index}]"
    if not isinstance(request, Mapping):
        raise InvalidCallError(
            f"{subject} must be a dict with 'server', 'tool' and 'args'", index=index
        )
    try:
        for member in request:
            if member not in _MEMBERS:
                shown = str(member)[:_MAX_NAME_BYTES]
                raise InvalidCallError(
                    f"{subject} has the unknown member {shown}: use server, tool and args",
                    member=shown,
                )
        server, tool, args = (request.get(member) for member in _MEMBERS)
        return tool_request(server, tool, args, prefix=f"{subject}.")
    except InvalidCallError as error:
        raise InvalidCallError(str(error), index=index, **error.place) from None


def _name(name: object, member: str, prefix: str) -> str:
    try:
        if isinstance(name, str) and 1 <= len(name.encode()) <= _MAX_NAME_BYTES:
            return name
    except UnicodeEncodeError:
        pass
    raise InvalidCallError(
        f"{prefix}{member} must be text of 1 to {_MAX_NAME_BYTES} bytes", member=member
    )


def _args(args: object, prefix: str) -> str:
    if args is None:
        return "{}"
    subject = f"{prefix}args"
    if not isinstance(args, dict):
        raise InvalidCallError(f"{subject} must be a dict", member="args")
    try:
        text = json.dumps(
            args, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain
        )
    except RecursionError:
        raise InvalidCallError(f"{subject} is nested too deeply", member="args") from None
    except (TypeError, ValueError) as error:
        message = f"{subject} could not be written as JSON: {error}"
        raise InvalidCallError(message, member="args") from None
    try:
        check(text)
    except JsonTextError as error:
        raise InvalidCallError(f"{subject} {error}", member="args") from None
    return text


def _plain(value: object) -> Any:  # noqa: ANN401 - what JSON can hold
    """Return a value of the libraries as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
