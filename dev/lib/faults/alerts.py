"""Has each alert of the chart fire for a real fault, and stop when that is over."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import HOST_LINK_IP
from cluster.waiting import wait_for
from e2e import installation, settings
from e2e.errors import E2eError
from faults.causes import CAUSES, Cause, call
from faults.prometheus import Labels, Prometheus, shortened, watching
from faults.site import FaultTestError, Site

RULES = settings.CHART / "files" / "alerts.yaml"
REPORT = settings.WORK / "faults-alerts.md"
_VALUES = {
    # Prometheus scrapes from there.
    "operator.metricsFrom[0].ipBlock.cidr": f"{HOST_LINK_IP}/32",
    "frontend.metricsFrom[0].ipBlock.cidr": f"{HOST_LINK_IP}/32",
    "toolGateway.metricsFrom[0].ipBlock.cidr": f"{HOST_LINK_IP}/32",
    # So low that exceeding it takes little of two cores.
    "frontend.limits.maxRequestsPerSecondPerCaller": "20",
}
# The longest window of a rule, and the longest time that one has to be true, are 40 s each.
_QUIET_SECONDS = 90
# A run has to wait for 120 s, a threshold that is not shortened.
_WITHIN_SECONDS = 240
_SETTLES_WITHIN = 300


@dataclass(frozen=True)
class Row:
    """What became of an alert.

    Attributes:
        fired: so many seconds after the fault began; None if it did not.
        resolved: so many seconds after the fault was being removed; None if it was not.
        others: alerts that fired meanwhile and are not those of the fault.
        problems: what must not be, a line each.
    """

    alert: str
    fault: str
    fired: float | None = None
    resolved: float | None = None
    others: Sequence[str] = ()
    problems: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        """The row of a table."""
        times = ("" if one is None else f"{one:.0f} s" for one in (self.fired, self.resolved))
        others, problems = ", ".join(self.others), "; ".join(self.problems) or "none"
        cells = (self.alert, self.fault, *times, others, problems)
        return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


_HEAD = """\
| alert | fault | fired after | resolved after | others that fired | problems |
|---|---|---|---|---|---|
"""


def table(rows: Sequence[Row]) -> str:
    """The rows as a table."""
    return _HEAD + "".join(f"{row.markdown()}\n" for row in rows)


def fires(alert: Labels, firing: Sequence[Labels]) -> bool:
    """Whether an alert is among those that fire, with its labels and no others."""
    return alert in firing


def is_resolved(alert: Labels, firing: Sequence[Labels]) -> bool:
    """Whether none of its name fires, whatever the labels."""
    return all(one["alertname"] != alert["alertname"] for one in firing)


def problem(
    alert: Labels, fired: float | None, resolved: float | None, firing: Sequence[Labels]
) -> str:
    """What is wrong with when an alert fired and was resolved; empty if nothing.

    Args:
        firing: those that fired when this one was no longer waited for.
    """
    if fired is None:
        others = [dict(one) for one in firing if one["alertname"] == alert["alertname"]]
        return f"fired with {others}, not {dict(alert)}" if others else "did not fire"
    return "was not resolved" if resolved is None else ""


def has(cause: Cause, texts: Sequence[str]) -> bool:
    """Whether the name of a fault, or of one of its alerts, has one of these texts in it."""
    names = (cause.name, *(alert["alertname"] for alert in cause.alerts))
    return any(text in name for text in texts for name in names)


def run_all(only: Sequence[str]) -> list[Row]:
    """Install Assay, inject the faults with one of these texts in a name, and print the table.

    Raises:
        FaultTestError: if Prometheus cannot scrape Assay, or an alert fires from the beginning.
    """
    if not (chosen := [cause for cause in CAUSES if has(cause, only)]):
        return []
    installed = installation.install(_VALUES)
    installation.wait_until_served(installed)
    site = Site(installed)
    with watching(site.paths, shortened(RULES.read_text())) as prometheus:
        _settle(prometheus)
        rows = [_without_fault(site, prometheus)]
        for cause in chosen:
            rows += _try(site, prometheus, cause)
            REPORT.write_text(table(rows))
    print(table(rows))
    return rows


def _settle(prometheus: Prometheus) -> None:
    try:
        wait_for("the usual", lambda: not prometheus.unsettled(), seconds=_SETTLES_WITHIN)
    except ClusterError as late:
        raise FaultTestError(f"without a fault: {', '.join(prometheus.unsettled())}") from late


def _without_fault(site: Site, prometheus: Prometheus) -> Row:
    found: list[str] = []
    firing: set[str] = set()
    calls = 0
    end = time.monotonic() + _QUIET_SECONDS
    while time.monotonic() < end:
        try:
            result = call(site)
            firing |= {one["alertname"] for one in prometheus.firing()}
        except Exception as failure:
            # Whatever it is, the faults are tried.
            found.append(f"{type(failure).__name__}: {failure}")
            break
        calls += 1
        if result.is_error:
            found.append(f"a call failed: {result.text[:200]}")
    found += [f"{name} fired" for name in sorted(firing)]
    step(f"no fault, {calls} calls: {'; '.join(found) or 'no alert'}")
    return Row("", f"none, {calls} calls", problems=found)


def _try(site: Site, prometheus: Prometheus, cause: Cause) -> list[Row]:
    watch = _Watch(prometheus, cause.alerts)
    fired: dict[str, float] = {}
    resolved: dict[str, float] = {}
    firing: Sequence[Labels] = ()
    failures: list[str] = []
    try:
        _settle(prometheus)
        with cause.inject(site):
            fired = watch.wait(fires, time.monotonic())
            firing = watch.firing
            over = time.monotonic()
        resolved = watch.wait(is_resolved, over)
    except Exception as failure:
        # Whatever it is, the next fault is tried, too.
        failures.append(f"{type(failure).__name__}: {failure}")
    try:
        installation.wait_until_rolled_out()
    except E2eError as failure:
        failures.append(f"afterwards: {failure}")
    names = [alert["alertname"] for alert in cause.alerts]
    others = sorted(watch.seen.difference(names))
    rows = []
    for alert, name in zip(cause.alerts, names, strict=True):
        times = (fired.get(name), resolved.get(name))
        wrong = problem(alert, *times, firing)
        found = failures + [wrong] * bool(wrong)
        rows.append(Row(name, cause.name, *times, others, found))
        step(f"{cause.name}: {name}: {'; '.join(found) or 'as it should'}")
    return rows


class _Watch:
    """Looks at alerts while a fault lasts, and after it.

    Attributes:
        firing: those that fired at the last look.
        seen: the names of all that ever fired.
    """

    def __init__(self, prometheus: Prometheus, alerts: Sequence[Labels]) -> None:
        self._prometheus = prometheus
        self._alerts = alerts
        self.firing: Sequence[Labels] = ()
        self.seen: set[str] = set()

    def wait(
        self, is_as_wanted: Callable[[Labels, Sequence[Labels]], bool], since: float
    ) -> dict[str, float]:
        """Wait until each alert was as wanted once, and return when, by name, in seconds.

        Those that never were are missing.
        """
        times: dict[str, float] = {}

        def look() -> bool:
            self.firing = self._prometheus.firing()
            self.seen.update(one["alertname"] for one in self.firing)
            for alert in self._alerts:
                if is_as_wanted(alert, self.firing):
                    times.setdefault(alert["alertname"], time.monotonic() - since)
            return len(times) == len(self._alerts)

        with contextlib.suppress(ClusterError):
            wait_for("alerts", look, seconds=_WITHIN_SECONDS)
        return times
