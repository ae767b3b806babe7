"""Plays tasks: makes the calls of a policy, and holds them to what its agent can know."""

from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.economy.connection import Connection, Listing, PeerError, Reply
from bench.economy.knowledge import Known, is_sql_word
from bench.economy.policies import PLACEHOLDER, Policy, Step
from bench.economy.tables import Tables
from bench.economy.tasks import Attempt, Task
from bench.economy.transcript import Transcript, Turn

MAX_TURNS = 8

# Placeholders that name tables or their files, which an agent has to have read.
_OF_TABLES = {"table", "tables", "others", "names", "words", "load"}
_OF_FILES = {"file", "load"}
_OF_TEXTS = {"text", "quoted"}
# In a text, what stands before the name of a file that is written.
_PATH = "{path}"


class TaskError(Exception):
    """A task cannot be solved in this way; the message says why."""


@dataclass(frozen=True)
class Player:
    """Plays with one system."""

    policy: Policy
    connection: Connection
    listing: Listing
    tables: Tables

    def play_all(self, tasks: Sequence[Task]) -> tuple[list[Transcript], str | None]:
        """The transcripts, and why the system was not asked further; None if it was."""
        transcripts = []
        for task in tasks:
            transcript = Transcript(self.policy.system, task.name, task.prompt)
            transcripts.append(transcript)
            try:
                self._play(task, transcript)
            except PeerError as error:
                transcript.failure = f"the system {error}"
                return transcripts, f"task {task.name}: it {error}"
        return transcripts, None

    def _play(self, task: Task, transcript: Transcript) -> None:
        self.connection.begin()
        transcript.is_solved = False if self.policy.is_judged else None
        try:
            _Game(self, task, transcript).play()
        except TaskError as failure:
            transcript.failure = str(failure)
        else:
            transcript.is_solved = True if self.policy.is_judged else None


