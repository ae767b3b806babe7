"""Figures of tasks on files that fill a context, beside the same with the file in the context."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from bench.economy.figures import Played
from bench.economy.systems import SYSTEMS


def compared(played: Iterable[Played]) -> dict[str, float]:
    """Tokens of each system of ours / of each that reads files into the context, by task.

    Prompt, calls and replies count, and `with listing` the listing on both sides. What a model
    would add to answer counts on neither: of the two, it makes the file look cheaper.
    """
    found: dict[str, float] = {}
    all_played = list(played)
    for one in all_played:
        if not SYSTEMS[one.name].asks and one.solved:
            sizes = [turn.text.tokens for task in one.solved.values() for turn in task.turns]
            found[f"{one.name}: smallest file"] = min(sizes)
            found[f"{one.name}: largest file"] = max(sizes)
    for ours in all_played:
        for other in all_played:
            if SYSTEMS[ours.name].is_peer or SYSTEMS[other.name].asks:
                continue
            name = f"{ours.name} / {other.name}"
            found |= _spread(name, _ratios(ours, other, with_listing=False))
            found |= _spread(f"{name}, with listing", _ratios(ours, other, with_listing=True))
    return found


def _ratios(one: Played, other: Played, *, with_listing: bool) -> list[float]:
    """Of the tasks that both have done."""
    listings = [side.count.listing.tokens if with_listing else 0 for side in (one, other)]
    return [
        (listings[0] + task.prompt.tokens + task.added())
        / (listings[1] + other.solved[name].prompt.tokens + other.solved[name].added())
        for name, task in one.solved.items()
        if name in other.solved
    ]


def _spread(name: str, ratios: Sequence[float]) -> dict[str, float]:
    if not ratios:
        return {}
    return {f"{name} p50": statistics.median(ratios), f"{name} max": max(ratios)}
