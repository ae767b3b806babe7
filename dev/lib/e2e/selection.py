"""What one call of dev/e2e runs, by its options and by what the commit has passed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cluster.progress import step
from e2e import plan
from e2e.errors import E2eError
from e2e.plan import RECIPE, WARM_POOLS, Phase, Unit
from e2e.results import Results
from e2e.scenarios import Outcome

_ALL = "*E2E"


@dataclass(frozen=True)
class Selection:
    """Patterns of Surefire for each phase, empty for one that has nothing to run."""

    scenarios: str
    tags: str
    """Of the scenarios, an expression of JUnit."""
    warm: str = ""
    """The scenarios that run once more, in warm Pods."""
    recipe: bool = False
    results: Results | None = None
    """Where the results are kept, if they are counted for a commit."""
    everything: Sequence[Unit] = field(default=(), repr=False)
    """What the commit has to pass."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to run."""
        return not (self.scenarios or self.warm or self.recipe)

    def keep_report(self, phase: Phase, name: str, report: Path) -> None:
        """Keeps the report of a class that has ended."""
        if self.results is not None:
            self.results.keep_report(Unit(phase, name), report)

    def keep(self, unit: Unit, outcome: Outcome) -> None:
        """Keeps the outcome of what is no class."""
        if self.results is not None:
            self.results.keep(unit, outcome)


def choose(options: argparse.Namespace) -> Selection:
    """Returns what to run; E2eError if the options need a commit and the work tree differs."""
    if options.test:
        pattern = options.test
        warm = pattern if options.all and not options.warm else ""
        return Selection(pattern, "core | full", warm, recipe=options.all)
    if not options.all:
        return Selection(_ALL, "core")
    if options.warm:
        return Selection(_ALL, "core | full", recipe=True)
    everything = plan.units(plan.tags())
    try:
        results = Results.open()
    except E2eError as failure:
        if options.shard or options.resume:
            raise
        step(f"nothing is counted: {failure}")
        return _of(everything, everything, None)
    wanted = everything
    if options.shard:
        wanted = plan.of_shard(everything, plan.read_durations(), options.shard)
    if options.resume:
        wanted = plan.pending(wanted, results.passed())
    else:
        results.forget(wanted)
    return _of(wanted, everything, results)


def _of(wanted: Sequence[Unit], everything: Sequence[Unit], results: Results | None) -> Selection:
    def classes(phase: Phase) -> str:
        return ",".join(unit.name for unit in wanted if unit.phase is phase and unit != WARM_POOLS)

    return Selection(
        classes(Phase.SCENARIOS),
        "core | full",
        classes(Phase.WARM),
        recipe=RECIPE in wanted,
        results=results,
        everything=everything,
    )
