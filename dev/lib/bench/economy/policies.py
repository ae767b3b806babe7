"""How an agent uses a system: the calls around the texts of the tasks, one file for each system."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.economy import yaml_file
from bench.economy.tasks import FOLDER, LANGUAGES
from bench.economy.yaml_file import FileError

POLICIES = FOLDER / "policies"

PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_STEP_FIELDS = ("call", "with", "each", "when", "take")
_POLICY_FIELDS = (
    *("system", "language", "path", "keeps_state", "judged", "orient", "ask", "read", "tasks"),
)
_ASK_OF_TASK = ("ask",)


@dataclass(frozen=True)
class Step:
    """One call.

    Attributes:
        call: name of the tool.
        arguments: values may have placeholders, such as `{text}`; an argument whose placeholder
            has no value is left out.
        each_table: whether it is made once for each table, instead of once for all.
        when: matches the last reply where the step is made; its groups are values.
        take: values for later steps, by the pattern whose first group finds them in the reply.
    """

    call: str
    arguments: Mapping[str, Any]
    each_table: bool = False
    when: re.Pattern[str] | None = None
    take: Mapping[str, re.Pattern[str]] = field(default_factory=dict)

    @property
    def placeholders(self) -> set[str]:
        """Those of all arguments."""
        return set(_placeholders(self.arguments))

    def filled(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with values; KeyError names one that is missing."""
        found = {name: _filled(value, values) for name, value in self.arguments.items()}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class Policy:
    """Of one system.

    Attributes:
        language: that of the texts.
        path: where files are written to, as a text has it.
        keeps_state: whether what one call defines is there in the next.
        is_judged: whether replies can have answers; those of files have the data alone.
        find_tables: calls that find out which tables there are.
        describe: calls that find out what a table contains; each is made once, in this order,
            until the names of an attempt are known.
        ask: calls that carry out an attempt.
        read: calls that show more of a reply that lacks the answer.
        of_tasks: other calls than `ask`, by the name of the task.
    """

    system: str
    language: str
    path: str
    keeps_state: bool
    is_judged: bool
    find_tables: Sequence[Step]
    describe: Sequence[Step]
    ask: Sequence[Step]
    read: Sequence[Step]
    of_tasks: Mapping[str, Sequence[Step]]


def load(system: str, folder: Path = POLICIES) -> Policy:
    """The policy of a system; FileError where its file cannot be used."""
    file = folder / f"{system}.yaml"
    policy = yaml_file.fields(
        file.name, yaml_file.read(file), _POLICY_FIELDS, ("system", "language", "ask")
    )
    if policy["system"] != system or policy["language"] not in LANGUAGES:
        raise FileError(f"{file.name}: system has to be {system}, language one of {LANGUAGES}")
    orient = yaml_file.fields(
        f"{file.name}: orient", policy.get("orient", {}), ("tables", "columns"), ()
    )
    if not policy["ask"]:
        raise FileError(f"{file.name}: ask is empty")
    of_tasks = {
        name: _steps(
            file.name, yaml_file.fields(f"{file.name}: {name}", task, _ASK_OF_TASK, ("ask",))["ask"]
        )
        for name, task in policy.get("tasks", {}).items()
    }
    return Policy(
        system,
        policy["language"],
        policy.get("path", ""),
        bool(policy.get("keeps_state", False)),
        bool(policy.get("judged", True)),
        _steps(file.name, orient.get("tables", [])),
        _steps(file.name, orient.get("columns", [])),
        _steps(file.name, policy["ask"]),
        _steps(file.name, policy.get("read", [])),
        of_tasks,
    )


def _steps(where: str, values: Sequence[object]) -> list[Step]:
    return [_step(f"{where}: a step", value) for value in values]


def _step(where: str, value: object) -> Step:
    step = yaml_file.fields(where, value, _STEP_FIELDS, ("call", "with"))
    if step.get("each", "table") != "table":
        raise FileError(f"{where}: each has to be table")
    try:
        when = re.compile(step["when"]) if "when" in step else None
        take = {name: re.compile(pattern) for name, pattern in step.get("take", {}).items()}
    except re.error as error:
        raise FileError(f"{where}: {error}") from error
    return Step(step["call"], step["with"], "each" in step, when, take)


def _placeholders(value: object) -> list[str]:
    if isinstance(value, str):
        return PLACEHOLDER.findall(value)
    if isinstance(value, Mapping):
        return [name for part in value.values() for name in _placeholders(part)]
    if isinstance(value, list):
        return [name for part in value for name in _placeholders(part)]
    return []


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {name: _filled(part, values) for name, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, values) for part in value]
    if not isinstance(value, str):
        return value
    alone = PLACEHOLDER.fullmatch(value)
    if alone:
        return values[alone[1]]
    return PLACEHOLDER.sub(lambda match: str(values[match[1]]), value)
