"""The systems that are compared, and how a connection to each is made."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from bench.economy import local_mode, peers
from bench.economy.connection import Connection, PeerError
from bench.economy.database import write_database
from bench.economy.http_server import HttpServer
from bench.economy.local_mode import Endpoint
from bench.economy.local_tools import Files, Repl, Shell
from bench.economy.peers import PeerMissingError
from bench.economy.stdio_server import StdioServer
from bench.economy.tables import Tables
from bench.mcp import McpClient

_SECONDS = 120
_DATABASE = "tables.duckdb"

_SHELL = (
    "Runs a command with bash. The program duckdb is there, and in the working directory the"
    f" database {_DATABASE}."
)
_PYTHON = (
    "Runs Python in one interpreter, in a folder of files with data. Its names are kept from call"
    " to call; pandas, numpy and matplotlib can be imported."
)

# What there is a peer of, but nothing that could be installed.
NEVER_PRESENT: Mapping[str, str] = {
    "quick-data-mcp": "no package of a registry has it, and its repository no license",
}


@dataclass
class Setting:
    """What connections are made with.

    Attributes:
        scratch: an empty folder.
        node: the program Node.js.
        given: an installation of Assay that has the tables; None for local mode.
    """

    tables: Tables
    scratch: Path
    node: Path
    given: Endpoint | None
    _ending: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def __enter__(self) -> Setting:
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    @cached_property
    def endpoint(self) -> Endpoint:
        """Of Assay; it is started once."""
        if self.given is not None:
            return self.given
        folder = self.folder("assay")
        return self._ending.enter_context(local_mode.started(self.tables.folder, folder))

    @cached_property
    def database(self) -> Path:
        """A DuckDB file with all tables, in a folder of its own, written by the peers' DuckDB."""
        file = self.folder("database") / _DATABASE
        write_database(self.peers.program("python"), self.tables, file)
        return file

    @cached_property
    def peers(self) -> peers.PythonPeers:
        """The peers of PyPI."""
        return peers.python_peers()

    def folder(self, name: str) -> Path:
        """A new folder below `scratch`."""
        folder = self.scratch / name
        folder.mkdir()
        return folder

    def copy_of_tables(self, name: str) -> Path:
        """The same for a system that may write beside the tables."""
        return Path(shutil.copytree(self.tables.folder, self.scratch / name))


def _assay(path: str) -> Callable[[Setting], Connection]:
    def connect(setting: Setting) -> Connection:
        endpoint = setting.endpoint
        return HttpServer(McpClient(f"{endpoint.url}/mcp/{path}", endpoint.key))

    return connect


def _motherduck(setting: Setting) -> Connection:
    folder = setting.folder("motherduck")
    return StdioServer(
        [str(setting.peers.program("mcp-server-motherduck")), "--db-path", str(setting.database)],
        folder,
        {},
        folder / "server.log",
        _SECONDS,
    )


def _duckdb_cli(setting: Setting) -> Connection:
    path = f"{setting.peers.program('duckdb').parent}:/usr/bin:/bin"
    return Shell(setting.database.parent, {"PATH": path}, _SHELL, _SECONDS)


def _context_mode(setting: Setting) -> Connection:
    folder = setting.copy_of_tables("context-mode")
    home = setting.folder("context-mode-home")
    environment = {
        "HOME": str(home),
        "CLAUDE_PROJECT_DIR": str(folder),
        "CONTEXT_MODE_PROJECT_DIR": str(folder),
        # Its Python is the first on the path.
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }
    command = [str(setting.node), str(peers.context_mode())]
    return StdioServer(command, folder, environment, home / "server.log", _SECONDS)


def _repl(setting: Setting) -> Connection:
    return Repl(Path(sys.executable), setting.copy_of_tables("python-repl"), _PYTHON, _SECONDS)


def _files(setting: Setting) -> Connection:
    return Files(setting.tables.folder)


@dataclass(frozen=True)
class System:
    """One of them.

    Attributes:
        asks: whether it can answer; one that only shows data is no rival in turns.
        package: whose version counts; None for what is of this machine or repository.
    """

    name: str
    connect: Callable[[Setting], Connection]
    asks: bool = True
    package: str | None = None

    @property
    def is_peer(self) -> bool:
        return not self.name.startswith("assay-")

    @property
    def version(self) -> str:
        """As the pins have it."""
        return peers.versions()[self.package] if self.package else ""


_ALL = (
    System("assay-analytics", _assay("analytics")),
    System("assay-code", _assay("code")),
    System("assay-library", _assay("code")),
    System("mcp-server-motherduck", _motherduck, package="mcp-server-motherduck"),
    System("context-mode", _context_mode, package="context-mode"),
    System("duckdb-cli", _duckdb_cli, package="duckdb-cli"),
    System("python-repl", _repl),
    System("load-everything", _files, asks=False),
)
SYSTEMS: Mapping[str, System] = {system.name: system for system in _ALL}


@contextlib.contextmanager
def connected(system: System, setting: Setting) -> Iterator[Connection]:
    """A connection that is closed after use; PeerError if there is none."""
    try:
        connection = system.connect(setting)
    except (OSError, PeerMissingError) as error:
        raise PeerError(f"could not be started: {error}") from error
    try:
        yield connection
    finally:
        connection.close()
