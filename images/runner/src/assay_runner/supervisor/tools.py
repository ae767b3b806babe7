"""The tools of a job: whether its code may call any, and how many at once."""

from __future__ import annotations

from typing import NamedTuple, Self

from assay_runner.supervisor.members import Members

MAX_PARALLEL = 32
# Up to this size every result is accepted, so that the reason why one is refused always is.
MIN_RESULT_BYTES = 64 * 1024
MAX_RESULT_BYTES = 8 * 1024 * 1024


class Tools(NamedTuple):
    """That code may call tools.

    Attributes:
        max_parallel: how many calls of a batch may be under way at once.
        result_bytes: how long a result may be.
    """

    max_parallel: int
    result_bytes: int

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take the member of a job apart."""
        tools = cls(
            max_parallel=members.number("maxParallel", 1, MAX_PARALLEL),
            result_bytes=members.number("resultBytes", MIN_RESULT_BYTES, MAX_RESULT_BYTES),
        )
        members.end()
        return tools

    def message(self) -> dict[str, object]:
        """Return what the worker is told."""
        return {"maxParallel": self.max_parallel}


def take_tools(members: Members) -> Tools | None:
    """Take the member `tools` of a job, which may be missing."""
    return Tools.take(members.object("tools")) if members.has("tools") else None


def tools_message(tools: Tools | None) -> dict[str, object]:
    """Return what the worker is told of the tools, which is nothing where there are none."""
    return {} if tools is None else {"tools": tools.message()}


def tools_of(job: object) -> Tools | None:
    """Return the tools of a job; None if its code may call none."""
    tools = getattr(job, "tools", None)
    return tools if isinstance(tools, Tools) else None
