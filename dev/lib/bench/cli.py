"""Command line of dev/bench."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench import cold_run, cost, frames, goals, print_cost, queries
from bench.economy import launch as economy
from bench.goals import (
    artifacts,
    cache_hit,
    chart,
    code_mode,
    cold_call,
    csv_table,
    export,
    polars,
    spilling,
    worker_start,
)
from bench.kubernetes import Kubernetes
from bench.mcp import McpClient
from bench.scripts import cli as scripts_cli
from bench.subjects import FrontEnd
from bench.tools import Tools
from bench.warm import cli as warm_cli
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY


def _measure_goals(bench: goals.Bench, options: argparse.Namespace) -> Iterator[goals.Goal]:
    """Those that `--only` names; without it, all that there are files for."""
    measurements: dict[str, Callable[[], list[goals.Goal]]] = {
        "cache": lambda: cache_hit.measure(bench, options.motherduck),
        "start": lambda: worker_start.measure(bench),
        "csv": lambda: csv_table.measure(bench),
        "chart": lambda: chart.measure(bench),
        "export": lambda: export.measure(bench),
        "artifacts": lambda: artifacts.measure(bench),
        "artifact-memory": lambda: artifacts.measure_memory(bench, options.context),
        "code-mode": lambda: code_mode.measure(bench),
    }
    if options.tpch:
        measurements["polars"] = lambda: polars.measure(bench, options.tpch)
        measurements["cold"] = lambda: cold_call.measure(bench, options.tpch)
    if options.lineitem:
        measurements["spilling"] = lambda: spilling.measure(
            bench, options.context, options.lineitem
        )
    for name in options.only or measurements:
        yield from measurements[name]()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; returns the exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["warm"]:
        return warm_cli.main(given[1:])
    if given[:1] == ["scripts"]:
        return scripts_cli.main(given[1:])
    if given[:1] == ["frames"]:
        return frames.main(given[1:])
    if given[:1] == ["economy"]:
        return economy.main(given[1:])
    parser = argparse.ArgumentParser(
        prog="dev/bench", description="Measures an installed Assay (dev/e2e --keep leaves one)."
    )
    add = parser.add_argument
    add(
        "what",
        nargs="?",
        choices=[
            "cold-run",
            "print",
            "cost",
            "queries",
            "goals",
            "warm",
            "scripts",
            "frames",
            "economy",
        ],
        help="default cold-run and print; cost needs a dev/cluster on this machine, and root;"
        " queries needs --tpch or --hits; goals measures what there are files for. warm, scripts,"
        " frames and economy have options of their own: dev/bench warm --help",
    )
    add("--kubeconfig", type=Path, default=REPOSITORY / ".dev" / "kubeconfig")
    add("--kubectl", type=Path, default=REPOSITORY / ".dev" / "bin" / "kubectl")
    add("--namespace", default="assay-runs")
    add("--rounds", type=int, help="default 10 pairs; of cost and queries, 3; of goals, 5")
    add("--context", default=DEFAULT_CONTEXT, help="cost: name of the dev/cluster")
    add("--at-once", type=int, default=20, help="cost: runs or Pods of a burst (default 20)")
    add(
        "--warm-up",
        type=int,
        default=0,
        help="cost: runs that do not count before the first round (default and minimum: a burst)",
    )
    add(
        "--endpoint",
        help="cost: URL of the front end that creates the runs, with the key in ASSAY_API_KEY;"
        " by default they are created at the API server",
    )
    add(
        "--tpch",
        type=Path,
        help="queries and goals: folder of the tables of TPC-H as Parquet files",
    )
    add("--hits", type=Path, help="queries: folder of hits.parquet, which lib/bench/hits.py writes")
    add("--lineitem", type=Path, help="goals: lineitem of TPC-H at scale factor 10, as Parquet")
    add("--motherduck", type=Path, help="goals: the program mcp-server-motherduck, as a peer")
    add(
        "--only",
        action="append",
        choices=[
            *("cache", "start", "csv", "chart", "export", "artifacts", "artifact-memory"),
            *("code-mode", "polars", "cold", "spilling"),
        ],
        help="goals: this one; may be repeated",
    )
    add("--json", action="store_true", help="goals: print JSON instead of a table")
    options = parser.parse_args(given)
    kubernetes = Kubernetes(options.kubectl, options.kubeconfig)
    if options.what in (None, "cold-run"):
        rounds = options.rounds or 10
        print(cold_run.table(cold_run.measure(kubernetes, options.namespace, rounds)))
    if options.what in (None, "print"):
        print(print_cost.table(print_cost.measure(kubernetes, options.namespace)))
    front_end = None
    if options.endpoint:
        front_end = FrontEnd(options.endpoint, os.environ["ASSAY_API_KEY"])
    if options.what in ("queries", "goals") and front_end is None:
        parser.error(f"{options.what} needs --endpoint")
    if options.what == "goals" and front_end is not None:
        tools = Tools(McpClient(f"{front_end.url}/mcp", front_end.key))
        rounds = options.rounds or 5
        bench = goals.Bench(front_end, tools, kubernetes, options.namespace, rounds)
        found: list[goals.Goal] = []
        try:
            found.extend(_measure_goals(bench, options))
        finally:
            # Whoever is interrupted, or whose tenth measurement fails, has those before.
            print((goals.as_json if options.json else goals.table)(found))
    if options.what == "queries" and front_end is not None:
        for name, folder in (("tpch", options.tpch), ("hits", options.hits)):
            if folder:
                print(
                    queries.measure(
                        front_end,
                        kubernetes,
                        options.namespace,
                        name,
                        folder,
                        options.rounds or 3,
                    )
                )
    if options.what == "cost":
        measured = cost.measure(
            kubernetes,
            options.context,
            options.namespace,
            front_end,
            options.rounds or 3,
            options.at_once,
            options.warm_up,
        )
        print(cost.table(measured))
    return 0
