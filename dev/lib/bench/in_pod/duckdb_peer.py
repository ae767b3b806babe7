"""DuckDB in Python: each query in a process of its own, then all of them in one.

What is timed begins with the text of the query and ends with all rows in hand. The connection and
the views are there before.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import duckdb

PARAMETERS: dict[str, Any] = json.loads("{}")


def connect() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"SET threads = {PARAMETERS['threads']}")
    for name, source in PARAMETERS["views"].items():
        connection.execute(f"CREATE VIEW {name} AS FROM {source}")
    return connection


def answer(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, Any]:
    began = time.perf_counter()
    rows = connection.execute(query).fetchall()
    milliseconds = (time.perf_counter() - began) * 1000
    first = rows[: PARAMETERS["rows"]]
    return {
        "ms": milliseconds,
        "total": len(rows),
        "rows": [[None if cell is None else str(cell) for cell in row] for row in first],
    }


queries = PARAMETERS["queries"]
if len(sys.argv) > 1:
    print(json.dumps(answer(connect(), queries[sys.argv[1]])))
else:
    found = {}
    for name in queries:
        # The process has the same files, of which its page cache is that of this one.
        command = [sys.executable, "-I", __file__, name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found[name] = json.loads(done.stdout)
    connection = connect()
    for name, query in queries.items():
        found[name]["warm_ms"] = answer(connection, query)["ms"]
    print(json.dumps(found))
