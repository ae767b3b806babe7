"""What an agent and a system said to each other, as lines of JSON that anybody can count again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.economy.connection import Listing, Reply
from bench.kubernetes import Object


@dataclass(frozen=True)
class Turn:
    """A call, and its reply."""

    tool: str
    arguments: Object
    reply: Reply
    seconds: float


@dataclass
class Transcript:
    """Of one task with one system.

    Attributes:
        is_solved: whether the last reply has the answer; None where nothing can say so.
        failure: why the task was not solved.
    """

    system: str
    task: str
    prompt: str
    turns: list[Turn] = field(default_factory=list)
    is_solved: bool | None = False
    failure: str | None = None

    def line(self) -> str:
        """As one line of JSON."""
        return json.dumps(
            {
                "system": self.system,
                "task": self.task,
                "prompt": self.prompt,
                "turns": [_turn(turn) for turn in self.turns],
                "solved": self.is_solved,
                "failure": self.failure,
            },
            ensure_ascii=False,
        )


@dataclass(frozen=True)
class Session:
    """All that was played with one system.

    Attributes:
        version: of the program, where it has one.
        ended: why the system was not asked further; None if all tasks were played.
    """

    system: str
    version: str
    listing: Listing
    transcripts: Sequence[Transcript]
    ended: str | None = None

    def lines(self) -> list[str]:
        """The listing, and then each transcript."""
        listing = {
            "system": self.system,
            "version": self.version,
            "listing": asdict(self.listing),
        }
        return [
            json.dumps(listing, ensure_ascii=False),
            *(one.line() for one in self.transcripts),
        ]


def write(sessions: Iterable[Session], file: Path) -> None:
    """All of them to one file."""
    lines = [line for session in sessions for line in session.lines()]
    file.write_text("".join(line + "\n" for line in lines))


def _turn(turn: Turn) -> Object:
    return {
        "tool": turn.tool,
        "arguments": turn.arguments,
        "isError": turn.reply.is_error,
        "text": turn.reply.text,
        "structured": turn.reply.structured,
        "pictures": [asdict(picture) for picture in turn.reply.pictures],
        "seconds": round(turn.seconds, 3),
    }
