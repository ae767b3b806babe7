"""Command line of dev/bench scripts."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from bench.kubernetes import Kubernetes
from bench.mcp import McpClient
from bench.pods import wait_until_alone
from bench.report.conditions import conditions
from bench.report.result import Result
from bench.report.session import Session
from bench.scripts import peer
from bench.scripts.phases import (
    Setting,
    cold,
    computing,
    endless_allocation,
    endless_loop,
    large_results,
    queue,
    start,
    tool_batch,
    tool_call,
    typescript,
    warm,
)
from bench.scripts.script_class import ScriptClass
from bench.scripts.script_client import ScriptClient
from bench.scripts.summary import summary
from bench.scripts.tool_server import ToolServer
from bench.scripts.upstream import Upstream
from bench.subjects import FrontEnd
from cluster.settings import DEFAULT_CONTEXT, HOST_LINK_IP, REPOSITORY

_PHASES: Mapping[str, Callable[[Setting], Iterator[Result]]] = {
    "tool-call": tool_call.measure,
    "tool-batch": tool_batch.measure,
    "computing": computing.measure,
    "endless-loop": endless_loop.measure,
    "endless-allocation": endless_allocation.measure,
    "script-start": start.measure,
    "script-warm": warm.measure,
    "typescript": typescript.measure,
    "script-cold": cold.measure,
    "script-queue": queue.measure,
    "large-results": large_results.measure,
}


def main(arguments: Sequence[str]) -> int:
    """Measure; returns the exit status, 1 if a figure is outside of its range."""
    options = _parser().parse_args(arguments)
    # As Ctrl-C, so that the class is given back and the tool server removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    program = None if options.mcpproxy is None else peer.built(options.mcpproxy)
    front_end = FrontEnd(options.endpoint, os.environ["ASSAY_API_KEY"])
    kubernetes = Kubernetes(options.kubectl, options.kubeconfig)
    with (
        Upstream(options.address) as upstream,
        ToolServer(kubernetes, options.namespace, upstream.url),
        ScriptClass(kubernetes, options.namespace) as script_class,
    ):
        setting = Setting(
            kubernetes,
            options.namespace,
            front_end,
            ScriptClient(lambda: McpClient(f"{front_end.url}/mcp", front_end.key)),
            script_class,
            upstream,
            program,
            options.rounds,
            options.kubectl,
            options.kubeconfig,
            options.context,
            options.results,
        )
        known = conditions(kubernetes, options.context, script_class.pool.image())
        session = Session(options.results, options.ranges, known)
        for name in options.only or _PHASES:
            session.measure(name, partial(_PHASES[name], setting), partial(_reset, setting))
        print(summary(session.results, options.ranges))
        session.print_wrong()
    return 1 if session.wrong else 0


def _reset(setting: Setting) -> None:
    """Have the class as a phase finds it, and no Pods of runs."""
    setting.script_class.reset()
    wait_until_alone(setting.kubernetes, setting.namespace)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/bench scripts",
        description="Measures scripts that call tools, on a dev/cluster, as root on its machine."
        " Uses the class javascript, which it gives back, and makes a tool server of its own.",
    )
    add = parser.add_argument
    add("--endpoint", required=True, help="URL of the front end, with the key in ASSAY_API_KEY")
    add("--only", action="append", choices=[*_PHASES], help="this phase; may be repeated")
    add("--rounds", type=int, default=5, help="how often what varies is repeated (default 5)")
    add(
        peer.OPTION,
        type=Path,
        metavar="CHECKOUT",
        help=f"folder with the sources of {peer.NAME}, which is built with go, as a peer;"
        " without it the results say that it is absent",
    )
    add("--kubeconfig", type=Path, default=REPOSITORY / ".dev" / "kubeconfig")
    add("--kubectl", type=Path, default=REPOSITORY / ".dev" / "bin" / "kubectl")
    add("--namespace", default="assay-runs")
    add("--context", default=DEFAULT_CONTEXT, help="name of the dev/cluster")
    add(
        "--address",
        default=HOST_LINK_IP,
        help="of this machine as Pods see it, where the tool server listens: the chart's"
        f" toolGateway.allowedAddresses must have it (default {HOST_LINK_IP})",
    )
    add("--results", type=Path, default=REPOSITORY / "bench" / "results")
    add("--ranges", type=Path, default=REPOSITORY / "bench" / "ranges")
    return parser
