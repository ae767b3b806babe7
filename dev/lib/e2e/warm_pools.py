"""Warm pools for the classes of the chart, so that all scenarios get warm Pods."""

from __future__ import annotations

import json
from collections.abc import Mapping

from e2e.commands import kubectl
from e2e.scenarios import Outcome

# Small enough that a node of two cores and 24 GB has room for idle Pods beside those of runs and
# datasets.
_CPU_REQUEST = "50m"
_MIN = {"python": 2, "sql": 2, "code": 1, "python-large": 1, "javascript": 1}


def values() -> dict[str, str]:
    """Returns the values of the chart for warm pools of Pods with small CPU requests."""
    return {
        f"classes.{name}.{field}": value
        for name, minimum in _MIN.items()
        for field, value in (
            ("warmPool.min", str(minimum)),
            ("warmPool.max", str(2 * minimum)),
            ("resources.cpuRequest", _CPU_REQUEST),
        )
    }


def counts() -> dict[str, tuple[int, int]]:
    """Returns the calls of each class that got a warm Pod, and all of them."""
    listed = json.loads(kubectl("get", "runclasses", *_MIN, "-o", "json"))["items"]
    return {item["metadata"]["name"]: _counts(item) for item in listed}


def outcome(before: Mapping[str, tuple[int, int]]) -> Outcome:
    """Returns how many calls got a warm Pod since; failed if those of one class never did.

    Args:
        before: the counts then, which an operator keeps when it is upgraded.
    """
    found = {
        name: (hits - before[name][0], calls - before[name][1])
        for name, (hits, calls) in counts().items()
    }
    case = ", ".join(f"{name} {hits} of {calls}" for name, (hits, calls) in found.items())
    never = [name for name, (hits, calls) in found.items() if calls and not hits]
    message = f"no call got a warm Pod: {', '.join(never)}" if never else ""
    return Outcome("warm pools", f"warm Pods: {case}", not never, 0.0, message)


def _counts(item: Mapping[str, dict[str, dict[str, int]]]) -> tuple[int, int]:
    pools = item.get("status", {}).get("warmPool", {})
    return pools.get("hits", 0), pools.get("hits", 0) + pools.get("misses", 0)
