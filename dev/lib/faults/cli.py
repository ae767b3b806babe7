"""Command line of dev/faults."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from cluster import second_node
from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY, Paths
from cluster.waiting import wait_for
from e2e import installation, settings
from e2e.commands import show
from e2e.errors import E2eError
from faults import alerts
from faults.site import FaultTestError, Site
from faults.table import COUNTED, FAULTS, LINES, Fault
from soak.callers import RefusedError
from soak.counter import CountingServer, offer

_CODE = f"import time\nfor n in range({LINES}):\n    print(n, time.time())\n    time.sleep(0.1)"
# So many lines are acknowledged before the fault.
_BEFORE = 20
# In seconds, while half of the lines are printed.
_BEGUN_WITHIN = 15
_REPORT = settings.WORK / "faults.md"


@dataclass(frozen=True)
class Row:
    """What became of the run that a fault met.

    Attributes:
        problems: what must not be, a line each.
    """

    fault: str
    ending: str = ""
    payload_started: str = ""
    seconds: float = 0
    lines: str = ""
    message: str = ""
    problems: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        """The row of a table."""
        problems = "; ".join(self.problems) or "none"
        cells = (
            *(self.fault, self.ending, self.payload_started, f"{self.seconds:.0f} s"),
            *(self.lines, self.message, problems),
        )
        return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


_HEAD = """\
| fault | ending | payloadStarted | ended after | lines before, kept | message | problems |
|---|---|---|---|---|---|---|
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/faults",
        description="Has a run meet each fault on the development cluster while it prints, and"
        " checks that it ends as it may, and that nothing acknowledged is lost and nothing left.",
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="TEXT",
        help="faults with this in their name, or that of their alert; may be repeated",
    )
    parser.add_argument(
        "--alerts",
        action="store_true",
        help="instead, have each alert of the chart fire for a fault, and stop when that is over",
    )
    parser.add_argument("--skip-images", action="store_true", help="use the cluster's images")
    parser.add_argument("--keep", action="store_true", help="leave the release in the cluster")
    return parser


def _try(site: Site, counter: CountingServer, fault: Fault) -> Row:
    row = Row(fault.name)
    try:
        with fault.prepared(site):
            row = _meet(site, counter, fault)
    except Exception as failure:
        # Whatever it is, the next fault is tried, too.
        row.problems.append(f"{type(failure).__name__}: {failure}")
    try:
        installation.wait_until_rolled_out()
    except E2eError as failure:
        row.problems.append(f"afterwards: {failure}")
    return row


def _meet(site: Site, counter: CountingServer, fault: Fault) -> Row:
    neighbour = site.start(code=_CODE, **fault.neighbour_fields, timeoutSeconds=120)
    run = site.start(**{"code": _CODE, **fault.run_fields}, timeoutSeconds=120)
    for one in (neighbour, run):
        wait_for("the first lines", partial(_has_begun, site, one), seconds=120)
    before = site.output(run)
    if _lines(site.output(neighbour)) > LINES / 2:
        raise FaultTestError("the neighbour began too early")
    began = time.monotonic()
    problems: list[str] = []
    with fault.inject(site, run):
        if time.monotonic() - began > _BEGUN_WITHIN:
            problems.append("the runs may have ended before the fault began")
        time.sleep(fault.seconds)
    document = site.ended(run)
    seconds = time.monotonic() - began
    after = site.output(run)
    ending = (document["phase"], document["reason"])
    if ending not in fault.endings:
        problems.append(f"ended as {ending}")
    if seconds > fault.within:
        problems.append(f"ended after {seconds:.0f} s, not within {fault.within:.0f} s")
    if not after.startswith(before):
        problems.append("output that was acknowledged is lost")
    if document["phase"] == "Succeeded" and _lines(after) != LINES:
        problems.append(f"{_lines(after)} lines of {LINES}")
    if document.get("payloadStarted") != "Yes":
        problems.append("payloadStarted is not Yes")
    problems += call_problems(counter.counted, before, after)
    problems += _neighbour(site, neighbour) + _afterwards(site)
    return Row(
        fault.name,
        "/".join(ending),
        document.get("payloadStarted", ""),
        seconds,
        f"{_lines(before)}, {_lines(after)}",
        document.get("message") or "",
        problems,
    )


