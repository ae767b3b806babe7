"""Raises the rate of arrivals until runs wait for each other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import arrivals
from bench.meter import Cost
from bench.report.distribution import distribution
from bench.report.result import Result
from bench.warm.client import Client
from bench.warm.phases import Setting, pods_of, run_and_cost, shares
from bench.warm.timed_runs import stages_ms, warm_share

IDLE = 10
FIGURE = "knee, runs per second"
_FIRST_RATE = 0.5
_FACTOR = 1.4
_HIGHEST_RATE = 50.0
_TIMES_P90 = 2
_CONNECTIONS = 8


@dataclass(frozen=True)
class Step:
    """What was seen at a rate: p90 until the first instruction, and the share of warm Pods."""

    rate: float
    p90: float
    warm: float

    def is_beyond(self, first: Step) -> bool:
        """Whether calls wait: for Pods to start, or for each other."""
        return self.warm < 1 or self.p90 > _TIMES_P90 * first.p90


def measure(setting: Setting) -> Iterator[Result]:
    """Each step has more runs than there are idle Pods, so that refilling has to keep up."""
    setting.pool.resize(IDLE)
    count = max(setting.rounds, 2 * IDLE)
    steps: list[Step] = []
    samples: dict[str, list[float]] = {}
    figures: dict[str, float] = {}
    costs: dict[str, Cost] = {}
    rate = _FIRST_RATE
    with Client(setting.kubernetes, setting.namespace, _CONNECTIONS) as client:
        while rate <= _HIGHEST_RATE and not (steps and steps[-1].is_beyond(steps[0])):
            name = f"{rate:.2f}/s"
            runs, costs[name] = run_and_cost(setting, client, arrivals.evenly(count, rate))
            first = stages_ms(runs)["create to first instruction"]
            samples[f"{name}: create to first instruction"] = first
            figures |= shares(name, runs)
            steps.append(Step(rate, distribution(first).p90, warm_share(runs)))
            setting.pool.refill(pods_of(runs))
            rate *= _FACTOR
        yield Result("knee", samples, {FIGURE: knee(steps), **figures}, costs)


def knee(steps: Sequence[Step]) -> float:
    """The highest rate before the first at which calls wait; 0 if they do at the first one."""
    highest = 0.0
    for step in steps:
        if step.is_beyond(steps[0]):
            break
        highest = step.rate
    return highest


def found_before(results: Path) -> float:
    """That of an earlier measurement; SystemExit if there is none."""
    file = results / "knee.json"
    if not file.exists():
        raise SystemExit(f"dev/bench warm: poisson needs {file}; measure --only knee before it")
    document = json.loads(file.read_text())
    rate: float = document["figures"][FIGURE]
    return rate
