"""A dataset of 100 MB in warm Pods: until Python has it, and a group-by in SQL.

Beside the first, new processes that read the CSV file; beside the second, mcp-server-motherduck.
"""

from __future__ import annotations

import contextlib
import itertools
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench import warm_pool
from bench.fresh_process import environment, fresh_process
from bench.goals import cache_hit, csv_table
from bench.kubernetes import Object
from bench.mcp import McpClient
from bench.meter import Cost
from bench.report.result import Result
from bench.subjects import FrontEnd
from bench.tools import Tools
from bench.warm.client import Client
from bench.warm.phases import Setting, pods_of, series, shares
from bench.warm.runs_of_class import RunsOfClass, warm_share
from bench.warm.timed_runs import TimedRun, timed_code
from bench.warm_pool import Pool

_DATASET = "bench-warm"
_CALL, _PEER = "group-by: call", "mcp-server-motherduck"
_IDLE = 2
_UNCOUNTED = 2
_COST_ROUNDS = 5
_OUTPUT_BYTES = 1024 * 1024
_RESOURCES = {"cpu": "2", "cpuRequest": "50m", "memory": "2Gi"}
_READ = "df = pd.read_csv(sys.argv[1])"


def measure(setting: Setting, front_end: FrontEnd) -> Iterator[Result]:
    """One run and one call at a time, with full pools of classes with more memory each time.

    What is compared is measured in turn. There is a result before the calls, too.
    """
    kubernetes, namespace = setting.kubernetes, setting.namespace
    absent = []
    if setting.motherduck is None:
        absent.append("mcp-server-motherduck, which --motherduck PROGRAM names")
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "table.csv"
        csv_table.write(file)
        front_end.upload(_DATASET, file, {"snapshotClass": "snapshot-stream"})
        try:
            with warm_pool.create(
                kubernetes, namespace, "python", _RESOURCES, _OUTPUT_BYTES
            ) as python:
                samples, figures, cost = _frames(setting, python, file)
            costs = {"with data": cost}
            yield Result("data", samples, figures, costs, absent=absent)
            with warm_pool.create(kubernetes, namespace, "sql", _RESOURCES, _OUTPUT_BYTES) as sql:
                calls, of_calls, costs["group-by"] = _calls(setting, front_end, sql, file)
                yield Result("data", samples | calls, figures | of_calls, costs, absent=absent)
        finally:
            front_end.request("DELETE", f"/datasets/{_DATASET}")


def _frames(
    setting: Setting, own: Pool, file: Path
) -> tuple[dict[str, list[float]], dict[str, float], Cost]:
    """Runs with the dataset, without any, and new processes that read the file, in turn.

    The processes have the same imports, and the file is in the page cache. The cost is that of a
    run with the dataset, and of the Pod that replaces its own.
    """
    python = environment()
    own.resize(_IDLE)
    specs: dict[str, Object] = {
        "with data": {"code": timed_code("rows = len(df)"), "datasets": [_DATASET]},
        "without data": {"code": timed_code()},
    }
    runs: dict[str, list[TimedRun]] = {name: [] for name in specs}
    fresh: list[float] = []
    with Client(setting.kubernetes, setting.namespace) as client:

        def run(name: str) -> TimedRun:
            done = client.run(setting.spec(className=own.name, **specs[name]))
            own.refill(pods_of([done]))
            return done

        for _ in range(setting.rounds + _UNCOUNTED):
            for name in specs:
                runs[name].append(run(name))
            fresh.append(fresh_process(python, _READ, file).first)
        cost = setting.meter.cost_of_each(_COST_ROUNDS, lambda: run("with data"))
    samples: dict[str, list[float]] = {}
    figures: dict[str, float] = {}
    until_df: dict[str, float] = {}
    for name, of_one in ((name, of_all[_UNCOUNTED:]) for name, of_all in runs.items()):
        samples |= series(name, of_one)
        figures |= shares(name, of_one)
        samples[f"{name}: create to df"] = [(run.last - run.posted) / 1e6 for run in of_one]
        until_df[name] = statistics.median(samples[f"{name}: create to df"])
    figures["ms that df takes beyond a run without data"] = (
        until_df["with data"] - until_df["without data"]
    )
    samples["fresh process: start to df"] = fresh = fresh[_UNCOUNTED:]
    figures["fresh process / run, to df"] = ratio(fresh, samples["with data: create to df"])
    return samples, figures, cost


def ratio(peer: Sequence[float], own: Sequence[float]) -> float:
    """How many times longer the peer takes, by the medians."""
    return statistics.median(peer) / statistics.median(own)


def _calls(
    setting: Setting, front_end: FrontEnd, own: Pool, file: Path
) -> tuple[dict[str, list[float]], dict[str, float], Cost]:
    """Calls of the group-by, and of the peer if there is one, in turn; and what a call costs."""
    tools = Tools(McpClient(f"{front_end.url}/mcp", front_end.key))
    runs = RunsOfClass(setting.kubernetes, setting.namespace, own.name)
    own.resize(_IDLE)
    calls: list[float] = []
    of_peer: list[float] = []
    # The comment makes each one another query, which the cache does not have.
    queries = (
        f"{csv_table.GROUP.format(_DATASET.replace('-', '_'))} -- round {number}"
        for number in itertools.count()
    )

    def call() -> float:
        reply = tools.query(next(queries), [_DATASET], run_class=own.name)
        own.refill(runs.pods())
        return reply.seconds * 1000

    with _peer(setting.motherduck, file) as peer:
        for _ in range(setting.rounds + _UNCOUNTED):
            calls.append(call())
            if peer is not None:
                of_peer.append(peer())
    cost = setting.meter.cost_of_each(_COST_ROUNDS, call)
    share = warm_share(runs.pods(), len(calls) + _COST_ROUNDS)
    samples = {_CALL: calls[_UNCOUNTED:]}
    figures = {"group-by: share with a warm Pod": share}
    if of_peer:
        samples[f"group-by: {_PEER} that reads the CSV"] = of_peer[_UNCOUNTED:]
        figures[f"{_PEER} / call"] = ratio(of_peer[_UNCOUNTED:], samples[_CALL])
    return samples, figures, cost


@contextlib.contextmanager
def _peer(program: Path | None, file: Path) -> Iterator[Callable[[], float] | None]:
    """What makes a call of the peer, and says how many milliseconds that took; None without it."""
    if program is None:
        yield None
        return
    arguments = {"sql": csv_table.GROUP.format(f"read_csv('{file}')")}
    with cache_hit.server(program) as url:

        def call() -> float:
            # It closes connections that are idle for as long as a pool takes to be full again.
            client = McpClient(url, None)
            result = client.call("execute_query", arguments)
            client.close()
            if result.is_error:
                raise ValueError(f"{_PEER}: {result.text[:500]}")
            return result.seconds * 1000

        yield call
