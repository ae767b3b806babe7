"""The result as tables of Markdown, and as a picture."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.economy.counts import TaskCount
from bench.economy.figures import Played
from bench.economy.player import MAX_TURNS
from bench.economy.tasks import FAMILIES, Task
from bench.report.distribution import percentile
from bench.report.result import Result, rendered


def tables(result: Result, tasks: Sequence[Task], played: Sequence[Played]) -> str:
    """All tables: conditions, families, systems, and at last the figures that have ranges."""
    lines = ["# Agent economy", ""]
    lines += [line for name in result.absent for line in (f"Absent: {name}.", "")]
    lines += ["| condition | |", "|---|---|"]
    lines += [f"| {name} | `{text}` |" for name, text in result.conditions.items()]
    lines += ["", "Tokens are those of o200k, of texts alone; a picture has its pixels / 750.", ""]
    families = {task.name: task.family for task in tasks}
    for family in FAMILIES:
        if family in families.values():
            lines += _family(family, families, played)
    for one in played:
        lines += _system(one)
    lines += ["## Figures", "", "| figure | |", "|---|---:|"]
    lines += [f"| {name} | {rendered(value)} |" for name, value in result.figures.items()]
    return "\n".join(lines) + "\n"


def summary(result: Result, played: Sequence[Played], picture: str) -> str:
    """A table of all systems and a picture, for documents: with date, versions and command.

    Args:
        picture: the path of what `draw_summary` has drawn, as the document has it.
    """
    conditions = result.conditions
    versions = [f"{one.name} {one.session.version}" for one in played if one.session.version]
    lines = [
        f"Measured on {conditions['date']} with `{conditions['command']}`"
        + (f"; {', '.join(versions)}" if versions else "")
        + ". Tokens are those of o200k; medians of the tasks that each system solved.",
        "",
        *(line for name in result.absent for line in (f"Absent: {name}.", "")),
        "| system | solved | turns a task | added tokens | listing | both | largest reply |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [_summarized(one) for one in played]
    ratios = {name: value for name, value in result.figures.items() if " / " in name}
    if ratios:
        lines += ["", "| ratio | |", "|---|---:|"]
        lines += [f"| {name} | {rendered(value)} |" for name, value in ratios.items()]
    return "\n".join([*lines, "", f"![Tokens of a task by system]({picture})", ""])


def _summarized(one: Played) -> str:
    tasks = list(one.solved.values())
    listing = one.count.listing.tokens
    solved = _solved(one, tasks, len(one.tasks))
    if not tasks:
        return f"| {one.name} | {solved} | | | {listing} | | |"
    added = statistics.median(task.added() for task in tasks)
    cells = (
        rendered(statistics.fmean(len(task.turns) for task in tasks)),
        *map(rendered, (added, listing, added + listing)),
        rendered(max(turn.text.tokens for task in tasks for turn in task.turns)),
    )
    return f"| {one.name} | {solved} | {' | '.join(cells)} |"


def draw_summary(played: Sequence[Played], picture: Path) -> None:
    """Write the tokens of a task by system as SVG: what it adds, and that with the listing."""
    figure, axes = _axes()
    shown = [one for one in reversed(played) if one.solved]
    names = [one.name for one in shown]
    listings = [one.count.listing.tokens for one in shown]
    added = [statistics.median(task.added() for task in one.solved.values()) for one in shown]
    # A file in the context is a hundred times as long as all else, and the length of a bar means
    # nothing where the axis does not begin with 0.
    if shown and max(added) > 50 * min(added):
        whole = [sum(parts) for parts in zip(listings, added, strict=True)]
        axes.plot(added, names, "o", label="added by a task, median")
        axes.plot(whole, names, "D", fillstyle="none", label="with the listing")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.grid(alpha=0.3)
    else:
        axes.barh(names, listings, label="listing")
        axes.barh(names, added, left=listings, label="added by a task, median")
    axes.set_xlabel("tokens")
    axes.legend(fontsize="small")
    figure.savefig(picture, metadata={"Date": None})


def _family(family: str, families: Mapping[str, str], played: Sequence[Played]) -> list[str]:
    count = list(families.values()).count(family)
    lines = [
        f"## {family}",
        "",
        "| system | solved | turns | added p50 | p90 | total |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for one in played:
        if all(families[count.task] != family for _, count in one.tasks):
            continue
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
    spread = (statistics.median(added), percentile(added, 90), sum(added))
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
    figure, axes = _axes()
    for name, costs in curves(played).items():
        axes.plot(range(len(costs)), costs, marker="o", label=name)
    axes.set_yscale("log")
    axes.set_xlabel("turns")
    axes.set_ylabel("context cost, tokens, median of the tasks that it solved")
    axes.legend(loc="lower right", fontsize="small")
    figure.savefig(picture, metadata={"Date": None})


def _axes() -> tuple[Any, Any]:
    """An empty picture. Matplotlib takes a second to import."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(9, 5), layout="constrained")
