"""Command line of dev/soak."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import secrets
import signal
import sys
import time
import urllib.parse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from cluster import second_node
from cluster.progress import step
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY, Paths
from e2e import installation, settings
from e2e.commands import kubectl, show
from e2e.errors import E2eError
from soak import audit, judge, measure, work
from soak.callers import Caller, Client, Crowd, Made, RefusedError
from soak.counter import CountingServer, offer
from soak.judge import Known
from soak.kills import COMPONENTS, Killer
from soak.repeated import Repeated
from soak.supervisors import StartCounter

_TTL_SECONDS = 60
# The operator sweeps every 15 s; a run whose operator was killed is removed by the next leader.
_REMOVED_WITHIN = 240
_REPORT = settings.WORK / "soak"
# The allowed growth from the first measurement to the last.
_GROWTH = 1.1
# A collection leaves more or less of what is cached; descriptors are connections that come and go.
_SLACK_KIB, _SLACK_DESCRIPTORS = 4 * 1024, 16


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/soak",
        description="Has many callers make good and hostile runs on the development cluster, while"
        " processes and Pods are killed, and checks that nothing is lost, done twice, wrong or"
        " left.",
    )
    add = parser.add_argument
    add("--minutes", type=float, default=2, help="how long callers make runs; 2 by default")
    add(
        "--namespaces",
        type=int,
        choices=range(1, 12),
        default=8,
        metavar="N",
        help="1 to 11; 8 by default",
    )
    add("--callers", type=int, default=40, help="40 by default")
    add("--runs-per-minute", type=float, default=40, help="of all callers; 40 by default")
    add("--kill-every", type=float, default=15, metavar="SECONDS", help="15 by default; 0: never")
    add("--seed", type=int, default=0, help="of runs and kills; random by default")
    add("--skip-images", action="store_true", help="use the images that the cluster has")
    add("--keep", action="store_true", help="leave the release and its data in the cluster")
    return parser


def _callers(count: int, namespaces: Sequence[str]) -> list[Caller]:
    return [
        Caller(f"soak-{number}", namespaces[number % len(namespaces)], secrets.token_hex(32))
        for number in range(count)
    ]


def _values(namespaces: Sequence[str], callers: Sequence[Caller]) -> dict[str, str]:
    values = {"operator.runTtlSeconds": str(_TTL_SECONDS), "frontend.replicas": "2"}
    for number, name in enumerate(namespaces[1:], start=1):
        space = f"runNamespaces[{number}]"
        values |= {
            f"{space}.name": name,
            f"{space}.create": "true",
            f"{space}.snapshotVolume.storageClassName": "local",
            f"{space}.snapshotVolume.accessModes[0]": "ReadWriteOnce",
            f"{space}.snapshotVolume.size": "1Gi",
        }
    for number, caller in enumerate(callers, start=len(settings.CALLERS)):
        key = f"auth.keys[{number}]"
        values |= {
            f"{key}.caller": caller.name,
            f"{key}.namespace": caller.namespace,
            f"{key}.sha256": hashlib.sha256(caller.key.encode()).hexdigest(),
        }
    return values


def _prepare(address: str, callers: Sequence[Caller], url: str) -> None:
    """Loads the dataset of each namespace, and offers the counter in it."""
    first = {caller.namespace: caller for caller in reversed(callers)}
    for namespace, caller in first.items():
        offer(namespace, url)
        body = {"name": work.DATASET, "data": work.TABLE, "format": "csv", "wait": True}
        Client(address, caller).json("POST", "/datasets", body, within=240)


def _add_runs(known: dict[str, Known]) -> None:
    """Adds each run that is there."""
    for item in json.loads(kubectl("get", "analyticsruns", "-A", "-o", "json"))["items"]:
        pod = item.get("status", {}).get("pod") or {}
        known[item["metadata"]["name"]] = Known(item["metadata"]["uid"], pod.get("name", ""))


def _left(namespaces: Sequence[str], store: Path) -> list[str]:
    """What remains although all runs have expired."""
    found = []
    for namespace in namespaces:
        listed = kubectl("-n", namespace, "get", "analyticsruns,pods", "-o", "name").split()
        found += [f"{namespace}/{name}" for name in listed]
    files = measure.stored_files(store)
    return [*found, *([f"{files} files in the output store"] if files else [])]


def _await_nothing_left(namespaces: Sequence[str], store: Path) -> list[str]:
    end = time.monotonic() + _TTL_SECONDS + _REMOVED_WITHIN
    while (left := _left(namespaces, store)) and time.monotonic() < end:
        time.sleep(5)
    return [f"left: {what}" for what in left]


def _usage() -> dict[str, tuple[int, int]]:
    """Live heap in KiB, and descriptors, of each component."""
    return {one: (measure.live_heap_kib(one), measure.descriptors(one)) for one in COMPONENTS}


def _growth(
    before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]
) -> list[str]:
    """What has grown, a line each."""
    found = []
    for one, (heap, files) in after.items():
        heap_before, files_before = before[one]
        if heap > heap_before * _GROWTH + _SLACK_KIB:
            found.append(f"grown: heap of {one}, from {heap_before} to {heap} KiB")
        if files > files_before * _GROWTH + _SLACK_DESCRIPTORS:
            found.append(f"grown: descriptors of {one}, from {files_before} to {files}")
    return found


def _soak(options: argparse.Namespace, namespaces: Sequence[str]) -> list[str]:
    """Runs all of it, and returns what is wrong, a line each."""
    callers = _callers(options.callers, namespaces)
    installed = installation.install(_values(namespaces, callers))
    installation.wait_until_served(installed)
    address = urllib.parse.urlsplit(installed.endpoint).netloc
    counter = CountingServer()
    counter.start()
    _prepare(address, callers, counter.url)
    store = measure.store()
    step(f"{len(callers)} callers in {len(namespaces)} namespaces, seed {options.seed}")
    runs: list[Made] = []
    follower = _Follower()
    seconds = options.minutes * 60
    # In a short test each caller makes a run, too.
    pause = min(2 * 60 * len(callers) / options.runs_per_minute, seconds)
    crowd = Crowd(address, callers, options.seed, pause, runs.append)
    killer = Killer(options.seed, options.kill_every)
    sampler = measure.Sampler(store, _REPORT / "samples.csv")
    starts = StartCounter(namespaces)
    log = audit.AuditLog()
    sampler.start()
    starts.start()
    follower.start()
    crowd.start()
    if options.kill_every:
        killer.start()
    # After the caches are warm.
    time.sleep(min(seconds / 2, 300))
    with killer.paused():
        # A process that was just killed is back when the Deployments are.
        installation.wait_until_rolled_out()
        before = _usage()
    time.sleep(max(seconds / 2, seconds - 300))
    if options.kill_every:
        killer.stop()
    stopping = time.monotonic()
    crowd.stop()
    follower.stop()
    starts.stop()
    step(f"{len(runs)} runs have ended, the last {time.monotonic() - stopping:.0f} s later")
    found = judge.problems(runs, killer.kills, follower.known, counter.counted, starts.started)
    silent = {caller.name for caller in callers} - {run.caller for run in runs}
    if silent:
        found.append(f"no run of {', '.join(sorted(silent))}")
    if options.kill_every and not killer.kills:
        found.append("nothing was killed")
    _report(runs, killer.kills)
    found += _await_nothing_left(namespaces, store)
    found += log.problems()
    after = _usage()
    sampler.stop()
    counter.stop()
    print("\n".join(measure.table(sampler.samples)))
    for one, (heap, files) in after.items():
        heap_before, files_before = before[one]
        print(f"{one:14} heap {heap_before} -> {heap} KiB, descriptors {files_before} -> {files}")
    return [*found, *_growth(before, after)]


class _Follower:
    """Notes the runs that are there from `start` to `stop`: a run is deleted soon."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}
        self._repeated = Repeated(self._look, lambda: _TTL_SECONDS / 4)

    def start(self) -> None:
        self._repeated.start()

    def stop(self) -> None:
        self._repeated.stop()
        _add_runs(self.known)

    def _look(self) -> None:
        with contextlib.suppress(E2eError):
            _add_runs(self.known)


