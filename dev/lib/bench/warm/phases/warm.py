"""One run at a time with a pool: with a full one each time, and one after the other in a second."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from bench.fresh_process import environment, fresh_process
from bench.report.result import Result
from bench.warm.client import Client
from bench.warm.phases import Setting, pods_of, series, shares
from bench.warm.timed_runs import TimedRun

_IDLE = 5
_UNCOUNTED = 3
_GAP_SECONDS = 1.0


def measure(setting: Setting) -> Iterator[Result]:
    """Its peer is a new process on this machine with the same imports."""
    setting.pool.resize(_IDLE)
    memory = setting.meter.memory_mib()
    memory["idle Pod"] = setting.meter.pod_mib(setting.pool.name)
    alone: list[TimedRun] = []
    in_seconds: list[TimedRun] = []
    python = environment()
    with Client(setting.kubernetes, setting.namespace) as client:

        def one_at_a_time(count: int) -> None:
            for _ in range(count):
                alone.append(client.run(setting.spec()))
                setting.pool.refill(pods_of(alone))

        one_at_a_time(_UNCOUNTED)
        alone.clear()
        cost = setting.meter.cost(setting.rounds, lambda: one_at_a_time(setting.rounds))
        fresh = [fresh_process(python).first for _ in range(setting.rounds)]
        for _ in range(setting.rounds):
            in_seconds.append(client.run(setting.spec()))
            time.sleep(_GAP_SECONDS)
        samples = {**series("full pool", alone), **series("1 s gaps", in_seconds)}
        first = statistics.median(samples["full pool: create to first instruction"])
        yield Result(
            "warm",
            {**samples, "fresh process: start to first instruction": fresh},
            {
                **shares("full pool", alone),
                **shares("1 s gaps", in_seconds),
                "fresh process / run, to the first instruction": statistics.median(fresh) / first,
                **{f"MiB of {part}": mebibytes for part, mebibytes in memory.items()},
            },
            {"full pool, with refill": cost},
        )
