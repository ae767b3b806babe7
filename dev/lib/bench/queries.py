"""Query sets over Parquet files: the SQL tool beside DuckDB in Python, in Pods of the same size.

Both read the same snapshots with the same number of threads, and the answers have to be equal. What
is compared is the time of the engine, not that of the Pods.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from bench.mcp import McpClient
from bench.subjects import FrontEnd

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
_ROWS = 1000
_SECONDS = 600
_TOOL_TOKENS = 20_000
_OUTPUT_TOKENS = 200_000
_RELATIVE_TOLERANCE = 1e-9
_SNAPSHOT_CLASS = "snapshot-stream"
_SQL_CLASS, _PYTHON_CLASS = "sql-large", "python-large"
# Runs in a Pod of python-large, beside the same files.
_PYTHON = """
import glob, json, time
import duckdb
connection = duckdb.connect()
connection.execute("SET threads = 2")
for table in {tables}:
    file = f"/workspace/{{table}}.parquet"
    connection.execute(f"CREATE VIEW {{table}} AS FROM read_parquet('{{file}}')")
found = {{}}
for name, query in {queries}.items():
    began = time.perf_counter()
    cursor = connection.execute(query)
    columns = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    found[name] = {{
        "ms": (time.perf_counter() - began) * 1000,
        "total": len(rows),
        "rows": [[None if cell is None else str(cell) for cell in row] for row in rows[:{most}]],
    }}
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Answer:
    """Rows of a query as text, how many there are in all, and the engine's time."""

    rows: Sequence[Sequence[str | None]]
    total: int
    milliseconds: float


@dataclass(frozen=True)
class Compared:
    """One query: times of the SQL tool and of DuckDB in Python, round by round."""

    name: str
    tool: Sequence[float]
    python: Sequence[float]


def measure(front_end: FrontEnd, query_set: str, folder: Path, rounds: int) -> str:
    """Load the tables of a query set and compare; returns a table in Markdown."""
    tables = _TABLES[query_set]
    for name in tables:
        # SQL needs no frame of pandas, which would need several times the memory.
        options = {"frame": "false", "snapshotClass": _SNAPSHOT_CLASS}
        front_end.upload(name, folder / f"{name}.parquet", options)
    return table(compare(front_end, query_set, tables, rounds))


def compare(
    front_end: FrontEnd, query_set: str, tables: Sequence[str], rounds: int
) -> list[Compared]:
    """Run all queries of a set; ValueError where the answers differ."""
    queries = {path.stem: path.read_text() for path in sorted((_QUERIES / query_set).glob("*.sql"))}
    client = McpClient(f"{front_end.url}/mcp", front_end.key)
    tool_times: dict[str, list[float]] = {name: [] for name in queries}
    python_times: dict[str, list[float]] = {name: [] for name in queries}
    for number in range(rounds):
        expected = _by_python(client, queries, tables)
        for name, query in queries.items():
            # The comment makes each round another query, which the cache does not have.
            found = _by_tool(client, f"{query}\n-- round {number}", tables)
            _check(name, found, expected[name])
            tool_times[name].append(found.milliseconds)
            python_times[name].append(expected[name].milliseconds)
    return [Compared(name, tool_times[name], python_times[name]) for name in queries]


def table(compared: Sequence[Compared]) -> str:
    """The result as a table in Markdown: medians, and the ratio of their sums."""
    lines = ["| query | tool ms | DuckDB in Python ms | ratio |", "|---|---:|---:|---:|"]
    tool = {one.name: statistics.median(one.tool) for one in compared}
    python = {one.name: statistics.median(one.python) for one in compared}
    for name, mine in tool.items():
        lines.append(f"| {name} | {mine:.0f} | {python[name]:.0f} | {mine / python[name]:.2f} |")
    total, other = sum(tool.values()), sum(python.values())
    lines.append(f"| sum | {total:.0f} | {other:.0f} | {total / other:.2f} |")
    return "\n".join(lines)


def _by_tool(client: McpClient, query: str, tables: Sequence[str]) -> Answer:
    result = client.call(
        "analytics_execute_query",
        {
            "query_type": "sql",
            "query": query,
            "files": list(tables),
            "return_limit": _ROWS,
            "max_tokens": _TOOL_TOKENS,
            "timeout_seconds": _SECONDS,
            "run_class": _SQL_CLASS,
        },
    )
    if result.is_error:
        raise ValueError(f"the tool failed: {result.text}")
    found = result.structured
    rows = [[_text(row[column]) for column in found["columns"]] for row in found["data"]]
    return Answer(rows, found["total_rows"], found["summary"]["execution_time_ms"])


def _by_python(
    client: McpClient, queries: Mapping[str, str], tables: Sequence[str]
) -> dict[str, Answer]:
    code = _PYTHON.format(tables=list(tables), queries=dict(queries), most=_ROWS)
    result = client.call(
        "execute_custom_analytics_code",
        {
            "dataset_name": tables[0],
            "datasets": list(tables[1:]),
            "python_code": code,
            "timeout_seconds": _SECONDS,
            "run_class": _PYTHON_CLASS,
            "max_tokens": _OUTPUT_TOKENS,
        },
    )
    if result.is_error:
        raise ValueError(f"DuckDB in Python failed: {result.text[-2000:]}")
    found = json.loads(result.text)
    return {
        name: Answer(answer["rows"], answer["total"], answer["ms"])
        for name, answer in found.items()
    }


def _text(cell: object) -> str | None:
    return None if cell is None else str(cell)


def _check(name: str, found: Answer, expected: Answer) -> None:
    if found.total != expected.total:
        raise ValueError(f"{name}: {found.total} rows, and DuckDB in Python has {expected.total}")
    for number, (row, other) in enumerate(zip(found.rows, expected.rows, strict=False)):
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
