"""Measures phases one after the other, and keeps what each of them has measured."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bench.report.files import draw, write
from bench.report.result import Result, table, violations

Phase = Callable[[], Iterator[Result]]
"""Yields its result before it removes what it has made; a long one also what it has until then."""


class Session:
    """The phases of one command.

    Attributes:
        results: of the phases that have one.
        wrong: a line for each figure that is outside of its range, and for each failure.

    Args:
        folder: of PHASE.json and PHASE.svg.
        ranges: the folder of the ranges.
        conditions: of all phases.
    """

    def __init__(
        self, folder: Path, ranges: Path, conditions: Mapping[str, str] | None = None
    ) -> None:
        self._folder = folder
        self._ranges = ranges
        self._conditions = conditions or {}
        self.results: list[Result] = []
        self.wrong: list[str] = []

    def measure(self, name: str, phase: Phase, reset: Callable[[], None]) -> None:
        """Measure a phase; its result is in a file as soon as it is known.

        A failure is noted, so that the phases after it are measured all the same.

        Args:
            name: of the phase.
            phase: measures.
            reset: removes what a phase may leave to the next one, also after a failure.
        """
        result: Result | None = None
        with self._noted(name):
            for result in phase():
                write(self._complete(result), self._folder)
        if result is not None:
            self._report(self._complete(result))
        with self._noted(f"{name}: the cleanup"):
            reset()

    def print_wrong(self) -> None:
        """Print what is wrong."""
        for line in self.wrong:
            print(f"dev/bench: {line}", file=sys.stderr)

    def _complete(self, result: Result) -> Result:
        return replace(result, conditions={**self._conditions, **result.conditions})

    def _report(self, result: Result) -> None:
        print(table(result), flush=True)
        self.results.append(result)
        self.wrong += violations(result, self._ranges)
        with self._noted(f"{result.phase}: the picture"):
            draw(result, self._folder)

    @contextmanager
    def _noted(self, what: str) -> Iterator[None]:
        try:
            yield
        except (Exception, SystemExit):
            traceback.print_exc()
            self.wrong.append(f"{what} failed with the exception above")
