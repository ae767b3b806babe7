"""The systems that are compared, and how a connection to each is made."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from bench.economy import local_mode, peers
from bench.economy.connection import Connection, PeerError
from bench.economy.database import write_database
from bench.economy.local_mode import Endpoint
from bench.economy.local_tools import Files, Repl, Shell
from bench.economy.mcp_http import McpHttpConnection
from bench.economy.mcp_stdio import McpStdioConnection
from bench.economy.peers import PeerMissingError
from bench.economy.policies import POLICIES
from bench.economy.tables import Tables
from bench.mcp import McpClient

_SECONDS = 120
_DATABASE = "tables.duckdb"
_FILES = "files"
_POLICIES_OF_FILES = POLICIES / "files"

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
        file_server: the command of an MCP server that reads files, without its folder.
        given: an installation of Assay that has the tables; None for local mode.
        servers: those whose tools code in local mode can call, by name, as commands.
    """

    tables: Tables
    scratch: Path
    node: Path
    file_server: Sequence[str]
    given: Endpoint | None
    servers: Callable[[Setting], Mapping[str, Sequence[str]]]
    _ending: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def __enter__(self) -> Setting:
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    @property
    def endpoint(self) -> Endpoint:
        """Of Assay; it is started once, without its tool servers if they cannot be installed.

        PeerError for each who asks if it does not start.
        """
        started = self._started
        if isinstance(started, PeerError):
            raise started
        return started

    @cached_property
    def _started(self) -> Endpoint | PeerError:
        if self.given is not None:
            return self.given
        try:
            servers = self.tool_servers
        except PeerMissingError:
            servers = {}
        starting = local_mode.started(self.tables.folder, self.folder("assay"), servers)
        try:
            return self._ending.enter_context(starting)
        except PeerError as error:
            return error

    @cached_property
    def tool_servers(self) -> Mapping[str, Sequence[str]]:
        """The commands of `servers`; PeerMissingError where there is none."""
        return self.servers(self)

    @cached_property
    def database(self) -> Path:
        """A DuckDB file with all tables, in a folder of its own, written by the peers' DuckDB."""
        return self.database_of("database", self.tables.names) / _DATABASE

    def database_of(self, folder: str, names: Sequence[str]) -> Path:
        """A new folder with a DuckDB file of some tables."""
        path = self.folder(folder)
        write_database(self.peers.program("python"), self.tables, names, path / _DATABASE)
        return path

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
        return McpHttpConnection(McpClient(f"{endpoint.url}/mcp/{path}", endpoint.key, _SECONDS))

    return connect


def _assay_with_tools(path: str) -> Callable[[Setting], Connection]:
    def connect(setting: Setting) -> Connection:
        # Asked first, since it says why there are none.
        servers = setting.tool_servers
        local_mode.await_connected(setting.endpoint, len(servers))
        return _assay(path)(setting)

    return connect


def two_databases(setting: Setting) -> Mapping[str, Sequence[str]]:
    """The flights with one server of MCP, and with another what they are joined with."""
    flights = ("flights",)
    others = tuple(name for name in setting.tables.names if name not in flights)
    program = str(setting.peers.program("mcp-server-motherduck"))
    # By default a reply ends after 1,024 rows or 50,000 characters, since a model has to read it.
    limits = ("--max-rows", "100000", "--max-chars", "1000000")
    return {
        name: [program, "--db-path", str(setting.database_of(name, tables) / _DATABASE), *limits]
        for name, tables in (("operations", flights), ("reference", others))
    }


def file_server(setting: Setting) -> Mapping[str, Sequence[str]]:
    """A server of MCP that reads the files of all tables."""
    return {_FILES: [*setting.file_server, str(setting.tables.folder)]}


def _filesystem(setting: Setting) -> Connection:
    folder = setting.folder("filesystem")
    command = file_server(setting)[_FILES]
    return McpStdioConnection(command, folder, {}, folder / "server.log", _SECONDS)


def _motherduck(setting: Setting) -> Connection:
    folder = setting.folder("motherduck")
    return McpStdioConnection(
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
    return McpStdioConnection(command, folder, environment, home / "server.log", _SECONDS)


def _repl(setting: Setting) -> Connection:
    return Repl(Path(sys.executable), setting.copy_of_tables("python-repl"), _PYTHON, _SECONDS)


def _files(setting: Setting) -> Connection:
    return Files(setting.tables.folder)


@dataclass(frozen=True)
class System:
    """One of them.

    Attributes:
        asks: whether it can answer; one that only shows data is no rival in turns.
        needs_tools: whether it calls tools of other servers, which local mode alone has.
        package: whose version counts; None for what is of this machine or repository.
        policies: the folder that has its policy.
    """

    name: str
    connect: Callable[[Setting], Connection]
    asks: bool = True
    needs_tools: bool = False
    package: str | None = None
    policies: Path = POLICIES

    @property
    def is_peer(self) -> bool:
        return not self.name.startswith("assay-")

    @property
    def version(self) -> str:
        """As the pins have it."""
        return peers.versions()[self.package] if self.package else ""


_ANALYTICS = System("assay-analytics", _assay("analytics"))
_LIBRARY = System("assay-library", _assay("code"))
_SCRIPT = System("assay-script", _assay_with_tools("scripts"), needs_tools=True)
_EVERYTHING = System("load-everything", _files, asks=False)

# Which the questions of an analyst are asked.
OF_QUESTIONS: Sequence[System] = (
    _ANALYTICS,
    System("assay-code", _assay("code")),
    _LIBRARY,
    _SCRIPT,
    System("assay-tools", _assay_with_tools("code,scripts"), needs_tools=True),
    System("mcp-server-motherduck", _motherduck, package="mcp-server-motherduck"),
    System("context-mode", _context_mode, package="context-mode"),
    System("duckdb-cli", _duckdb_cli, package="duckdb-cli"),
    System("python-repl", _repl),
    _EVERYTHING,
)
# Which read files that fill a context.
OF_FILES: Sequence[System] = (
    _ANALYTICS,
    replace(_LIBRARY, policies=_POLICIES_OF_FILES),
    replace(_SCRIPT, policies=_POLICIES_OF_FILES),
    _EVERYTHING,
    System(
        "filesystem", _filesystem, asks=False, package="@modelcontextprotocol/server-filesystem"
    ),
)
SYSTEMS: Mapping[str, System] = {system.name: system for system in (*OF_FILES, *OF_QUESTIONS)}


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
