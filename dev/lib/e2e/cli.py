"""Command line of dev/e2e."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace

from cluster.progress import step
from cluster.settings import REPOSITORY
from e2e import (
    clients,
    diagnostics,
    installation,
    packages_image,
    report,
    scenarios,
    settings,
    stdio_server_image,
    warm_pools,
)
from e2e.clients import Outside
from e2e.commands import show
from e2e.errors import E2eError
from e2e.scenarios import Outcome

_ALL = "*E2E"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/e2e",
        description="Installs Assay on the development cluster and runs the scenarios.",
    )
    add = parser.add_argument
    add(
        "--all",
        action="store_true",
        help="also the long-running scenarios (tag full), those of code in its Pod once more with"
        " warm pools (tag warm), and the recipe for packages",
    )
    add("--keep", action="store_true", help="leave the release and its data in the cluster")
    add("--skip-images", action="store_true", help="use the images that the cluster has")
    add("--warm", action="store_true", help="with warm pools for the classes of the chart")
    add(
        "--test",
        metavar="PATTERN",
        help="only these, with any tag: a class or class#method, with * as wildcard",
    )
    return parser


def _scenarios(options: argparse.Namespace, outcomes: list[Outcome]) -> None:
    """Runs all stages and adds the outcome of each test; raises E2eError if a stage fails."""
    show([REPOSITORY / "dev" / "cluster", "up"])
    step("stage 1 of 5: cluster is up")
    if not options.skip_images:
        show([REPOSITORY / "dev" / "images"])
    step("stage 2 of 5: images are loaded")
    outside = clients.ensure()
    everything = options.all or options.test is not None
    pattern = options.test or _ALL
    if everything and stdio_server_image.is_wanted(pattern):
        stdio_server_image.load(outside)
    installed = installation.install(warm_pools.values() if options.warm else {})
    step("stage 3 of 5: chart is installed")
    copied = installation.fill_source_volume(outside.data, outside.digest)
    installation.wait_until_served(installed)
    step(f"stage 4 of 5: data {'copied' if copied else 'present'}, {installed.endpoint} serves")
    before = warm_pools.counts() if options.warm else {}
    tags = "core | full" if everything else "core"
    outcomes += scenarios.run(installed, outside, tags, pattern, warm=options.warm)
    if not outcomes:
        raise E2eError("no scenario matched")
    if options.warm:
        outcomes.append(warm_pools.outcome(before))
    if options.all and not options.warm:
        if _has_failed(outcomes):
            # The next stage changes the release.
            print(diagnostics.gather())
        outcomes += _in_warm_pods(outside, pattern)
    if options.all:
        outcomes.append(packages_image.run())
    step(f"stage 5 of 5: {len(outcomes)} tests ran")


def _in_warm_pods(outside: Outside, pattern: str) -> list[Outcome]:
    """Runs the scenarios tagged warm, once the classes of the chart have warm pools."""
    installed = installation.install(warm_pools.values())
    installation.wait_until_served(installed)
    before = warm_pools.counts()
    outcomes = scenarios.run(installed, outside, "warm", pattern, warm=True)
    if not outcomes and pattern == _ALL:
        raise E2eError("no scenario is tagged warm")
    return [
        *(replace(one, scenario=f"{one.scenario}, warm") for one in outcomes),
        warm_pools.outcome(before),
    ]


def _has_failed(outcomes: Sequence[Outcome]) -> bool:
    return any(not outcome.passed for outcome in outcomes)


def _clean_up() -> None:
    try:
        installation.remove()
        step("release and data removed")
    except E2eError as failure:
        print(f"dev/e2e: cleanup failed: {failure}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs all stages; returns the exit status."""
    options = _parser().parse_args(arguments)
    # As Ctrl-C, so that Maven is ended too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    outcomes: list[Outcome] = []
    for log in (settings.DIAGNOSTICS, settings.MAVEN_LOG):
        log.unlink(missing_ok=True)
    try:
        _scenarios(options, outcomes)
    except E2eError as failure:
        outcomes.append(Outcome("dev/e2e", "stages", False, 0.0, str(failure)))
    except KeyboardInterrupt:
        return 130
    failed = _has_failed(outcomes)
    if failed:
        print(diagnostics.gather())
        print(f"Complete logs: {settings.DIAGNOSTICS}, {settings.MAVEN_LOG}")
    if not options.keep:
        _clean_up()
    print()
    print(report.table(outcomes))
    print(report.last_line(outcomes))
    return 1 if failed else 0
