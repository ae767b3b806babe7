"""Queries that need several times the memory of their class, which is 1 GiB."""

from __future__ import annotations

import copy
import time
from pathlib import Path

from bench.goals import Bench, Goal
from bench.goals.control_plane import growth, peak_memory
from bench.tools import ROWS, SQL_CLASS, THREADS, engine_milliseconds

_NAME = "lineitem-large"
_TABLE = "lineitem_large"
_CLASS = "bench-spilling"
_CLASSES = "/apis/assay.dev/v1alpha1/runclasses"
_MEMORY = "1Gi"
_SORT = f"""
COPY (SELECT l_orderkey, l_linenumber, l_shipdate, l_extendedprice, l_comment FROM {_TABLE}
  ORDER BY l_extendedprice, l_orderkey, l_linenumber) TO '/scratch/sorted.parquet';
SELECT (SELECT count(*) FROM '/scratch/sorted.parquet') AS n, count(*) AS unsorted
FROM (SELECT l_extendedprice, lag(l_extendedprice) OVER (ORDER BY file_row_number) AS previous
  FROM read_parquet('/scratch/sorted.parquet', file_row_number => true)
  WHERE file_row_number < 1000000)
WHERE l_extendedprice < previous
"""
_GROUP = f"""
SELECT count(*) AS groups, sum(n) AS n, max(total) AS most, max(quantity) AS quantity,
  max(tax) AS tax
FROM (
  SELECT l_orderkey, count(*) AS n, sum(l_extendedprice) AS total, sum(l_quantity) AS quantity,
    sum(l_tax) AS tax
  FROM {_TABLE} GROUP BY l_orderkey)
"""


def measure(bench: Bench, context: str, lineitem: Path) -> list[Goal]:
    """`lineitem` is the table of TPC-H at scale factor 10."""
    options = {"frame": "false", "snapshotClass": "snapshot-stream"}
    bench.front_end.upload(_NAME, lineitem, options)
    _create_class(bench)
    began = time.monotonic()
    try:
        with peak_memory(bench, context) as memory:
            sort = bench.tools.query(_SORT, [_NAME], run_class=_CLASS)
            group = bench.tools.query(_GROUP, [_NAME], run_class=_CLASS)
    finally:
        bench.kubernetes.delete(f"{_CLASSES}/{_CLASS}")
    took = time.monotonic() - began
    _check(bench, list(sort.structured["data"][0].values()), group.structured["data"])
    conditions = (
        f"completed in {took:.0f} s: sort {engine_milliseconds(sort) / 1000:.0f},"
        f" group {engine_milliseconds(group) / 1000:.0f} s of engine"
    )
    return [growth(f"sort and group of {_NAME} in a class of {_MEMORY}", memory, conditions)]


def _check(bench: Bench, sorted_rows: list[object], groups: list[dict[str, object]]) -> None:
    """Compare with DuckDB in Python, which has 8 GiB."""
    parameters = {
        "threads": THREADS,
        "views": {_TABLE: f"read_parquet('/workspace/{_NAME}.parquet')"},
        "queries": {"rows": f"SELECT count(*) FROM {_TABLE}", "group": _GROUP},
        "rows": ROWS,
    }
    peer = bench.tools.program("duckdb_peer", [_NAME], parameters)
    rows = int(peer["rows"]["rows"][0][0])
    if sorted_rows != [rows, 0]:
        raise ValueError(f"sorted {sorted_rows}, and DuckDB in Python has {rows} rows")
    found = [float(str(cell)) for cell in groups[0].values()]
    if found != [float(cell) for cell in peer["group"]["rows"][0]]:
        raise ValueError(f"groups {found}, and DuckDB in Python has {peer['group']['rows'][0]}")


def _create_class(bench: Bench) -> None:
    """As that of SQL, with less memory."""
    spec = copy.deepcopy(bench.kubernetes.get(f"{_CLASSES}/{SQL_CLASS}")["spec"])
    spec["resources"]["memory"] = _MEMORY
    item = {
        "apiVersion": "assay.dev/v1alpha1",
        "kind": "RunClass",
        "metadata": {"name": _CLASS},
        "spec": spec,
    }
    bench.kubernetes.create(_CLASSES, item)
