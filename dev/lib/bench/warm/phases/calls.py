"""20 whole calls of the MCP endpoint at once on 20 idle Pods, beside 20 new processes at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import TypeVar

from bench.fresh_process import environment, fresh_process
from bench.mcp import McpClient
from bench.meter import Cost
from bench.report.distribution import percentile
from bench.report.result import Result
from bench.subjects import FrontEnd
from bench.tools import Tools
from bench.warm.phases import Setting, fill
from bench.warm.runs_of_class import RunsOfClass, warm_share

_COUNT = 20
_TIMES = 3
# Another one each time, which the cache does not have. Its result is when it was executed.
_QUERY = "import time\n# {number}\ntime.time_ns() // 10**6"

_Returned = TypeVar("_Returned")


def twenty(setting: Setting, front_end: FrontEnd) -> Iterator[Result]:
    """Three times, each with a full pool. The costs are those until the last reply."""
    runs = RunsOfClass(setting.kubernetes, setting.namespace, setting.pool.name)
    python = environment()
    before = runs.pods()
    samples: dict[str, list[float]] = {}
    figures: dict[str, float] = {}
    costs: dict[str, Cost] = {}

    def call(number: int, all_connected: Barrier) -> tuple[float, float, float]:
        """Milliseconds of the call, of those until the query, and of those after it."""
        tools = Tools(McpClient(f"{front_end.url}/mcp", front_end.key))
        query = _QUERY.format(number=number)
        all_connected.wait()
        began = time.time_ns() / 1e6
        reply = tools.query(query, [], query_type="python", run_class=setting.pool.name)
        ended = time.time_ns() / 1e6
        tools.client.close()
        executed = int(next(iter(reply.structured["data"][0].values())))
        return ended - began, executed - began, ended - executed

    def burst(number: int, calls: list[tuple[float, float, float]]) -> None:
        all_connected = Barrier(_COUNT)
        calls += _at_once(lambda place: call(number * _COUNT + place, all_connected))

    fill(setting, _COUNT)
    for number in range(1, _TIMES + 1):
        setting.pool.refill(runs.pods())
        fresh = _at_once(lambda _: fresh_process(python).ended)
        calls: list[tuple[float, float, float]] = []
        name = f"{number}: calls"
        action = partial(burst, number, calls)
        costs[name] = setting.meter.cost(_COUNT, action, subtract_idle=False)
        whole, until, after = (list(times) for times in zip(*calls, strict=True))
        samples |= {
            name: whole,
            f"{name}, until the query": until,
            f"{name}, after the query": after,
            f"{number}: fresh processes": fresh,
        }
        figures[f"{number}: calls / fresh processes, p90"] = percentile(whole, 90) / percentile(
            fresh, 90
        )
    pods = {name: warm for name, warm in runs.pods().items() if name not in before}
    figures["share with a warm Pod"] = warm_share(pods, _TIMES * _COUNT)
    yield Result("calls-20", samples, figures, costs)


def _at_once(action: Callable[[int], _Returned]) -> list[_Returned]:
    with ThreadPoolExecutor(_COUNT) as pool:
        return list(pool.map(action, range(_COUNT)))
