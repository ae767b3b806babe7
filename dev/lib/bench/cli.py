"""Command line of dev/bench."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench import cold_run, print_cost
from bench.kubernetes import Kubernetes
from cluster.settings import REPOSITORY


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="dev/bench", description="Measures an installed Assay (dev/e2e --keep leaves one)."
    )
    parser.add_argument("what", nargs="?", choices=["cold-run", "print"], help="default all")
    parser.add_argument("--kubeconfig", type=Path, default=REPOSITORY / ".dev" / "kubeconfig")
    parser.add_argument("--kubectl", type=Path, default=REPOSITORY / ".dev" / "bin" / "kubectl")
    parser.add_argument("--namespace", default="assay-runs")
    parser.add_argument("--rounds", type=int, default=10, help="counted pairs (default 10)")
    options = parser.parse_args(arguments)
    kubernetes = Kubernetes(options.kubectl, options.kubeconfig)
    if options.what in (None, "cold-run"):
        print(cold_run.table(cold_run.measure(kubernetes, options.namespace, options.rounds)))
    if options.what in (None, "print"):
        print(print_cost.table(print_cost.measure(kubernetes, options.namespace)))
    return 0
