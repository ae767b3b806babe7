"""The same expression of Polars, as a query and alone in a new process."""

from __future__ import annotations

import statistics
from pathlib import Path

from bench.goals import Bench, Goal
from bench.tools import PYTHON_CLASS, engine_milliseconds

_EXPRESSION = """
lineitem.filter(pl.col("l_shipdate") <= pl.date(1998, 9, 2))
.group_by("l_returnflag", "l_linestatus")
.agg(pl.col("l_quantity").sum(), pl.col("l_extendedprice").mean(), pl.len())
.sort("l_returnflag", "l_linestatus")
"""


def measure(bench: Bench, tpch: Path) -> list[Goal]:
    """Needs lineitem.parquet of TPC-H in the folder."""
    options = {"frame": "false", "snapshotClass": "snapshot-stream"}
    bench.front_end.upload("lineitem", tpch / "lineitem.parquet", options)
    parameters = {
        "expression": f"({_EXPRESSION})",
        "tables": {"lineitem": "/workspace/lineitem.parquet"},
    }
    tool, alone = [], []
    for _ in range(bench.rounds):
        bench.settle()
        found = bench.tools.query(_EXPRESSION, ["lineitem"], "polars_expr", PYTHON_CLASS)
        bench.settle()
        peer = bench.tools.program("polars_peer", ["lineitem"], parameters)
        if found.structured["total_rows"] != peer["rows"]:
            raise ValueError(
                f"{found.structured['total_rows']} rows, and Polars has {peer['rows']}"
            )
        tool.append(engine_milliseconds(found))
        alone.append(peer["ms"])
    mine, other = statistics.median(tool), statistics.median(alone)
    conditions = f"{mine:.0f} / {other:.0f} ms"
    return [Goal("Polars expression / Polars alone", "<=", 1.2, mine / other, "", conditions)]
