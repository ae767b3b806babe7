"""The result as tables of Markdown, and as a picture."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.economy.counts import TaskCount
from bench.economy.figures import Played, percentile
from bench.economy.player import MAX_TURNS
from bench.economy.tasks import FAMILIES, Task
from bench.warm.result import Result, rendered


def tables(result: Result, tasks: Sequence[Task], played: Sequence[Played]) -> str:
    """All tables: conditions, families, systems, and at last the figures that have ranges."""
    lines = ["# Agent economy", ""]
    lines += [line for name in result.absent for line in (f"Absent: {name}.", "")]
    lines += ["| condition | |", "|---|---|"]
    lines += [f"| {name} | `{text}` |" for name, text in result.conditions.items()]
    lines += ["", "Tokens are those of o200k, of texts alone; a picture has its pixels / 750.", ""]
    families = {task.name: task.family for task in tasks}
    for family in FAMILIES:
        lines += _family(family, families, played)
    for one in played:
        lines += _system(one)
    lines += ["## Figures", "", "| figure | |", "|---|---:|"]
    lines += [f"| {name} | {rendered(value)} |" for name, value in result.figures.items()]
    return "\n".join(lines) + "\n"


def _family(family: str, families: Mapping[str, str], played: Sequence[Played]) -> list[str]:
    count = list(families.values()).count(family)
    lines = [
        f"## {family}",
        "",
        "| system | solved | turns | added p50 | p90 | total |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for one in played:
        solved = [task for name, task in one.solved.items() if families[name] == family]
        lines.append(f"| {one.name} | {_solved(one, solved, count)} | {_added(solved)} |")
    return [*lines, ""]


def _solved(one: Played, solved: Sequence[TaskCount], count: int) -> str:
    is_judged = any(transcript.is_solved is not None for transcript, _ in one.tasks)
    return f"{len(solved)}/{count}" if is_judged else f"not judged, {len(solved)} fit"


def _added(solved: Sequence[TaskCount]) -> str:
    if not solved:
        return "| | |"
    added = [task.added() for task in solved]
    turns = sum(len(task.turns) for task in solved)
    spread = (statistics.median(added), percentile(added, 0.9), sum(added))
    return " | ".join([str(turns), *map(rendered, spread)])


def _system(one: Played) -> list[str]:
    listing = one.count.listing
    lines = [
        f"## {one.name} {one.session.version}".rstrip(),
        "",
        f"Listing: {listing.tokens} tokens ({listing.bytes} bytes),"
        f" {one.count.seen.tokens} as models see it.",
        "",
        "| task | turns | added | structured | both | bytes / 4 | context cost | |",
        "|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for transcript, count in one.tasks:
        cells = [
            *(len(count.turns), count.added(), count.added("structured"), count.added("both")),
            *(count.bytes // 4, count.costs(listing.tokens)[-1]),
        ]
        failure = (transcript.failure or "").replace("|", "\\|").replace("\n", " ")
        lines.append(f"| {count.task} | {' | '.join(map(str, cells))} | {failure} |")
    return [*lines, ""]


def curves(played: Sequence[Played]) -> dict[str, list[float]]:
    """The median context cost after each turn, by system; a task that has ended costs no more."""
    found = {}
    for one in played:
        costs = [task.costs(one.count.listing.tokens) for task in one.solved.values()]
        if costs:
            found[one.name] = [
                statistics.median(cost[min(turn, len(cost) - 1)] for cost in costs)
                for turn in range(MAX_TURNS + 1)
            ]
    return found


def draw(played: Sequence[Played], picture: Path) -> None:
    """Write the curves as SVG."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 5), layout="constrained")
    for name, costs in curves(played).items():
        axes.plot(range(len(costs)), costs, marker="o", label=name)
    axes.set_yscale("log")
    axes.set_xlabel("turns")
    axes.set_ylabel("context cost, tokens, median of the tasks that it solved")
    axes.legend(loc="lower right", fontsize="small")
    figure.savefig(picture, metadata={"Date": None})
