"""A dataset of 100 MB in warm Pods: until Python has it, and a group-by in SQL.

Beside the first, new processes that read the CSV file; beside the second, mcp-server-motherduck.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.goals import cache_hit, csv_table
from bench.kubernetes import Object
from bench.mcp import McpClient
from bench.subjects import FrontEnd
from bench.tools import Tools
from bench.warm import pool
from bench.warm.client import Client
from bench.warm.fresh_process import environment, fresh_process
from bench.warm.phases import Setting, pods_of, series, shares
from bench.warm.pool import Pool
from bench.warm.result import Result
from bench.warm.runs_of_class import RunsOfClass, warm_share
from bench.warm.timed_runs import TimedRun, timed_code

_DATASET = "bench-warm"
_IDLE = 2
_UNCOUNTED = 2
_OUTPUT_BYTES = 1024 * 1024
_RESOURCES = {"cpu": "2", "cpuRequest": "50m", "memory": "2Gi"}
_READ = "df = pd.read_csv(sys.argv[1])"


def measure(setting: Setting, front_end: FrontEnd) -> Result:
    """One run and one call at a time, with full pools of classes with more memory each time."""
    kubernetes, namespace = setting.kubernetes, setting.namespace
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "table.csv"
        csv_table.write(file)
        front_end.upload(_DATASET, file, {"snapshotClass": "snapshot-stream"})
        try:
            with pool.create(kubernetes, namespace, "python", _RESOURCES, _OUTPUT_BYTES) as python:
                samples, figures = _frames(setting, python)
            with pool.create(kubernetes, namespace, "sql", _RESOURCES, _OUTPUT_BYTES) as sql:
                calls, figures["group-by: share with a warm Pod"] = _calls(setting, front_end, sql)
        finally:
            front_end.request("DELETE", f"/datasets/{_DATASET}")
        samples["group-by: call"] = calls
        samples["fresh process: start to df"] = fresh = _fresh_frames(setting, file)
        figures["fresh process / run, to df"] = ratio(fresh, samples["with data: create to df"])
        absent = []
        if setting.motherduck is None:
            absent.append("mcp-server-motherduck, which --motherduck PROGRAM names")
        else:
            peer = _peer_calls(setting, setting.motherduck, file)
            samples["group-by: mcp-server-motherduck that reads the CSV"] = peer
            figures["mcp-server-motherduck / call"] = ratio(peer, calls)
    return Result("data", samples, figures, absent=absent)


def _frames(setting: Setting, own: Pool) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Runs with the dataset, and without any for comparison, in turn."""
    own.resize(_IDLE)
    specs: dict[str, Object] = {
        "with data": {"code": timed_code("rows = len(df)"), "datasets": [_DATASET]},
        "without data": {"code": timed_code()},
    }
    runs: dict[str, list[TimedRun]] = {name: [] for name in specs}
    with Client(setting.kubernetes, setting.namespace) as client:
        for number in range(setting.rounds + _UNCOUNTED):
            for name, spec in specs.items():
                run = client.run(setting.spec(className=own.name, **spec))
                if number >= _UNCOUNTED:
                    runs[name].append(run)
                own.refill(pods_of([run]))
    samples: dict[str, list[float]] = {}
    figures: dict[str, float] = {}
    until_df: dict[str, float] = {}
    for name, of_one in runs.items():
        samples |= series(name, of_one)
        figures |= shares(name, of_one)
        samples[f"{name}: create to df"] = [(run.last - run.posted) / 1e6 for run in of_one]
        until_df[name] = statistics.median(samples[f"{name}: create to df"])
    figures["ms that df takes beyond a run without data"] = (
        until_df["with data"] - until_df["without data"]
    )
    return samples, figures


def ratio(peer: Sequence[float], own: Sequence[float]) -> float:
    """How many times longer the peer takes, by the medians."""
    return statistics.median(peer) / statistics.median(own)


def _fresh_frames(setting: Setting, file: Path) -> list[float]:
    """Of new processes with the same imports that read the file, which is in the page cache."""
    python = environment()
    times = [fresh_process(python, _READ, file).first for _ in range(setting.rounds + _UNCOUNTED)]
    return times[_UNCOUNTED:]


def _calls(setting: Setting, front_end: FrontEnd, own: Pool) -> tuple[list[float], float]:
    """Milliseconds of each call, and the share of all calls that got a warm Pod."""
    tools = Tools(McpClient(f"{front_end.url}/mcp", front_end.key))
    runs = RunsOfClass(setting.kubernetes, setting.namespace, own.name)
    own.resize(_IDLE)
    calls = []
    for number in range(setting.rounds + _UNCOUNTED):
        # The comment makes each one another query, which the cache does not have.
        query = f"{csv_table.GROUP.format(_DATASET.replace('-', '_'))} -- round {number}"
        calls.append(tools.query(query, [_DATASET], run_class=own.name).seconds * 1000)
        own.refill(runs.pods())
    return calls[_UNCOUNTED:], warm_share(runs.pods(), len(calls))


def _peer_calls(setting: Setting, program: Path, file: Path) -> list[float]:
    with cache_hit.server(program) as url:
        client = McpClient(url, None)
        calls = [
            client.call("execute_query", {"sql": csv_table.GROUP.format(f"read_csv('{file}')")})
            for _ in range(setting.rounds + _UNCOUNTED)
        ]
    if any(call.is_error for call in calls):
        raise ValueError(f"{program.name}: {calls[0].text[:500]}")
    return [call.seconds * 1000 for call in calls[_UNCOUNTED:]]
