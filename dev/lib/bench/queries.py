"""Query sets over Parquet files: the SQL tool beside DuckDB in Python, in Pods of the same size.

Both read the same snapshots with the same number of threads, and the answers have to be equal. What
is compared is the time of the engine, not that of the Pods.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from bench.kubernetes import Kubernetes, Object
from bench.mcp import McpClient, ToolResult
from bench.pods import wait_until_alone
from bench.subjects import FrontEnd
from bench.tools import ROWS, THREADS, Tools, engine_milliseconds

_QUERIES = Path(__file__).parent / "queries"
_TABLES = {
    "tpch": (
        "lineitem",
        "orders",
        "customer",
        "part",
        "partsupp",
        "supplier",
        "nation",
        "region",
    ),
    "hits": ("hits",),
}
_RELATIVE_TOLERANCE = 1e-9
_SNAPSHOT_CLASS = "snapshot-stream"


@dataclass(frozen=True)
class Compared:
    """One query: milliseconds of the SQL tool and of DuckDB in Python, round by round.

    Attributes:
        cold: DuckDB in a Pod of its own for each query, as a call of the tool has one. The end of
            a Pod's start takes processor time while the query runs.
        fresh: in a process of its own for each query, all of them in one Pod.
        warm: in one process for all queries, which has read the files before.
    """

    name: str
    tool: list[float]
    cold: list[float]
    fresh: list[float]
    warm: list[float]


def measure(
    front_end: FrontEnd,
    kubernetes: Kubernetes,
    namespace: str,
    query_set: str,
    folder: Path,
    rounds: int,
) -> str:
    """Load the tables of a query set and compare; returns a table in Markdown."""
    tables = _TABLES[query_set]
    for name in tables:
        # SQL needs no frame of pandas, which would need several times the memory.
        options = {"frame": "false", "snapshotClass": _SNAPSHOT_CLASS}
        front_end.upload(name, folder / f"{name}.parquet", options)
    tools = Tools(McpClient(f"{front_end.url}/mcp", front_end.key))

    def settle() -> None:
        wait_until_alone(kubernetes, namespace)

    return table(compare(tools, query_set, tables, rounds, settle))


def compare(
    tools: Tools,
    query_set: str,
    tables: Sequence[str],
    rounds: int,
    settle: Callable[[], None],
) -> list[Compared]:
    """Run all queries of a set, each after `settle`; ValueError where the answers differ."""
    queries = {path.stem: path.read_text() for path in sorted((_QUERIES / query_set).glob("*.sql"))}
    compared = {name: Compared(name, [], [], [], []) for name in queries}
    for number in range(rounds):
        settle()
        expected = tools.program("duckdb_peer", tables, _peer(queries, tables))
        for name, query in queries.items():
            settle()
            # The comment makes each round another query, which the cache does not have.
            found = tools.query(f"{query}\n-- round {number}", tables)
            _check(name, _answer(found), expected[name])
            settle()
            alone = tools.program("duckdb_peer", tables, _peer({name: query}, tables))
            compared[name].tool.append(engine_milliseconds(found))
            compared[name].cold.append(alone[name]["ms"])
            compared[name].fresh.append(expected[name]["ms"])
            compared[name].warm.append(expected[name]["warm_ms"])
    return list(compared.values())


def table(compared: Sequence[Compared]) -> str:
    """The result as a table in Markdown: medians, and the ratios of their sums."""
    lines = [
        "| query | tool ms | DuckDB in Python, in a Pod each ms | ratio"
        " | in a process each ms | ratio | in one process ms | ratio |",
        "|---|" + "---:|" * 7,
    ]
    rows = {
        one.name: [statistics.median(times) for times in (one.tool, one.cold, one.fresh, one.warm)]
        for one in compared
    }
    rows["sum"] = [sum(column) for column in zip(*rows.values(), strict=True)]
    for name, (tool, *peers) in rows.items():
        cells = "".join(f" {peer:.0f} | {tool / peer:.2f} |" for peer in peers)
        lines.append(f"| {name} | {tool:.0f} |{cells}")
    return "\n".join(lines)


def _peer(queries: Mapping[str, str], tables: Sequence[str]) -> Object:
    views = {name: f"read_parquet('/workspace/{name}.parquet')" for name in tables}
    return {"threads": THREADS, "views": views, "queries": dict(queries), "rows": ROWS}


def _answer(result: ToolResult) -> Object:
    """In the form of the peer's."""
    found = result.structured
    rows = [[_text(row[column]) for column in found["columns"]] for row in found["data"]]
    return {"rows": rows, "total": found["total_rows"]}


def _text(cell: object) -> str | None:
    return None if cell is None else str(cell)


def _check(name: str, found: Object, expected: Object) -> None:
    if found["total"] != expected["total"]:
        raise ValueError(
            f"{name}: {found['total']} rows, and DuckDB in Python has {expected['total']}"
        )
    for number, (row, other) in enumerate(zip(found["rows"], expected["rows"], strict=False)):
        if not all(map(_equal, row, other)):
            raise ValueError(f"{name}, row {number}: {row}, and DuckDB in Python has {other}")


def _equal(cell: str | None, other: str | None) -> bool:
    if cell == other or cell is None or other is None:
        return cell == other
    try:
        one, two = Decimal(cell), Decimal(other)
    except InvalidOperation:
        # Both are ISO 8601, one with a blank between date and time.
        return cell.replace("T", " ") == other.replace("T", " ")
    return math.isclose(one, two, rel_tol=_RELATIVE_TOLERANCE)
