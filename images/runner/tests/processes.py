"""Processes of the runner: executed as in a Pod, or forked from one that has their imports."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple, Protocol

_SERVER_STARTUP = Path(__file__).parent / "fork_server_startup"
# The first process waits for the imports.
_STARTED_SECONDS = 60.0


class Process(Protocol):
    """What `subprocess.Popen` and `ForkedProcess` have in common."""

    pid: int
    stdout: IO[bytes] | None

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code; raises an error after `timeout` seconds."""

    def send_signal(self, sig: int) -> None:
        """Send a signal, unless the process has ended."""

    def kill(self) -> None:
        """Send SIGKILL, unless the process has ended."""


class Start(NamedTuple):
    """A process to start, as `python -I -m MODULE ARGUMENT...`.

    Attributes:
        module: the module to run.
        arguments: of it.
        environment: all of it.
        directory: the working directory.
        stdout: a descriptor, or `subprocess.PIPE`.
        stderr: a descriptor.
    """

    module: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    directory: Path
    stdout: int = 1
    stderr: int = 2


def execute(interpreter: str, start: Start, prefix: Sequence[str] = ()) -> Process:
    """Start a process by its real command line, which `prefix` may come before."""
    return subprocess.Popen(
        [*prefix, interpreter, "-I", "-m", start.module, *start.arguments],
        env=start.environment,
        cwd=start.directory,
        stdout=start.stdout,
        stderr=start.stderr,
    )


class ForkServer:
    """Forks processes from one that has imported modules.

    Args:
        interpreter: the Python of the processes.
        modules: what is imported.
    """

    def __init__(self, interpreter: str, modules: Sequence[str]) -> None:
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The script must be found from any working directory.
        command = [interpreter, "-s", "-u", "/proc/self/cwd/main.py"]
        with other:
            self._process = subprocess.Popen(
                command,
                env={
                    "PATH": os.environ["PATH"],
                    "LANG": "C.UTF-8",
                    "PYTHONPATH": str(_SERVER_STARTUP),
                    "FORK_SERVER": " ".join([str(other.fileno()), *modules]),
                },
                stdin=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
            )

    def fork(self, start: Start) -> Process:
        """Start a process."""
        request = start._asdict()
        request["directory"] = str(start.directory)
        status, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        descriptors = [start.stdout, start.stderr, other.fileno()]
        stdout = None
        if start.stdout == subprocess.PIPE:
            reader, descriptors[0] = os.pipe()
            stdout = open(reader, "rb")  # noqa: SIM115 - as of a Popen
        socket.send_fds(self._socket, [json.dumps(request).encode()], descriptors)
        if stdout is not None:
            os.close(descriptors[0])
        other.close()
        return ForkedProcess(status, stdout)

    def close(self) -> None:
        """End the server."""
        self._socket.close()
        self._process.wait(_STARTED_SECONDS)


class ForkedProcess:
    """A process of a fork server.

    Args:
        status: sends the process's ID, then its exit code when it has ended.
        stdout: what it writes there.
    """

    def __init__(self, status: socket.socket, stdout: IO[bytes] | None) -> None:
        self.stdout = stdout
        self._status = status
        self._exit_code: int | None = None
        self.pid = self._receive(_STARTED_SECONDS)

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while the process runs."""
        with contextlib.suppress(BlockingIOError):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code; raises an error after `timeout` seconds."""
        if self._exit_code is None:
            self._exit_code = self._receive(timeout)
            self._status.close()
        return self._exit_code

    def send_signal(self, sig: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, sig)

    def kill(self) -> None:
        """Send SIGKILL, unless the process has ended."""
        self.send_signal(signal.SIGKILL)

    def _receive(self, timeout: float | None) -> int:
        self._status.settimeout(timeout)
        return int(self._status.recv(32))


@contextlib.contextmanager
def fork_server(interpreter: str, *modules: str) -> Iterator[ForkServer]:
    """Have a fork server."""
    server = ForkServer(interpreter, modules)
    try:
        yield server
    finally:
        server.close()
