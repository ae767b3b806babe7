"""A trivial call of the MCP endpoint from request to answer, beside a new process with imports."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator

from bench.fresh_process import environment, fresh_process
from bench.mcp import McpClient
from bench.report.result import Result
from bench.subjects import FrontEnd
from bench.tools import Tools
from bench.warm.phases import Setting
from bench.warm.runs_of_class import RunsOfClass, warm_share

_IDLE = 5
_UNCOUNTED = 5
_COST_ROUNDS = 10


def measure(setting: Setting, front_end: FrontEnd) -> Iterator[Result]:
    """One at a time, with a full pool each time; then some without processes for their cost."""
    tools = Tools(McpClient(f"{front_end.url}/mcp", front_end.key))
    runs = RunsOfClass(setting.kubernetes, setting.namespace, setting.pool.name)
    setting.pool.resize(_IDLE)
    python = environment()
    before = runs.pods()
    calls, fresh = [], []
    # Each is another query, which the cache does not have.
    numbers = itertools.count()

    def call() -> float:
        query = f"1 + {next(numbers)}"
        reply = tools.query(query, [], query_type="python", run_class=setting.pool.name)
        setting.pool.refill(runs.pods())
        return reply.seconds * 1000

    for _ in range(setting.rounds + _UNCOUNTED):
        calls.append(call())
        fresh.append(fresh_process(python).ended)
    cost = setting.meter.cost_of_each(_COST_ROUNDS, call)
    pods = {name: warm for name, warm in runs.pods().items() if name not in before}
    share = warm_share(pods, len(calls) + _COST_ROUNDS)
    calls, fresh = calls[_UNCOUNTED:], fresh[_UNCOUNTED:]
    yield Result(
        "call",
        {"MCP call": calls, "fresh process": fresh},
        {
            "MCP call: share with a warm Pod": share,
            "fresh process / MCP call": statistics.median(fresh) / statistics.median(calls),
        },
        {"MCP call": cost},
    )
