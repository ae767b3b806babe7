"""An export of 10,000 rows, beside DuckDB or openpyxl alone and a call that does nothing."""

from __future__ import annotations

import statistics
import uuid

from bench.goals import Bench, Goal
from bench.tools import engine_milliseconds

_ROWS = 10_000
_FORMATS = ("csv", "json", "parquet", "xlsx")
_QUERY = (
    "SELECT i AS id, 'shop ' || i % 500 AS shop, i * 37 % 1000003 / 100 AS price,"
    f" DATE '2024-01-01' + (i % 366)::INT AS day, i % 9 = 0 AS paid FROM range({_ROWS}) r(i)"
)
_NOTHING = "SELECT 1 -- {}"


def measure(bench: Bench) -> list[Goal]:
    """One uncounted round first."""
    query = bench.tools.query(_QUERY, [], run_class=None).structured["query_id"]
    exports: dict[str, list[float]] = {name: [] for name in _FORMATS}
    peers: dict[str, list[float]] = {name: [] for name in _FORMATS}
    dispatches = []
    for _ in range(bench.rounds + 1):
        found = bench.program("export_peer", {"query": _QUERY})
        bench.settle()
        nothing = bench.tools.query(_NOTHING.format(uuid.uuid4()), [], run_class=None)
        # Starting, storing and the reply, without the engine.
        dispatches.append(nothing.seconds * 1000 - engine_milliseconds(nothing))
        for name in _FORMATS:
            bench.settle()
            arguments = {"query_id": query, "destination": "/workspace/exports", "format": name}
            reply = bench.tools.call("analytics_export_result", arguments)
            exports[name].append(reply.seconds * 1000)
            peers[name].append(found[name])
    return [goal(name, exports[name][1:], peers[name][1:], dispatches[1:]) for name in _FORMATS]


def goal(
    name: str,
    exports: list[float],
    peers: list[float],
    dispatches: list[float],
) -> Goal:
    """The line of a format, from milliseconds of each round."""
    ratios = [
        export / (peer + dispatch)
        for export, peer, dispatch in zip(exports, peers, dispatches, strict=True)
    ]
    conditions = (
        f"{statistics.median(exports):.0f}"
        f" / {statistics.median(peers):.0f} + {statistics.median(dispatches):.0f} ms"
    )
    peer = "openpyxl" if name == "xlsx" else "DuckDB"
    return Goal(
        f"export as {name} / {peer} and a call that does nothing",
        "<=",
        1.3,
        statistics.median(ratios),
        "",
        conditions,
    )
