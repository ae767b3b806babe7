"""A whole call that needs a Pod, beside a bare Pod of the same image with the same query."""

from __future__ import annotations

import statistics
from pathlib import Path

from bench.goals import Bench, Goal
from bench.pods import first_output, pod_of_run, with_worker_alone
from bench.tools import SQL_CLASS

_QUERY = """SELECT l_returnflag, l_linestatus, sum(l_quantity), avg(l_extendedprice), count(*)
FROM lineitem GROUP BY ALL ORDER BY ALL"""
_CODE = f"""
import duckdb
connection = duckdb.connect()
connection.execute("CREATE VIEW lineitem AS FROM read_parquet('/datasets/lineitem/source.parquet')")
print(connection.execute({_QUERY!r}).fetchall(), flush=True)
"""


def measure(bench: Bench, tpch: Path) -> list[Goal]:
    """Needs lineitem.parquet of TPC-H in the folder; one uncounted round first."""
    options = {"frame": "false", "snapshotClass": "snapshot-stream"}
    bench.front_end.upload("lineitem", tpch / "lineitem.parquet", options)
    run = {"language": "sql", "code": _QUERY, "className": SQL_CLASS, "datasets": ["lineitem"]}
    pod = pod_of_run(bench.kubernetes, bench.namespace, run)
    spec = with_worker_alone(pod, _CODE)
    calls, pods = [], []
    for number in range(bench.rounds + 1):
        bench.settle()
        calls.append(bench.tools.query(f"{_QUERY} -- round {number}", ["lineitem"]).seconds)
        bench.settle()
        pods.append(first_output(bench.kubernetes, bench.namespace, spec).seconds)
    ratios = [call / pod for call, pod in zip(calls[1:], pods[1:], strict=True)]
    conditions = (
        f"{statistics.median(calls[1:]) * 1000:.0f} / {statistics.median(pods[1:]) * 1000:.0f} ms,"
        f" {min(ratios):.2f} to {max(ratios):.2f} in {len(ratios)} pairs"
    )
    median = statistics.median(ratios)
    return [Goal("cold call / bare Pod with the query", "<=", 1.3, median, "", conditions)]
