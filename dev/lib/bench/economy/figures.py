"""The figures of a run: of each system, of systems beside each other, and what has grown."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.economy.counts import FORWARDED, SystemCount, TaskCount
from bench.economy.systems import SYSTEMS
from bench.economy.transcript import Session, Transcript
from bench.report.distribution import percentile

_OURS = "assay-analytics"
_RIVAL = "mcp-server-motherduck"
# What a change of a description or of a reply may add to the total.
_GROWTH = 1.03


@dataclass(frozen=True)
class Played:
    """A system with its transcripts and their counts."""

    session: Session
    count: SystemCount

    @property
    def name(self) -> str:
        return self.session.system

    @property
    def tasks(self) -> Sequence[tuple[Transcript, TaskCount]]:
        """Those that were played."""
        return list(zip(self.session.transcripts, self.count.tasks, strict=True))

    @property
    def solved(self) -> dict[str, TaskCount]:
        """Those that count, by name; of a system that is not judged all that have a reply."""
        return {
            count.task: count
            for transcript, count in self.tasks
            if transcript.is_solved or (transcript.is_solved is None and not transcript.failure)
        }


def of_systems(played: Iterable[Played]) -> dict[str, float]:
    """The figures of each system by itself, over the tasks that it solved."""
    found: dict[str, float] = {}
    for one in played:
        listing = one.count.listing.tokens
        found[f"{one.name}: listing"] = listing
        found[f"{one.name}: listing as models see it"] = one.count.seen.tokens
        found[f"{one.name}: solved"] = sum(bool(t.is_solved) for t, _ in one.tasks)
        tasks = list(one.solved.values())
        if not tasks:
            continue
        found[f"{one.name}: turns"] = sum(len(task.turns) for task in tasks)
        for forwarded in FORWARDED:
            kind = "added" if forwarded == "text" else f"added, {forwarded}"
            found |= _spread(f"{one.name}: {kind}", [task.added(forwarded) for task in tasks])
        found |= _spread(f"{one.name}: context cost", [task.costs(listing)[-1] for task in tasks])
        found[f"{one.name}: bytes total"] = sum(task.bytes for task in tasks)
        found[f"{one.name}: largest reply"] = max(
            turn.text.tokens for task in tasks for turn in task.turns
        )
    return found


def compared(played: Iterable[Played]) -> dict[str, float]:
    """Figures of ours and of its rivals, over the tasks that both solved."""
    by_name = {one.name: one for one in played}
    ours = by_name.get(_OURS)
    if ours is None:
        return {}
    found: dict[str, float] = {}
    rival = by_name.get(_RIVAL)
    if rival is not None and (both := _both(ours, rival)):
        added = [statistics.median(side) for side in _sides(both)]
        found[f"{_OURS} / {_RIVAL}: added p50"] = added[0] / added[1]
        listings = (ours.count.listing.tokens, rival.count.listing.tokens)
        whole = [one + listing for one, listing in zip(added, listings, strict=True)]
        found[f"{_OURS} / {_RIVAL}: listing and added p50"] = whole[0] / whole[1]
    turns = [
        sum(len(one.turns) - len(other.turns) for one, other in _both(ours, peer))
        for peer in by_name.values()
        if SYSTEMS[peer.name].is_peer and SYSTEMS[peer.name].asks
    ]
    if turns:
        found[f"{_OURS}: turns beyond those of the best peer"] = max(turns)
    found |= _beside_data(by_name)
    return found


def grown(played: Iterable[Played], baseline: Mapping[str, Mapping[str, int]]) -> list[str]:
    """A line for each system of ours whose tasks add more than before, with those that grew most.

    Args:
        baseline: added tokens by system and task; systems without one are not compared.
    """
    lines = []
    for one in played:
        before = baseline.get(one.name)
        if before is None:
            continue
        now = {name: task.added() for name, task in one.solved.items() if name in before}
        total, total_before = sum(now.values()), sum(before[name] for name in now)
        if total <= total_before * _GROWTH:
            continue
        growth = {name: tokens - before[name] for name, tokens in now.items()}
        most = sorted(growth, key=lambda name: -growth[name])[:5]
        named = ", ".join(f"{name} +{growth[name]}" for name in most if growth[name] > 0)
        lines.append(
            f"economy: {one.name} adds {total} tokens, {total_before} before: {named}."
            " If that is meant, write the baseline again with --write-baseline"
        )
    return lines


def baseline_of(played: Iterable[Played]) -> dict[str, dict[str, int]]:
    """What is compared with later: of our systems alone."""
    return {
        one.name: {name: task.added() for name, task in one.solved.items()}
        for one in played
        if not SYSTEMS[one.name].is_peer
    }


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    return {
        f"{name} p50": statistics.median(values),
        f"{name} p90": percentile(values, 90),
        f"{name} total": sum(values),
    }


def _both(one: Played, other: Played) -> list[tuple[TaskCount, TaskCount]]:
    return [(task, other.solved[name]) for name, task in one.solved.items() if name in other.solved]


def _sides(pairs: Sequence[tuple[TaskCount, TaskCount]]) -> tuple[list[int], list[int]]:
    return [one.added() for one, _ in pairs], [other.added() for _, other in pairs]


def _beside_data(by_name: Mapping[str, Played]) -> dict[str, float]:
    """Code beside the tables in the context, where they fit."""
    library, files = by_name.get("assay-library"), by_name.get("load-everything")
    if library is None or files is None or not (both := _both(library, files)):
        return {}
    ratios = [
        (one.prompt.tokens + one.added()) / (other.prompt.tokens + other.added())
        for one, other in both
    ]
    return {"assay-library / load-everything p50": statistics.median(ratios)}
