"""A query whose result is cached, whole call over HTTP, beside mcp-server-motherduck's SELECT 1."""

from __future__ import annotations

import contextlib
import socket
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.goals import Bench, Goal
from bench.mcp import McpClient
from bench.report.distribution import percentile
from bench.subjects import runs_path
from cluster.waiting import wait_for

_CALLS = 200
_QUERY = "SELECT i % 7 AS g, count(*) AS n FROM range(1000000) r(i) GROUP BY g ORDER BY g"
_START_SECONDS = 60


def measure(bench: Bench, motherduck: Path | None) -> list[Goal]:
    """`motherduck` is the program mcp-server-motherduck; without it there is no peer."""
    bench.tools.query(_QUERY, [])
    path = runs_path(bench.namespace)
    before = _names(bench, path)
    replies = [bench.tools.query(_QUERY, []) for _ in range(_CALLS)]
    created = _names(bench, path) - before
    if created or not all(reply.structured["summary"]["cache_hit"] for reply in replies):
        raise ValueError(f"not all calls were answered from the cache; runs: {sorted(created)}")
    own = [reply.seconds * 1000 for reply in replies]
    conditions = f"p95 {percentile(own, 95):.1f} ms, {_CALLS} calls, no run and no Pod"
    if motherduck is not None:
        peer = _peer(motherduck)
        conditions += (
            f"; SELECT 1 of mcp-server-motherduck: p50 {statistics.median(peer):.1f},"
            f" p95 {percentile(peer, 95):.1f} ms"
        )
    return [Goal("cache hit, whole call, p50", "<=", 15, statistics.median(own), "ms", conditions)]


def _peer(program: Path) -> list[float]:
    with server(program) as url:
        client = McpClient(url, None)
        client.call("execute_query", {"sql": "SELECT 1"})
        return [
            client.call("execute_query", {"sql": "SELECT 1"}).seconds * 1000 for _ in range(_CALLS)
        ]


@contextlib.contextmanager
def server(program: Path) -> Iterator[str]:
    """The peer on a free port of this machine, with a database in memory."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--transport", "http", "--host", "127.0.0.1", "--port", str(port)]
    options += ["--stateless-http", "--db-path", ":memory:", "--read-write"]
    # Its log is a line for each call.
    process = subprocess.Popen(
        [program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(
            program.name,
            lambda: _accepts(port),
            seconds=_START_SECONDS,
            still_possible=lambda: process.poll() is None,
        )
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


def _names(bench: Bench, path: str) -> set[str]:
    return {item["metadata"]["name"] for item in bench.kubernetes.get(path)["items"]}