def _report(runs: Sequence[Made], kills: Sequence[judge.Kill]) -> None:
    for kind, endings in sorted(judge.kinds(runs).items()):
        shown = ", ".join(f"{count} {ending}" for ending, count in endings.most_common())
        print(f"{kind:16} {shown}")
    killed = Counter(kill.what for kill in kills)
    print(
        "killed          ", ", ".join(f"{count} {what}" for what, count in killed.items()) or "none"
    )
    with (_REPORT / "runs.jsonl").open("w") as file:
        for run in runs:
            shown_run = asdict(run) | {"job": run.job.kind}
            file.write(json.dumps(shown_run | {"output": str(run.output)[:200]}) + "\n")
    with (_REPORT / "kills.jsonl").open("w") as file:
        file.writelines(json.dumps(asdict(kill)) + "\n" for kill in kills)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    options = _parser().parse_args(arguments)
    options.seed = options.seed or secrets.randbelow(10**6)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    namespaces = [settings.RUN_NAMESPACE]
    namespaces += [f"soak-{number}" for number in range(1, options.namespaces)]
    _REPORT.mkdir(parents=True, exist_ok=True)
    try:
        show([REPOSITORY / "dev" / "cluster", "up"])
        if not options.skip_images:
            show([REPOSITORY / "dev" / "images"])
        if second_node.is_there(Paths(DEFAULT_CONTEXT)):
            raise E2eError("the cluster has a second node; run dev/cluster down first")
        installation.remove()
        found = _soak(options, namespaces)
    except (E2eError, RefusedError, OSError) as failure:
        print(f"dev/soak: {failure}", file=sys.stderr)
        return 1
    finally:
        if not options.keep:
            _clean_up(namespaces)
    for line in found:
        print(line)
    print(
        f"{len(found)} problems; {_REPORT.relative_to(REPOSITORY)} has all runs, kills and samples"
    )
    return 1 if found else 0


def _clean_up(namespaces: Sequence[str]) -> None:
    try:
        installation.remove()
        kubectl("delete", "namespace", *namespaces, "--ignore-not-found", "--timeout=180s")
    except E2eError as failure:
        print(f"dev/soak: cleanup failed: {failure}", file=sys.stderr)
