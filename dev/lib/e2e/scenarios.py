"""Runs the scenarios with Maven and reads their reports."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from cluster.settings import HOST_LINK_IP, OUTSIDE_IP, OUTSIDE_PORT, REPOSITORY
from e2e import settings
from e2e.clients import Outside
from e2e.errors import E2eError
from e2e.installation import Installed

_ENDED = re.compile(r"Tests run: .*-- in dev\.assay\.e2e\.(\w+)$")
_SHOWN = re.compile(r"Running dev\.assay\.e2e|Tests run:|ERROR|FAILURE|BUILD")
_TIMEOUT = "There was a timeout"
_PREFIX = "dev.assay.e2e."


@dataclass(frozen=True)
class Outcome:
    """One executed test."""

    scenario: str
    case: str
    passed: bool
    seconds: float
    message: str = ""


def run(
    installed: Installed,
    outside: Outside,
    tags: str,
    pattern: str,
    *,
    warm: bool,
    ended: Callable[[str, Path], None] = lambda name, report: None,
) -> list[Outcome]:
    """Runs the scenarios that carry `tags` and fit `pattern`; one outcome per test.

    Appends to the log of Maven, and replaces the reports.

    Args:
        installed: what they are run against.
        outside: the clients and files that they use.
        tags: an expression of JUnit.
        pattern: of Surefire.
        warm: whether the classes of the chart have warm pools, which some scenarios insist on.
        ended: called with the name and the report of each class that has ended.
    """
    shutil.rmtree(settings.REPORTS, ignore_errors=True)
    command = [
        "./mvnw",
        "-B",
        "-pl",
        "e2e",
        "-am",
        "integration-test",
        "-Pfull",
        f"-De2e.tags={tags}",
    ]
    command += ["-Dtests.parallel=false", "-Dmaven.test.failure.ignore=true"]
    # On a cluster some run queries for many minutes, and all together take hours.
    command += ["-Dtests.timeout.minutes=45", "-Dtests.process.timeout.seconds=14400"]
    # Other modules have been tested by verify; here they are only compiled.
    command += [f"-Dtest={pattern}", "-Dsurefire.failIfNoSpecifiedTests=false"]
    environment = {
        **settings.environment(),
        "ASSAY_E2E_ENDPOINT": installed.endpoint,
        "ASSAY_E2E_KEY": installed.key,
        "ASSAY_E2E_OTHER_KEY": installed.other_key,
        "ASSAY_E2E_NAMESPACE": settings.RUN_NAMESPACE,
        "ASSAY_E2E_SYSTEM_NAMESPACE": settings.SYSTEM_NAMESPACE,
        "ASSAY_E2E_CLIENTS": str(outside.clients),
        "ASSAY_E2E_DATA": str(outside.data),
        "ASSAY_E2E_AUDIT_LOG": str(settings.AUDIT_LOG),
        "ASSAY_E2E_OUTSIDE": f"{OUTSIDE_IP}:{OUTSIDE_PORT}",
        "ASSAY_E2E_HOST": HOST_LINK_IP,
        "ASSAY_E2E_WARM_POOLS": str(warm).lower(),
    }
    settings.WORK.mkdir(exist_ok=True)
    with settings.MAVEN_LOG.open("a") as log:
        process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        assert process.stdout is not None
        timed_out = False
        try:
            for line in process.stdout:
                log.write(line)
                timed_out = timed_out or _TIMEOUT in line
                if _SHOWN.search(line):
                    print(f"         {line.rstrip()[:200]}", flush=True)
                if name := ended_class(line):
                    ended(name, settings.REPORTS / f"TEST-{_PREFIX}{name}.xml")
        except KeyboardInterrupt:
            # Scenarios that went on would change the release under the next call.
            process.terminate()
            process.wait()
            raise
        exit_code = process.wait()
    outcomes = read(settings.REPORTS.glob("TEST-*.xml"))
    if timed_out:
        # Maven ignores that as it does failures, and the classes that were left have no report.
        raise E2eError(f"the scenarios took longer than their time limit; see {settings.MAVEN_LOG}")
    if exit_code != 0 and all(outcome.passed for outcome in outcomes):
        raise E2eError(f"Maven ended with {exit_code}; see {settings.MAVEN_LOG}")
    return outcomes


def ended_class(line: str) -> str | None:
    """Returns the scenario class that Surefire reports as ended in a line of Maven's output.

    It writes the class's report before that line.
    """
    found = _ENDED.search(line.rstrip())
    return found[1] if found else None


def read(reports: Iterable[Path]) -> list[Outcome]:
    """The outcomes in Surefire's reports."""
    return [
        _outcome(case)
        for report in sorted(reports)
        for case in ET.parse(report).getroot().iter("testcase")
        if case.find("skipped") is None
    ]


def _outcome(case: ET.Element) -> Outcome:
    problems = [child for child in case if child.tag in ("failure", "error")]
    said = problems[0].get("message") or problems[0].text or "" if problems else ""
    name = case.get("classname", "").removeprefix(_PREFIX)
    return Outcome(
        scenario=name,
        case=case.get("name") or "(before any test)",
        passed=not problems,
        seconds=float(case.get("time", "0").replace(",", "")),
        message=said.strip(),
    )
