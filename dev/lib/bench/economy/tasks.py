"""The tasks, as bench/economy/tasks.yaml has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.economy import yaml_file
from bench.economy.answers import Answer, answer
from bench.economy.tables import NAMES
from bench.economy.yaml_file import FileError
from cluster.settings import REPOSITORY

FOLDER = REPOSITORY / "bench" / "economy"
FILE = FOLDER / "tasks.yaml"
FAMILIES = (
    *("orient", "aggregate", "top-n", "join", "time", "quality", "repair", "large", "model"),
    "files",
)
# Each task has a text in these; that of `library` is the same as in `python` where it is missing.
_OF_ALL_TASKS = ("sql", "python", "library")
# Some tasks have texts that call tools of other servers, too: a script, or Python.
LANGUAGES = (*_OF_ALL_TASKS, "javascript", "tools")

_TASK_FIELDS = (
    *("number", "name", "family", "tool", "prompt", "tables", "tolerance", "picture", "attempts"),
)
_REQUIRED = ("number", "name", "family", "tool", "prompt", "tables", "attempts")
_ALL_TABLES = "*"


@dataclass(frozen=True)
class Attempt:
    """What is tried once.

    Attributes:
        tables: by the names that the text has for them, which need not exist.
        texts: by language.
    """

    tables: Sequence[str]
    texts: Mapping[str, str]

    def text(self, language: str) -> str:
        """In a language; that of `library` is Python where there is no other."""
        return self.texts.get(language) or self.texts["python"]


@dataclass(frozen=True)
class Task:
    """What a user asks for."""

    number: int
    name: str
    family: str
    prompt: str
    attempts: Sequence[Attempt]
    answer: Answer
    needs_picture: bool

    @property
    def tables(self) -> Sequence[str]:
        """Those that exist, of the last attempt."""
        return self.attempts[-1].tables

    def has(self, language: str) -> bool:
        """Whether it can be played in a language."""
        return language in _OF_ALL_TASKS or all(language in one.texts for one in self.attempts)


def load(
    expected: Mapping[str, Any], file: Path = FILE, names: Sequence[str] = NAMES
) -> list[Task]:
    """All tasks, with their answers; FileError where the files do not fit.

    Args:
        expected: rows by the name of the task.
        names: the tables that there are.
    """
    found = [_task(one, expected, names) for one in yaml_file.read(file)]
    names = [task.name for task in found]
    if len(set(names)) < len(names) or [t.number for t in found] != list(range(1, len(names) + 1)):
        raise FileError(f"{file.name}: names have to differ, and numbers to count from 1")
    return found


def _task(value: object, expected: Mapping[str, Any], names: Sequence[str]) -> Task:
    task = yaml_file.fields("a task", value, _TASK_FIELDS, _REQUIRED)
    name = task["name"]
    where = f"task {name}"
    if task["family"] not in FAMILIES:
        raise FileError(f"{where}: family has to be one of {', '.join(FAMILIES)}")
    if name not in expected:
        raise FileError(f"{where}: expected.json has no answer; bench.economy.expected writes it")
    attempts = [_attempt(where, one, task["tables"], names) for one in task["attempts"]]
    if not attempts:
        raise FileError(f"{where}: attempts is empty")
    unknown = set(attempts[-1].tables) - set(names)
    if unknown:
        raise FileError(f"{where}: there is no table {min(unknown)}")
    return Task(
        task["number"],
        name,
        task["family"],
        task["prompt"].strip(),
        attempts,
        answer(expected[name], task.get("tolerance")),
        bool(task.get("picture", False)),
    )


def _attempt(where: str, value: object, usual: object, names: Sequence[str]) -> Attempt:
    attempt = yaml_file.fields(
        f"{where}: an attempt", value, ("tables", *LANGUAGES), ("sql", "python")
    )
    given = attempt.get("tables", usual)
    if given == _ALL_TABLES:
        given = names
    texts = {language: attempt[language].strip() for language in LANGUAGES if language in attempt}
    return Attempt(tuple(given), texts)
