"""The sets of tasks: questions of an analyst, and files that fill a context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.economy import expected, slices, systems, tables, tasks
from bench.economy.systems import Setting, System
from bench.economy.tasks import Task

# All systems that are no peers.
OURS = "assay"


@dataclass(frozen=True)
class TaskSet:
    """Tasks that are played with the same tables.

    Attributes:
        phase: name of its result, and of its range.
        tasks: the file of the tasks.
        expected: the file of their answers.
        tables: the names of the tables that they read.
        systems: which may play them.
        references: names of those that are played whenever one of Assay is, since its figures are
            divided by theirs, and that need no more than it does.
        never_present: why each of other systems is not among them.
        servers: those whose tools code in local mode can call, by name, as commands.
    """

    phase: str
    tasks: Path
    expected: Path
    tables: Sequence[str]
    systems: Sequence[System]
    references: Sequence[str]
    never_present: Mapping[str, str]
    servers: Callable[[Setting], Mapping[str, Sequence[str]]]

    def load(self) -> list[Task]:
        """All tasks, with their answers."""
        return tasks.load(expected.stored(self.expected), self.tasks, self.tables)

    def chosen(self, only: Sequence[str] | None, *, is_local: bool) -> list[System]:
        """Those that are played, in their order.

        Args:
            only: names of systems, or `assay` for all that are no peers; None for all.
            is_local: whether Assay is started here, so that its code has tools to call.
        """
        named = {
            system.name
            for system in self.systems
            if only is None or system.name in only or (OURS in only and not system.is_peer)
        }
        if any(system.name in named and not system.is_peer for system in self.systems):
            named.update(self.references)
        return [
            system
            for system in self.systems
            if system.name in named and (is_local or not system.needs_tools)
        ]


SETS: Mapping[str, TaskSet] = {
    "questions": TaskSet(
        "economy",
        tasks.FILE,
        expected.FILE,
        tables.NAMES,
        systems.OF_QUESTIONS,
        (),
        systems.NEVER_PRESENT,
        systems.two_databases,
    ),
    "files": TaskSet(
        "economy-files",
        tasks.FOLDER / "files.yaml",
        expected.FILE_OF_FILES,
        slices.NAMES,
        systems.OF_FILES,
        ("load-everything", "filesystem"),
        {},
        systems.file_server,
    ),
}
