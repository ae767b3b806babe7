"""Command line of dev/bench warm."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from bench import arrivals, warm_pool
from bench.kubernetes import Kubernetes
from bench.meter import Meter
from bench.pods import wait_until_alone
from bench.report.conditions import conditions
from bench.report.result import Result
from bench.report.session import Phase, Session
from bench.subjects import FrontEnd
from bench.warm.agent_sandbox.installation import Installation
from bench.warm.client import Client
from bench.warm.phases import (
    Setting,
    agent_sandbox,
    burst,
    call,
    calls,
    cold,
    control_plane,
    data,
    floors,
    knee,
    poisson,
    warm,
)
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY

_PHASES: Mapping[str, Callable[[Setting], Iterator[Result]]] = {
    "floors": floors.measure,
    "cold": cold.measure,
    "warm": warm.measure,
    "knee": knee.measure,
    "poisson": poisson.measure,
    "burst-20": burst.twenty,
    "burst-100": burst.hundred,
    "burst-100-of-10": burst.hundred_of_ten,
    "agent-sandbox": agent_sandbox.measure,
    "control-plane": control_plane.measure,
}
_PHASES_OF_FRONT_END: Mapping[str, Callable[[Setting, FrontEnd], Iterator[Result]]] = {
    "call": call.measure,
    "calls-20": calls.twenty,
    "data": data.measure,
}
_RESOURCES = {"cpu": "1", "cpuRequest": "10m", "memory": "192Mi"}
# The supervisor's memory follows from it.
_OUTPUT_BYTES = 64 * 1024
_WARM_UP_IDLE = 5
# Runs a second. Two cores start less than one Pod a second: more would fill the node.
_WARM_UP_RATE = 0.5
_WARM_UP_CONNECTIONS = 4


def main(arguments: Sequence[str]) -> int:
    """Measure; returns the exit status, 1 if a figure is outside of its range."""
    options = _parser().parse_args(arguments)
    chosen = _chosen(options.only, has_front_end=options.endpoint is not None)
    # As Ctrl-C, so that the class is removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    front_end = None
    if options.endpoint:
        front_end = FrontEnd(options.endpoint, os.environ["ASSAY_API_KEY"])
    kubernetes = Kubernetes(options.kubectl, options.kubeconfig)
    # Pods that are there now are taken to stay.
    wait_until_alone(kubernetes, options.namespace)
    meter = Meter(kubernetes, options.context)
    with warm_pool.create(
        kubernetes, options.namespace, "python", _RESOURCES, _OUTPUT_BYTES
    ) as own_pool:
        setting = Setting(
            kubernetes,
            options.namespace,
            own_pool,
            meter,
            options.rounds,
            options.results,
            options.kubectl,
            options.kubeconfig,
            options.context,
            options.motherduck,
            _agent_sandbox(kubernetes, options),
        )
        known = {
            **conditions(kubernetes, options.context, own_pool.image()),
            "runs before": str(options.warm_up),
        }
        _warm_up(setting, options.warm_up)
        session = Session(options.results, options.ranges, known)
        for name in chosen:
            session.measure(name, _phase(name, setting, front_end), partial(_reset, setting))
        session.print_wrong()
    return 1 if session.wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/bench warm",
        description="Measures runs that get a Pod of a warm pool, on a dev/cluster, as root on its"
        " machine. Makes a class of its own and removes it.",
    )
    add = parser.add_argument
    add(
        "--only",
        action="append",
        choices=[*_PHASES, *_PHASES_OF_FRONT_END],
        help="this phase; may be repeated. Without it all, but call, calls-20 and data only with"
        " --endpoint",
    )
    add("--rounds", type=int, default=30, help="runs of a series (default 30)")
    add(
        "--warm-up",
        type=int,
        default=0,
        help="runs that do not count before the first phase (default 0)",
    )
    add("--kubeconfig", type=Path, default=REPOSITORY / ".dev" / "kubeconfig")
    add("--kubectl", type=Path, default=REPOSITORY / ".dev" / "bin" / "kubectl")
    add("--namespace", default="assay-runs")
    add("--context", default=DEFAULT_CONTEXT, help="name of the dev/cluster")
    add(
        "--endpoint",
        help="call, calls-20, data: URL of the front end, with the key in ASSAY_API_KEY",
    )
    add("--motherduck", type=Path, help="data: the program mcp-server-motherduck, as a peer")
    add(
        "--agent-sandbox",
        type=Path,
        metavar="MANIFESTS",
        help="agent-sandbox: file or folder that installs this peer, whose image the node has",
    )
    add("--results", type=Path, default=REPOSITORY / "bench" / "results")
    add("--ranges", type=Path, default=REPOSITORY / "bench" / "ranges")
    return parser


def _chosen(only: Sequence[str] | None, *, has_front_end: bool) -> Sequence[str]:
    chosen = only or [*_PHASES, *(_PHASES_OF_FRONT_END if has_front_end else ())]
    for name in chosen:
        if name in _PHASES_OF_FRONT_END and not has_front_end:
            raise SystemExit(f"dev/bench warm: {name} needs --endpoint")
    return chosen


def _agent_sandbox(kubernetes: Kubernetes, options: argparse.Namespace) -> Installation | None:
    if options.agent_sandbox is None:
        return None
    return Installation(kubernetes, options.kubectl, options.kubeconfig, options.agent_sandbox)


def _warm_up(setting: Setting, count: int) -> None:
    """The operator compiles its bytecode in its first hundreds of runs."""
    if count > 0:
        setting.pool.set_size(_WARM_UP_IDLE)
        with Client(setting.kubernetes, setting.namespace, _WARM_UP_CONNECTIONS) as client:
            client.run_all(arrivals.evenly(count, _WARM_UP_RATE), setting.spec())
        _reset(setting)


def _phase(name: str, setting: Setting, front_end: FrontEnd | None) -> Phase:
    if front_end is not None and name in _PHASES_OF_FRONT_END:
        return partial(_PHASES_OF_FRONT_END[name], setting, front_end)
    return partial(_PHASES[name], setting)


def _reset(setting: Setting) -> None:
    """Have no idle Pods, and no Pods of runs."""
    setting.pool.set_size(0)
    wait_until_alone(setting.kubernetes, setting.namespace)
