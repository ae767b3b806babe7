"""Tokens and bytes of transcripts, which the program of the module `tokens` counts."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cluster.settings import REPOSITORY

_MODULE = REPOSITORY / "tokens"
_PROGRAM = _MODULE / "target" / "dist" / "app.jar"
_BUILD = ("./mvnw", "-B", "-ntp", "-q", "-pl", "tokens", "package", "-Dmaven.test.skip=true")

# What a client hands to a model of a reply.
Forwarded = Literal["text", "structured", "both"]
FORWARDED: Sequence[Forwarded] = ("text", "structured", "both")


@dataclass(frozen=True)
class Count:
    """Of one text."""

    tokens: int
    bytes: int


@dataclass(frozen=True)
class TurnCount:
    """Of a call and its reply.

    Attributes:
        pictures: tokens of all of them.
    """

    call: Count
    text: Count
    structured: Count
    pictures: int

    def tokens(self, forwarded: Forwarded = "text") -> int:
        """What it adds to the context of a model."""
        reply = {
            "text": self.text.tokens,
            # A server without structured content has its text alone.
            "structured": self.structured.tokens or self.text.tokens,
            "both": self.text.tokens + self.structured.tokens,
        }
        return self.call.tokens + reply[forwarded] + self.pictures


@dataclass(frozen=True)
class TaskCount:
    """Of the transcript of one task."""

    task: str
    prompt: Count
    turns: Sequence[TurnCount]

    def added(self, forwarded: Forwarded = "text") -> int:
        """Tokens of all calls and replies."""
        return sum(turn.tokens(forwarded) for turn in self.turns)

    @property
    def bytes(self) -> int:
        """Of all calls and of the texts of replies."""
        return sum(turn.call.bytes + turn.text.bytes for turn in self.turns)

    def costs(self, listing: int) -> list[int]:
        """The context cost after each answer of the model, which is asked once more than it calls.

        Each time it reads the listing, the prompt, and all that was said since.

        Args:
            listing: its tokens.
        """
        context = listing + self.prompt.tokens
        costs = [context]
        for turn in self.turns:
            context += turn.tokens()
            costs.append(costs[-1] + context)
        return costs


@dataclass(frozen=True)
class SystemCount:
    """Of all transcripts of a system.

    Attributes:
        listing: instructions and `tools/list`, whole.
        seen: the same, of the tools what clients hand to a model.
    """

    system: str
    listing: Count
    seen: Count
    tasks: Sequence[TaskCount]


def count(transcripts: Path) -> dict[str, SystemCount]:
    """Count a file of transcripts, by system; builds the program where it is out of date."""
    if not _is_built():
        subprocess.run(_BUILD, cwd=REPOSITORY, check=True)
    home = subprocess.run(
        [REPOSITORY / "dev" / "jdk"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    with transcripts.open("rb") as lines:
        done = subprocess.run(
            [Path(home) / "bin" / "java", "-jar", _PROGRAM],
            stdin=lines,
            stdout=subprocess.PIPE,
            check=True,
        )
    return counted(map(json.loads, done.stdout.splitlines()))


def _is_built() -> bool:
    sources = [_MODULE / "pom.xml", *(_MODULE / "src" / "main").rglob("*.java")]
    return _PROGRAM.exists() and all(
        source.stat().st_mtime <= _PROGRAM.stat().st_mtime for source in sources
    )


def counted(lines: Iterable[Any]) -> dict[str, SystemCount]:
    """What the lines of the program say: of each system the listing comes first."""
    found: dict[str, SystemCount] = {}
    tasks: dict[str, list[TaskCount]] = {}
    for line in lines:
        name = line["system"]
        if "listing" in line:
            listing = line["listing"]
            tasks[name] = []
            found[name] = SystemCount(
                name, Count(**listing["whole"]), Count(**listing["seenByModels"]), tasks[name]
            )
        else:
            tasks[name].append(_task(line))
    return found


def _task(line: Any) -> TaskCount:
    turns = [
        TurnCount(
            Count(**turn["call"]),
            Count(**turn["text"]),
            Count(**turn["structured"]),
            turn["pictures"],
        )
        for turn in line["turns"]
    ]
    return TaskCount(line["task"], Count(**line["prompt"]), turns)
