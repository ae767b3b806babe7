"""A chart of a query's rows, beside the same query without it."""

from __future__ import annotations

import statistics
import uuid

from bench.goals import Bench, Goal
from bench.mcp import ToolResult, picture_size

_PIXELS_OF_TOKEN = 750
_QUERIES = {
    "sql": "SELECT 'shop ' || i % 40 AS shop, sum(i * 37 % 101) AS sold"
    " FROM range(100000) r(i) GROUP BY ALL ORDER BY ALL -- {}",
    "python": "pd.DataFrame({{'shop': [f'shop {{i}}' for i in range(40)],"
    " 'sold': [i * 37 % 101 for i in range(40)]}}) # {}",
}


def measure(bench: Bench) -> list[Goal]:
    """One uncounted round first."""
    goals = []
    tokens = 0.0
    for query_type in _QUERIES:
        plain, drawn = [], []
        for _ in range(bench.rounds + 1):
            reply = _query(bench, query_type, is_drawn=False)
            plain.append(bench.since_pod_start(reply.structured["query_id"]))
            reply = _query(bench, query_type, is_drawn=True)
            drawn.append(bench.since_pod_start(reply.structured["query_id"]))
            (picture,) = reply.images
            tokens = max(tokens, image_tokens(picture))
        added = [one - other for one, other in zip(drawn[1:], plain[1:], strict=True)]
        conditions = (
            f"{statistics.median(drawn[1:]):.2f} - {statistics.median(plain[1:]):.2f} s"
            " from the start of the Pod to the answer"
        )
        median = statistics.median(added)
        goals.append(Goal(f"chart, added to {query_type}", "<=", 1, median, "s", conditions))
    conditions = f"width x height / {_PIXELS_OF_TOKEN}"
    return [*goals, Goal("picture of a chart", "<=", 300, tokens, "tokens", conditions)]


def image_tokens(picture: bytes) -> float:
    """What clients count for a PNG file."""
    width, height = picture_size(picture)
    return width * height / _PIXELS_OF_TOKEN


def _query(bench: Bench, query_type: str, *, is_drawn: bool) -> ToolResult:
    bench.settle()
    arguments = {
        "query_type": query_type,
        # Another query each time, which the cache does not have.
        "query": _QUERIES[query_type].format(uuid.uuid4()),
        "files": [],
        "generate_chart": is_drawn,
    }
    return bench.tools.call("analytics_execute_query", arguments)
