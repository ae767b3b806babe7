"""What has passed and failed of one commit, kept between the parts of a full run."""

from __future__ import annotations

import json
import os
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from cluster.progress import step
from cluster.settings import REPOSITORY
from e2e import settings
from e2e.errors import E2eError
from e2e.plan import Phase, Unit
from e2e.scenarios import Outcome, read

_IMAGES = "images.json"
_SUFFIX = ".xml"


class Results:
    """The results of one commit, a report of Surefire's form for each unit.

    A file is replaced as a whole, so that one that is there is complete whenever this process ends.
    Nothing is counted once the work tree is no longer that commit.
    """

    def __init__(self, commit: str, root: Path, work_tree: Path) -> None:
        self.commit = commit
        self._home = root / commit
        self._work_tree = work_tree
        self._counts = True

    @classmethod
    def open(cls, root: Path = settings.RESULTS, work_tree: Path = REPOSITORY) -> Results:
        """Returns the results of the commit in the work tree; E2eError if files differ from it."""
        changed = _git(work_tree, "status", "--porcelain")
        if changed:
            first = changed.splitlines()[0].strip()
            raise E2eError(f"results are kept by commit: commit or stash the changes ({first})")
        return cls(_git(work_tree, "rev-parse", "HEAD"), root, work_tree)

    @property
    def short(self) -> str:
        """How messages name the commit."""
        return self.commit[:12]

    def check(self) -> bool:
        """Returns whether what runs is still this commit, and reports it once if it is not."""
        if self._counts and not self._is_checked_out():
            self._counts = False
            step(f"the work tree is no longer commit {self.short}: nothing is counted from here on")
        return self._counts

    def _is_checked_out(self) -> bool:
        try:
            changed = _git(self._work_tree, "status", "--porcelain")
            return not changed and _git(self._work_tree, "rev-parse", "HEAD") == self.commit
        except E2eError:
            return False

    def keep_report(self, unit: Unit, report: Path) -> None:
        """Keeps the report of a class that has ended."""
        if self.check():
            self._replace(self._file(unit), report.read_bytes())

    def keep(self, unit: Unit, outcome: Outcome) -> None:
        """Keeps the outcome of what is no class."""
        suite = ET.Element("testsuite", time=f"{outcome.seconds:.3f}")
        case = ET.SubElement(
            suite,
            "testcase",
            classname=outcome.scenario,
            name=outcome.case,
            time=f"{outcome.seconds:.3f}",
        )
        if not outcome.passed:
            ET.SubElement(case, "failure", message=outcome.message)
        if self.check():
            self._replace(self._file(unit), ET.tostring(suite))

    def forget(self, units: Iterable[Unit]) -> None:
        """Removes the results of what is about to run again."""
        for unit in units:
            self._file(unit).unlink(missing_ok=True)

    def outcomes(self) -> dict[Unit, list[Outcome]]:
        """Returns the outcomes of each unit that has run."""
        return {
            Unit(phase, file.stem): read([file])
            for phase in Phase
            for file in sorted((self._home / phase).glob(f"*{_SUFFIX}"))
        }

    def passed(self) -> set[Unit]:
        """Returns the units of which nothing failed."""
        return {
            unit
            for unit, outcomes in self.outcomes().items()
            if all(outcome.passed for outcome in outcomes)
        }

    def seconds(self) -> dict[Unit, float]:
        """Returns how long each unit took."""
        return {
            unit: float(ET.parse(self._file(unit)).getroot().get("time", "0").replace(",", ""))
            for unit in self.outcomes()
        }

    def keep_images(self, digests: Mapping[str, str]) -> None:
        """Keeps which images were built of this commit."""
        if self.check():
            self._replace(self._home / _IMAGES, json.dumps(digests, indent=2).encode())

    def check_images(self, digests: Mapping[str, str]) -> None:
        """Raises E2eError unless these are the images that were built of this commit last."""
        file = self._home / _IMAGES
        built: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
        other = [name for name, digest in digests.items() if built.get(name) != digest]
        if other:
            raise E2eError(
                f"the cluster's images are not known to be of commit {self.short}"
                f" ({', '.join(other)}): leave out --skip-images"
            )

    def _file(self, unit: Unit) -> Path:
        return self._home / unit.phase / f"{unit.name}{_SUFFIX}"

    def _replace(self, file: Path, content: bytes) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".unfinished")
        unfinished.write_bytes(content)
        os.replace(unfinished, file)


def summary(results: Results, everything: Sequence[Unit]) -> str:
    """Returns what is known of the commit: what passed, what failed, and what is missing."""
    passed, known = results.passed(), results.outcomes()
    failed = [unit for unit in everything if unit in known and unit not in passed]
    missing = [unit for unit in everything if unit not in known]
    if not failed and not missing:
        return f"commit {results.short}: all {len(everything)} passed"
    count = len(everything) - len(failed) - len(missing)
    return "\n".join(
        [
            f"commit {results.short}: {count} of {len(everything)} passed,"
            f" {len(failed)} failed, {len(missing)} missing",
            *(f"  failed: {unit}" for unit in failed),
            *(f"  missing: {unit}" for unit in missing),
        ]
    )


def _git(work_tree: Path, *arguments: str) -> str:
    command = ["git", "-C", str(work_tree), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise E2eError(f"results are kept by commit, and git failed: {done.stderr.strip()}")
    return done.stdout.strip()
