"""Systems that are no servers: tools as many agents have them of their own."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.economy.connection import Listing, PeerError, Reply
from bench.kubernetes import Object

# What agents that run commands show a model of an output.
_MAX_CHARACTERS = 30_000
# About a context of 200,000 tokens.
_MAX_FILE_BYTES = 600_000
_PROGRAM = Path(__file__).with_name("repl.py")


class Shell:
    """A tool that runs a command in the folder of the tables."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str], description: str, seconds: float
    ) -> None:
        self._folder = folder
        self._environment = {**os.environ, **environment}
        self._description = description
        self._seconds = seconds

    def listing(self) -> Listing:
        return Listing("", [_tool("shell", self._description, ["command"])])

    def begin(self) -> None:
        """Each command stands alone."""

    def call(self, tool: str, arguments: Object) -> Reply:
        process = subprocess.Popen(
            ["bash", "-c", arguments["command"]],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=self._seconds)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise PeerError(f"hangs: {tool} ran for {self._seconds:g} s") from error
        return Reply(_shown(output.decode(errors="replace")), process.returncode != 0)

    def close(self) -> None:
        """Nothing is left."""


class Repl:
    """A tool that runs Python in one interpreter, whose names are kept between the calls."""

    def __init__(self, python: Path, folder: Path, description: str, seconds: float) -> None:
        self._python = python
        self._folder = folder
        self._description = description
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None

    def listing(self) -> Listing:
        return Listing("", [_tool("python", self._description, ["code"])])

    def begin(self) -> None:
        """Another interpreter."""
        self.close()
        self._process = subprocess.Popen(
            [self._python, _PROGRAM],
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self, tool: str, arguments: Object) -> Reply:
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("begin comes before call")
        self._process.stdin.write(json.dumps(arguments["code"]) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], self._seconds)[0]:
            self._process.kill()
            raise PeerError(f"hangs: {tool} ran for {self._seconds:g} s")
        line = self._process.stdout.readline()
        if not line:
            raise PeerError(f"the interpreter of {tool} has ended with {self._process.wait()}")
        answer = json.loads(line)
        return Reply(_shown(answer["output"]), not answer["ok"])

    def close(self) -> None:
        if self._process is None:
            return
        self._process.communicate()
        self._process = None


class Files:
    """A tool that reads a file whole into the context, as an agent without other tools does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listing(self) -> Listing:
        names = ", ".join(sorted(file.name for file in self._folder.iterdir()))
        description = f"Reads a whole file of the working directory. There are {names}."
        return Listing("", [_tool("read_file", description, ["path"])])

    def begin(self) -> None:
        """Each call stands alone."""

    def call(self, tool: str, arguments: Object) -> Reply:
        file = (self._folder / arguments["path"]).resolve()
        if not file.is_relative_to(self._folder.resolve()) or not file.is_file():
            return Reply(f"{arguments['path']}: no such file", is_error=True)
        size = file.stat().st_size
        if size > _MAX_FILE_BYTES:
            return Reply(f"{size} bytes do not fit into a context", is_error=True)
        return Reply(file.read_text(), is_error=False)

    def close(self) -> None:
        """Nothing is left."""


def _tool(name: str, description: str, arguments: Sequence[str]) -> Object:
    return {
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": {argument: {"type": "string"} for argument in arguments},
            "required": list(arguments),
        },
    }


def _shown(output: str) -> str:
    if len(output) <= _MAX_CHARACTERS:
        return output
    cut = len(output) - _MAX_CHARACTERS
    return f"{output[:_MAX_CHARACTERS]}\n[{cut} characters more]"