@dataclass
class _Game:
    """One task.

    Attributes:
        values: what earlier replies gave for placeholders.
        loaded: the tables that the interpreter of a system has.
    """

    player: Player
    task: Task
    transcript: Transcript
    values: dict[str, Any] = field(default_factory=dict)
    loaded: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        listing = self.player.listing
        tools = json.dumps(listing.tools, ensure_ascii=False)
        self.known = Known(self.task.prompt, listing.instructions, tools)
        self.finding: Iterator[Step] = iter(self.policy.find_tables)

    @property
    def policy(self) -> Policy:
        return self.player.policy

    def play(self) -> None:
        """Until the last reply has the answer; TaskError if it never has."""
        for attempt in self.task.attempts:
            self._attempt(attempt)
            if self._lacks() is None:
                return
        self._read()

    def _attempt(self, attempt: Attempt) -> None:
        steps = self.policy.of_tasks.get(self.task.name, self.policy.ask)
        self._learn(attempt, steps)
        for step in steps:
            self._make(step, attempt)
            if self._last().is_error:
                return

    def _learn(self, attempt: Attempt, steps: Sequence[Step]) -> None:
        """Find out what the calls of an attempt take for granted."""
        describing = iter(self.policy.describe)
        while missing := self._unknown(attempt, steps):
            # What describes a table also shows its file.
            step = None if self._unknown_tables(attempt, steps) else next(describing, None)
            step = step or next(self.finding, None)
            if step is None:
                raise TaskError(f"a call uses what nobody said: {', '.join(missing)}")
            self._make(step, attempt)

    def _unknown(self, attempt: Attempt, steps: Sequence[Step]) -> list[str]:
        """The names and values of an attempt that were not read."""
        found = self._unknown_tables(attempt, steps)
        used = _placeholders(steps)
        if used & _OF_FILES:
            # A file that does not exist is the user's mistake, and no secret.
            existing = [name for name in attempt.tables if self.player.tables.has(name)]
            found += self.known.unknown_names(map(self.player.tables.file, existing))
        if used & _OF_TEXTS:
            if self.policy.path and _PATH in attempt.text(self.policy.language):
                found += self.known.unknown_names([self.policy.path])
            found += self._unknown_in(self._text(attempt, ""))
        return sorted(set(found))

    def _unknown_in(self, text: str) -> list[str]:
        match self.policy.language:
            case "sql":
                return self.known.unknown_in_sql(text)
            case "javascript":
                return self.known.unknown_in_javascript(text)
            case _:
                return self.known.unknown_in_python(text)

    def _unknown_tables(self, attempt: Attempt, steps: Sequence[Step]) -> list[str]:
        is_used = bool(_placeholders(steps) & _OF_TABLES)
        return self.known.unknown_names(attempt.tables) if is_used else []

    def _read(self) -> None:
        """Ask for more of a reply that lacks the answer, as long as it says that there is more."""
        for step in self.policy.read:
            while self._lacks() is not None and (found := self._matched(step)):
                self.values.update(
                    {
                        name: int(value) if value.isdigit() else value
                        for name, value in found.groupdict().items()
                    }
                )
                self._make(step, self.task.attempts[-1])
        missing = self._lacks()
        if missing is not None:
            raise TaskError(missing)

    def _matched(self, step: Step) -> re.Match[str] | None:
        return step.when.search(self._last().text) if step.when else None

    def _lacks(self) -> str | None:
        """What the last reply lacks of the answer; None if it is complete."""
        reply = self._last()
        if reply.is_error:
            return f"the last reply is an error: {reply.text[:300]}"
        if not self.policy.is_judged:
            return None
        if self.task.needs_picture and not reply.pictures:
            return "the last reply has no picture"
        row = self.task.answer.missing(reply.text)
        return None if row is None else f"the last reply lacks {list(row)}"

    def _last(self) -> Reply:
        return self.transcript.turns[-1].reply

    def _make(self, step: Step, attempt: Attempt) -> None:
        """The call of a step; one for each table where the step says so."""
        parts = [attempt]
        if step.each_table:
            parts = [Attempt((name,), attempt.texts) for name in attempt.tables]
        for part in parts:
            self._call(step, part)

    def _call(self, step: Step, attempt: Attempt) -> None:
        """TaskError if it is a call too many, or not as the listing has it."""
        if len(self.transcript.turns) == MAX_TURNS:
            raise TaskError(f"it takes more than {MAX_TURNS} turns")
        try:
            arguments = step.filled({**self._values_of(attempt), **self.values})
        except KeyError as missing:
            raise TaskError(f"{step.call} needs {missing}, which no reply had") from missing
        self._check(step, arguments)
        began = time.monotonic()
        reply = self.player.connection.call(step.call, arguments)
        turn = Turn(step.call, arguments, reply, time.monotonic() - began)
        self.transcript.turns.append(turn)
        self.known.add(reply.text)
        if "load" in step.placeholders and not reply.is_error:
            self.loaded.update(attempt.tables)
        for name, pattern in step.take.items():
            if found := pattern.search(reply.text):
                self.values[name] = found[1]

    def _check(self, step: Step, arguments: Mapping[str, Any]) -> None:
        """A tool and its arguments are listed; what is written for one task alone was read."""
        schema = self.player.listing.schema(step.call)
        if schema is None:
            raise TaskError(f"no tool {step.call} is listed")
        unlisted = sorted(set(arguments) - set(schema.get("properties", {})))
        if unlisted:
            raise TaskError(f"{step.call} has no argument {unlisted[0]}")
        if step in self.policy.of_tasks.get(self.task.name, ()):
            missing = [word for word in self._said(step) if not self._is_own(word)]
            if missing:
                raise TaskError(f"{step.call} uses what nobody said: {', '.join(missing)}")

    def _said(self, step: Step) -> list[str]:
        """The words and numbers of a step that were not read."""
        return [word for text in _literals(step.arguments) for word in self.known.unknown_in(text)]

    def _is_own(self, word: str) -> bool:
        """Whether a word belongs to the language, or to the calls for all tasks."""
        if self.policy.language == "sql" and is_sql_word(word):
            return True
        usual = [text for step in self.policy.ask for text in _literals(step.arguments)]
        return not Known(*usual).unknown_in(word)

    def _values_of(self, attempt: Attempt) -> dict[str, Any]:
        """What placeholders stand for; None leaves an argument out."""
        text = self._text(attempt, self.policy.path)
        names = list(attempt.tables)
        return {
            "text": text,
            "quoted": shlex.quote(text),
            "table": names[0],
            "tables": names,
            "others": names[1:] or None,
            "names": ", ".join(f"'{name}'" for name in names),
            "words": " ".join(names),
            "file": self.player.tables.file(names[0]),
            "load": self._load(names, text),
        }

    def _text(self, attempt: Attempt, path: str) -> str:
        return attempt.text(self.policy.language).replace(_PATH, path)

    def _load(self, names: Sequence[str], text: str) -> str:
        """Python that reads the files of tables that were not read yet."""
        lines = [] if self._has("pandas") else ["import pandas as pd"]
        if "np." in text:
            lines.append("import numpy as np")
        is_dict_used = "datasets" in text
        if is_dict_used:
            lines.append("datasets = {}")
        for name in names:
            if self._has(name):
                continue
            file = self.player.tables.file(name)
            reader = "read_json" if file.endswith(".json") else "read_csv"
            target = f'datasets["{name}"]' if is_dict_used else name
            lines.append(f'{target} = pd.{reader}("{file}")')
        return "".join(line + "\n" for line in lines)

    def _has(self, name: str) -> bool:
        """Whether the interpreter has a table; it has pandas with the first."""
        if not self.policy.keeps_state:
            return False
        return bool(self.loaded) if name == "pandas" else name in self.loaded


def _placeholders(steps: Sequence[Step]) -> set[str]:
    return {name for step in steps for name in step.placeholders}


def _literals(value: Any) -> list[str]:
    """The texts and numbers of arguments, without placeholders."""
    if isinstance(value, str):
        return [PLACEHOLDER.sub(" ", value)]
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in _literals(part)]
    if isinstance(value, list):
        return [text for part in value for text in _literals(part)]
    return [str(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []
