"""What a phase measured, and whether it is within its range."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.meter import Cost
from bench.report.distribution import Distribution, distribution


@dataclass(frozen=True)
class Result:
    """Of one phase.

    Attributes:
        phase: its name.
        samples: milliseconds of each run, by series and part, such as
            `warm: create to first instruction`.
        figures: single numbers, whose names tell their units.
        costs: of one run, by series.
        conditions: what it was measured with, by name, such as the arguments of a peer.
        absent: what would have been measured if the command had been given it.
    """

    phase: str
    samples: Mapping[str, Sequence[float]]
    figures: Mapping[str, float]
    costs: Mapping[str, Cost] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    absent: Sequence[str] = ()

    @property
    def distributions(self) -> dict[str, Distribution]:
        """Of the samples."""
        return {name: distribution(values) for name, values in self.samples.items()}

    @property
    def values(self) -> dict[str, float]:
        """All that a range may be given for; of samples with ` p50` and so on after the name."""
        found = dict(self.figures)
        for name, one in self.distributions.items():
            for percentile in ("p50", "p90", "p99", "max"):
                found[f"{name} {percentile}"] = getattr(one, percentile)
        for series, cost in self.costs.items():
            found[f"{series}: API writes"] = cost.api_writes
            found[f"{series}: CPU ms"] = sum(cost.cpu_ms.values())
            found |= {f"{series}: MiB of {part}": mib for part, mib in cost.mib.items()}
        return found


def table(result: Result) -> str:
    """Tables in Markdown: milliseconds, figures, and costs; and what is absent."""
    lines = [f"## {result.phase}", ""]
    lines += [line for name in result.absent for line in (f"Absent: {name}.", "")]
    if result.conditions:
        lines += ["| condition | |", "|---|---|"]
        lines += [f"| {name} | `{text}` |" for name, text in result.conditions.items()]
        lines.append("")
    if result.samples:
        lines += ["| ms | runs | p50 | p90 | p99 | max |", "|---|" + "---:|" * 5]
        for name, one in result.distributions.items():
            cells = (rendered(value) for value in (one.p50, one.p90, one.p99, one.max))
            lines.append(f"| {name} | {one.count} | " + " | ".join(cells) + " |")
        lines.append("")
    if result.figures:
        lines += ["| figure | |", "|---|---:|"]
        lines += [f"| {name} | {rendered(value)} |" for name, value in result.figures.items()]
        lines.append("")
    for series, cost in result.costs.items():
        lines += [f"| {series}: writes of one run | | ms of each |", "|---|---:|---:|"]
        lines.append(f"| all | {rendered(cost.api_writes)} | |")
        lines += [
            f"| {kind} | {rendered(one.count)} | {rendered(one.mean_ms)} |"
            for kind, one in cost.writes.items()
        ]
        lines += ["", f"| {series}: CPU ms of one run | |", "|---|---:|"]
        lines.append(f"| all | {rendered(sum(cost.cpu_ms.values()))} |")
        lines += [f"| {part} | {rendered(ms)} |" for part, ms in cost.cpu_ms.items()]
        lines.append("")
        if cost.mib:
            lines += [f"| {series}: MiB, of replicas the largest | |", "|---|---:|"]
            lines += [f"| {part} | {rendered(mib)} |" for part, mib in cost.mib.items()]
            lines.append("")
    return "\n".join(lines)


def as_json(result: Result) -> str:
    """All of it, with the samples."""
    document = {
        "phase": result.phase,
        "absent": list(result.absent),
        "conditions": dict(result.conditions),
        "milliseconds": {name: asdict(one) for name, one in result.distributions.items()},
        "figures": dict(result.figures),
        "costs": {series: asdict(cost) for series, cost in result.costs.items()},
        "samples": {name: list(values) for name, values in result.samples.items()},
    }
    return json.dumps(document, indent=1)


def violations(result: Result, ranges: Path) -> list[str]:
    """What is outside of the phase's range; `ranges` is the folder of PHASE.json.

    The file has `{"FIGURE": {"min": NUMBER, "max": NUMBER}}`, where either may be missing. A phase
    without a file has no range, and where something is absent, only what was measured has.
    """
    file = ranges / f"{result.phase}.json"
    if not file.exists():
        return []
    found = []
    for name, bounds in json.loads(file.read_text()).items():
        if name not in result.values:
            if not result.absent:
                found.append(f"{result.phase}: {name!r} has a range, but was not measured")
            continue
        value = result.values[name]
        if value > bounds.get("max", value):
            found.append(_outside(result.phase, name, value, "above", bounds["max"]))
        if value < bounds.get("min", value):
            found.append(_outside(result.phase, name, value, "below", bounds["min"]))
    return found


def rendered(number: float) -> str:
    """With as many places as a reader needs."""
    if 0 < abs(number) < 0.1:
        return f"{number:.2g}"
    return f"{number:.2f}" if abs(number) < 10 else f"{number:.0f}"


def _outside(phase: str, name: str, value: float, side: str, bound: float) -> str:
    return f"{phase}: {name!r} is {rendered(value)}, {side} {bound:g}"
