"""Command line of dev/bench."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from bench import cold_run, cost, print_cost, queries
from bench.kubernetes import Kubernetes
from bench.subjects import FrontEnd
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="dev/bench", description="Measures an installed Assay (dev/e2e --keep leaves one)."
    )
    add = parser.add_argument
    add(
        "what",
        nargs="?",
        choices=["cold-run", "print", "cost", "queries"],
        help="default cold-run and print; cost needs a dev/cluster on this machine, and root;"
        " queries needs --tpch or --hits",
    )
    add("--kubeconfig", type=Path, default=REPOSITORY / ".dev" / "kubeconfig")
    add("--kubectl", type=Path, default=REPOSITORY / ".dev" / "bin" / "kubectl")
    add("--namespace", default="assay-runs")
    add("--rounds", type=int, help="default 10 pairs; of cost, 3")
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
    add("--tpch", type=Path, help="queries: folder of the tables of TPC-H as Parquet files")
    add("--hits", type=Path, help="queries: folder of hits.parquet, which lib/bench/hits.py writes")
    options = parser.parse_args(arguments)
    kubernetes = Kubernetes(options.kubectl, options.kubeconfig)
    if options.what in (None, "cold-run"):
        rounds = options.rounds or 10
        print(cold_run.table(cold_run.measure(kubernetes, options.namespace, rounds)))
    if options.what in (None, "print"):
        print(print_cost.table(print_cost.measure(kubernetes, options.namespace)))
    front_end = None
    if options.endpoint:
        front_end = FrontEnd(options.endpoint, os.environ["ASSAY_API_KEY"])
    if options.what == "queries":
        if front_end is None:
            parser.error("queries needs --endpoint")
        for name, folder in (("tpch", options.tpch), ("hits", options.hits)):
            if folder:
                print(queries.measure(front_end, name, folder, options.rounds or 3))
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
