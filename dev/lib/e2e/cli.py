"""Command line of dev/e2e."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from cluster import containerd
from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY, Paths
from e2e import (
    clients,
    diagnostics,
    gvisor,
    installation,
    packages_image,
    plan,
    report,
    results,
    scenarios,
    settings,
    stdio_server_image,
    upgrade,
    warm_pools,
)
from e2e.clients import Outside
from e2e.commands import show
from e2e.errors import E2eError
from e2e.plan import RECIPE, WARM_POOLS, Phase, Shard
from e2e.results import Results
from e2e.scenarios import Outcome
from e2e.selection import Selection, choose
from images.catalog import IMAGES


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
    add(
        "--shard",
        type=Shard.parse,
        metavar="I/N",
        help="with --all: only the I-th of N parts that take about as long",
    )
    add(
        "--resume",
        action="store_true",
        help="with --all: only what has not passed on this very commit",
    )
    add("--keep", action="store_true", help="leave the release and its data in the cluster")
    add("--skip-images", action="store_true", help="use the images that the cluster has")
    add("--warm", action="store_true", help="with warm pools for the classes of the chart")
    add(
        "--gvisor",
        action="store_true",
        help="with gVisor for all classes of the chart; not all scenarios pass in it",
    )
    add(
        "--test",
        metavar="PATTERN",
        help="only these, with any tag: a class or class#method, with * as wildcard",
    )
    add(
        "--upgrade",
        metavar="FROM",
        help="only this: install the commit FROM, upgrade it to this work tree and roll back, under"
        " calls; removes an existing installation first",
    )
    add(
        "--write-durations",
        action="store_true",
        help="write how long each class took on this commit, which shards are balanced by; and end",
    )
    return parser


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.gvisor and (options.all or options.upgrade):
        parser.error("--gvisor is for some scenarios: leave out --all and --upgrade")
    if options.shard or options.resume:
        given = "--shard" if options.shard else "--resume"
        if not options.all:
            parser.error(f"{given} is for --all")
        if options.warm or options.test:
            parser.error(f"{given} is for all of --all: leave out --warm and --test")
    if options.upgrade and (options.all or options.warm or options.test):
        parser.error("--upgrade runs no scenarios: leave out --all, --warm and --test")
    return options


def _scenarios(options: argparse.Namespace, selection: Selection, outcomes: list[Outcome]) -> None:
    """Runs all stages and adds the outcome of each test; raises E2eError if a stage fails."""
    show([REPOSITORY / "dev" / "cluster", "up", *(["--gvisor"] if options.gvisor else [])])
    step("stage 1 of 5: cluster is up")
    if not options.skip_images:
        show([REPOSITORY / "dev" / "images"])
    if selection.results is not None:
        _check_images(selection.results, built=not options.skip_images)
    step("stage 2 of 5: images are loaded")
    if options.upgrade:
        outcomes += upgrade.run_all(upgrade.version(options.upgrade))
        return
    outside = clients.ensure()
    if "full" in selection.tags and stdio_server_image.is_wanted(selection.scenarios):
        stdio_server_image.load(outside)
    installed = installation.install(_values(options))
    step("stage 3 of 5: chart is installed")
    copied = installation.fill_source_volume(outside.data, outside.digest)
    installation.wait_until_served(installed)
    step(f"stage 4 of 5: data {'copied' if copied else 'present'}, {installed.endpoint} serves")
    if selection.scenarios:
        before = warm_pools.counts() if options.warm else {}
        outcomes += scenarios.run(
            installed,
            outside,
            selection.tags,
            selection.scenarios,
            warm=options.warm,
            ended=partial(selection.keep_report, Phase.SCENARIOS),
        )
        if not outcomes:
            raise E2eError("no scenario matched")
        if options.warm:
            outcomes.append(warm_pools.outcome(before))
    if selection.warm:
        if _has_failed(outcomes):
            # The next stage changes the release.
            print(diagnostics.gather())
        outcomes += _in_warm_pods(outside, selection, insist=options.test is None)
    if selection.recipe:
        outcomes.append(packages_image.run())
        selection.keep(RECIPE, outcomes[-1])
    step(f"stage 5 of 5: {len(outcomes)} tests ran")


def _values(options: argparse.Namespace) -> dict[str, str]:
    """Returns the values of the chart that the options ask for."""
    values = warm_pools.values() if options.warm else {}
    return values | (gvisor.values() if options.gvisor else {})


def _check_images(results: Results, *, built: bool) -> None:
    """Keeps which images were built of the commit, or checks that the cluster still has them."""
    try:
        digests = {
            image.repository: containerd.image_digest(
                Paths(DEFAULT_CONTEXT), f"docker.io/{image.repository}:dev"
            )
            for image in IMAGES
            if image.is_delivered
        }
    except ClusterError as failure:
        raise E2eError(str(failure)) from failure
    if built:
        results.keep_images(digests)
    else:
        results.check_images(digests)


def _in_warm_pods(outside: Outside, selection: Selection, *, insist: bool) -> list[Outcome]:
    """Runs the scenarios tagged warm, once the classes of the chart have warm pools."""
    installed = installation.install(warm_pools.values())
    installation.wait_until_served(installed)
    before = warm_pools.counts()
    ended = partial(selection.keep_report, Phase.WARM)
    outcomes = scenarios.run(installed, outside, "warm", selection.warm, warm=True, ended=ended)
    if not outcomes and insist:
        raise E2eError("no scenario is tagged warm")
    hits = warm_pools.outcome(before)
    selection.keep(WARM_POOLS, hits)
    return [*(replace(one, scenario=f"{one.scenario}, warm") for one in outcomes), hits]


def _has_failed(outcomes: Sequence[Outcome]) -> bool:
    return any(not outcome.passed for outcome in outcomes)


def _clean_up() -> None:
    try:
        installation.remove()
        step("release and data removed")
    except E2eError as failure:
        print(f"dev/e2e: cleanup failed: {failure}", file=sys.stderr)


def _write_durations() -> None:
    plan.write_durations(plan.read_durations() | Results.open().seconds())
    step(f"wrote {settings.DURATIONS.relative_to(REPOSITORY)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs all stages; returns the exit status."""
    options = _parse(arguments)
    # As Ctrl-C, so that Maven is ended too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if options.write_durations:
            _write_durations()
            return 0
        selection = choose(options)
    except E2eError as failure:
        print(f"dev/e2e: {failure}", file=sys.stderr)
        return 2
    try:
        if selection.is_empty:
            step("nothing is left to run")
            return 0
        return _run(options, selection)
    finally:
        if selection.results is not None:
            print(results.summary(selection.results, selection.everything))


def _run(options: argparse.Namespace, selection: Selection) -> int:
    """Runs all stages, cleans up and reports; returns the exit status."""
    outcomes: list[Outcome] = []
    for log in (settings.DIAGNOSTICS, settings.MAVEN_LOG):
        log.unlink(missing_ok=True)
    try:
        _scenarios(options, selection, outcomes)
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
