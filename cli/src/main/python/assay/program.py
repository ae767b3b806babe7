"""The files of the program, as the wheel lays them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["local", "client"]


def kind_of(arguments: Sequence[str]) -> Kind:
    """Whether a command line starts local mode, or a client of an endpoint."""
    if arguments[:1] == ["local"]:
        return "local"
    if arguments[:1] == ["mcp-stdio"] and any(
        argument == "--data" or argument.startswith("--data=") for argument in arguments
    ):
        return "local"
    return "client"


@dataclass(frozen=True)
class Program:
    """The program below a folder: the JVM, its options, and the jars."""

    home: Path

    @property
    def jar(self) -> Path:
        """The jar to start."""
        return self.home / "program" / "app.jar"

    def command(self, kind: Kind) -> list[str]:
        """The command line of the JVM, without the jar."""
        options = self.home / "options"
        return [
            str(self.home / "runtime" / "bin" / "java"),
            f"@{options / 'common'}",
            f"@{options / kind}",
        ]
