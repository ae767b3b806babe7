"""All figures that have a range, as one table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bench.report.result import Result, rendered


def summary(results: Sequence[Result], ranges: Path) -> str:
    """A table in Markdown.

    Args:
        results: of the phases.
        ranges: the folder of PHASE.json, as in `violations`.
    """
    lines = ["| phase | figure | goal | measured |", "|---|---|---:|---:|"]
    for result in results:
        file = ranges / f"{result.phase}.json"
        goals = json.loads(file.read_text()) if file.exists() else {}
        for name, bounds in goals.items():
            goal = " and ".join(
                f"{sign} {bounds[bound]:g}"
                for bound, sign in (("min", ">="), ("max", "<="))
                if bound in bounds
            )
            lines.append(
                f"| {result.phase} | {name} | {goal} | {_measured(result, name, bounds)} |"
            )
    return "\n".join(lines)


def _measured(result: Result, name: str, bounds: dict[str, float]) -> str:
    value = result.values.get(name)
    if value is None:
        return "absent" if result.absent else "not measured"
    is_met = bounds.get("min", value) <= value <= bounds.get("max", value)
    return rendered(value) if is_met else f"{rendered(value)}, not met"
