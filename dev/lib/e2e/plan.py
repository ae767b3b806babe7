"""What dev/e2e --all runs, and which part of it one shard runs."""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from e2e import settings

_ANNOTATION = re.compile(r"^\s*@(\w+)\b", re.MULTILINE)
_TAG = re.compile(r'^@Tag\("(\w+)"\)', re.MULTILINE)
# In a file of durations, what no full run has measured yet.
_UNMEASURED_SECONDS = 60.0


class Phase(StrEnum):
    """The phases of a full run, in their order."""

    SCENARIOS = "scenarios"
    WARM = "warm"
    RECIPE = "recipe"


@dataclass(frozen=True, order=True)
class Unit:
    """What is run, recorded and repeated as one: a test class in a phase, or a check of dev/e2e."""

    phase: Phase
    name: str

    def __str__(self) -> str:
        return f"{self.name}, warm" if self.phase is Phase.WARM else self.name


WARM_POOLS = Unit(Phase.WARM, "warm pools")
"""That the calls of the phase got warm Pods."""
RECIPE = Unit(Phase.RECIPE, "recipe")


@dataclass(frozen=True)
class Shard:
    """One of `count` parts, numbered from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Reads `I/N`, as an argument of the command line."""
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if found is None:
            raise argparse.ArgumentTypeError(f"{text!r} is not of the form I/N, such as 2/3")
        number, count = int(found[1]), int(found[2])
        if not 1 <= number <= count:
            valid = f"1/{count} to {count}/{count}" if count else "1/1 and up"
            raise argparse.ArgumentTypeError(f"{text} is out of range: use {valid}")
        return cls(number, count)


def tags(sources: Path = settings.SCENARIOS) -> dict[str, set[str]]:
    """Returns the tags of each scenario class and its methods, by the annotations in its source.

    A class without any has no scenario.
    """
    of_annotation = {
        file.stem: found
        for file in sources.glob("*.java")
        if (found := set(_TAG.findall(file.read_text())))
    }
    return {
        file.stem: {
            tag
            for annotation in _ANNOTATION.findall(file.read_text())
            for tag in of_annotation.get(annotation, ())
        }
        for file in sorted(sources.glob("*E2E.java"))
    }


def units(of_classes: Mapping[str, Collection[str]]) -> list[Unit]:
    """Returns everything that a full run consists of, in its order."""
    scenarios = [name for name, found in of_classes.items() if {"core", "full"} & set(found)]
    warm = [name for name, found in of_classes.items() if "warm" in found]
    return [
        *(Unit(Phase.SCENARIOS, name) for name in sorted(scenarios)),
        *(Unit(Phase.WARM, name) for name in sorted(warm)),
        WARM_POOLS,
        RECIPE,
    ]


def read_durations(file: Path = settings.DURATIONS) -> dict[Unit, float]:
    """Returns the seconds of units that a full run has taken."""
    by_phase: dict[str, dict[str, float]] = json.loads(file.read_text())
    return {
        Unit(Phase(phase), name): seconds
        for phase, of_units in by_phase.items()
        for name, seconds in of_units.items()
    }


def write_durations(seconds: Mapping[Unit, float], file: Path = settings.DURATIONS) -> None:
    """Writes what `read_durations` reads."""
    by_phase: dict[str, dict[str, float]] = {}
    for unit in sorted(seconds):
        by_phase.setdefault(unit.phase, {})[unit.name] = round(seconds[unit], 1)
    file.write_text(json.dumps(by_phase, indent=2) + "\n")


def of_shard(
    everything: Iterable[Unit], durations: Mapping[Unit, float], shard: Shard
) -> list[Unit]:
    """Returns the part of `shard`; the parts take about as long, and depend on nothing else.

    The longest are assigned first, each to the shard that has the least to do. The phase with warm
    pools stays together, since it takes an installation of its own, and is judged as a whole.
    """
    unmeasured = statistics.median(durations.values()) if durations else _UNMEASURED_SECONDS
    groups: dict[Unit, list[Unit]] = {}
    for unit in everything:
        groups.setdefault(WARM_POOLS if unit.phase is Phase.WARM else unit, []).append(unit)
    seconds = {
        first: sum(durations.get(unit, unmeasured) for unit in group)
        for first, group in groups.items()
    }
    loads = [0.0] * shard.count
    chosen: set[Unit] = set()
    for first in sorted(groups, key=lambda unit: (-seconds[unit], unit)):
        least = loads.index(min(loads))
        loads[least] += seconds[first]
        if least == shard.number - 1:
            chosen.update(groups[first])
    return [unit for unit in everything if unit in chosen]


def pending(wanted: Iterable[Unit], passed: Collection[Unit]) -> list[Unit]:
    """Returns what is left of `wanted`.

    Whether calls got warm Pods is known only of calls that have just been made: it is judged again
    with each class of that phase, and makes all of them run again if there is none left.
    """
    wanted = list(wanted)
    left = {unit for unit in wanted if unit not in passed}
    warm = {unit for unit in wanted if unit.phase is Phase.WARM}
    if left & warm == {WARM_POOLS}:
        left |= warm
    elif left & warm:
        left |= warm & {WARM_POOLS}
    return [unit for unit in wanted if unit in left]