def _has_begun(site: Site, run: str) -> bool:
    return _lines(site.output(run)) >= _BEFORE


def call_problems(counted: Counter[str], before: str, after: str) -> list[str]:
    """Calls that the tool server has seen twice, or not although they succeeded.

    Args:
        counted: how often it has seen each token.
        before: the output before the fault.
        after: all of it.
    """
    succeeded = [line.split()[0] for line in after.splitlines() if line.endswith(COUNTED)]
    found = [
        f"call {token} succeeded, and was not seen" for token in succeeded if not counted[token]
    ]
    found += [f"call {token}: {times} times" for token, times in counted.items() if times > 1]
    if COUNTED in before and not after.endswith(f"{COUNTED}\n"):
        found.append("calls do not succeed again")
    return found


def _neighbour(site: Site, run: str) -> list[str]:
    """Another run must not notice."""
    document = site.ended(run)
    output = site.output(run)
    if document["phase"] != "Succeeded" or _lines(output) != LINES:
        return [f"the neighbour ended as {document['phase']} with {_lines(output)} lines"]
    times = [float(line.split()[1]) for line in output.splitlines()]
    pause = max(later - earlier for earlier, later in itertools.pairwise(times))
    return [f"the neighbour paused for {pause:.1f} s"] if pause > 5 else []


def _afterwards(site: Site) -> list[str]:
    """A further run succeeds, and no Pod of a run is left."""
    again = site.start(code="print('ok')", timeoutSeconds=60)
    found = []
    document = site.ended(again)
    if site.output(again) != "ok\n":
        found.append(f"the next run ended as {document['phase']} {document['reason']}")
    with contextlib.suppress(ClusterError):
        wait_for("the end of all Pods", lambda: not site.pods(), seconds=90)
    return found + [f"left: {name}" for name in site.pods()]


def _lines(output: str) -> int:
    return output.count("\n")


def _run_all(only: Sequence[str]) -> list[Row]:
    chosen = [fault for fault in FAULTS if any(text in fault.name for text in only)]
    values = {
        "frontend.replicas": "2",
        "toolGateway.replicas": "2",
        # Of two nodes, each mounts it.
        "runNamespaces[0].snapshotVolume.accessModes[0]": "ReadWriteMany",
    }
    installed = installation.install(values)
    installation.wait_until_served(installed)
    counter = CountingServer()
    counter.start()
    offer(settings.RUN_NAMESPACE, counter.url)
    site = Site(installed)
    rows = []
    for fault in chosen:
        row = _try(site, counter, fault)
        rows.append(row)
        step(f"{fault.name}: {row.ending} {'; '.join(row.problems) or 'as it should'}")
        _REPORT.write_text(_HEAD + "".join(f"{row.markdown()}\n" for row in rows))
    counter.stop()
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        show([REPOSITORY / "dev" / "cluster", "up"])
        if not options.skip_images:
            show([REPOSITORY / "dev" / "images"])
        if second_node.is_there(Paths(DEFAULT_CONTEXT)):
            raise FaultTestError(
                "the cluster has a second node already; run dev/cluster down first"
            )
        installation.remove()
        only = options.only or [""]
        rows = alerts.run_all(only) if options.alerts else _run_all(only)
    except (ClusterError, E2eError, RefusedError, FaultTestError, OSError) as failure:
        print(f"dev/faults: {failure}", file=sys.stderr)
        return 1
    finally:
        if not options.keep:
            with contextlib.suppress(E2eError):
                installation.remove()
    problems = sum(len(row.problems) for row in rows)
    report = (alerts.REPORT if options.alerts else _REPORT).relative_to(REPOSITORY)
    print(f"{len(rows)} rows, {problems} problems; {report} is the table")
    return 1 if problems or not rows else 0
