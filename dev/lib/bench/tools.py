"""Calls of the tools, as measurements make them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.in_pod import program
from bench.kubernetes import Object
from bench.mcp import McpClient, ToolResult

SQL_CLASS, PYTHON_CLASS = "sql-large", "python-large"
# Those of both classes.
THREADS = 2
ROWS = 1000
_SECONDS = 600
_TOOL_TOKENS = 20_000
_OUTPUT_TOKENS = 200_000


@dataclass(frozen=True)
class Tools:
    """The tools of one endpoint; ValueError where one of them fails."""

    client: McpClient

    def query(
        self,
        text: str,
        files: Sequence[str],
        query_type: str = "sql",
        run_class: str | None = SQL_CLASS,
    ) -> ToolResult:
        """The reply of analytics_execute_query; None is the class that is the default."""
        arguments = {
            "query_type": query_type,
            "query": text,
            "files": list(files),
            "return_limit": ROWS,
            "max_tokens": _TOOL_TOKENS,
            "timeout_seconds": _SECONDS,
            "wait_seconds": _SECONDS,
            "run_class": run_class,
        }
        return self.call("analytics_execute_query", arguments)

    def program(self, name: str, datasets: Sequence[str], parameters: object) -> Any:
        """What a program of `in_pod` prints in a Pod with these datasets."""
        arguments = {
            "dataset_name": datasets[0],
            "datasets": list(datasets[1:]),
            "python_code": program(name, parameters),
            "timeout_seconds": _SECONDS,
            "wait_seconds": _SECONDS,
            "run_class": PYTHON_CLASS,
            "max_tokens": _OUTPUT_TOKENS,
        }
        return json.loads(self.call("execute_custom_analytics_code", arguments).text)

    def call(self, tool: str, arguments: Object) -> ToolResult:
        """The reply of a tool."""
        result = self.client.call(tool, arguments)
        if result.is_error:
            raise ValueError(f"{tool} failed: {result.text[-2000:]}")
        return result


def engine_milliseconds(result: ToolResult) -> float:
    """What the engine took for a query, as its reply says."""
    milliseconds: float = result.structured["summary"]["execution_time_ms"]
    return milliseconds
