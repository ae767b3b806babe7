"""Tries the packages as a stranger would: without a network, without a JDK, in new caches."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cluster.commands import run
from cluster.errors import ClusterError
from cluster.packages import ensure_packages
from cluster.progress import step

_TABLE = "kind,kilos\napple,3\npear,4\n"
_CODE = "print(int(df['kilos'].sum()))"
_ANSWER = "7"
_PROTOCOL = "2025-06-18"
_NOT_YET = "still being set up"
# Hides the JDKs of the machine, and connects loopback: there is no other interface.
_ALONE = (
    'ip link set lo up && for jdk in /usr/lib/jvm; do [ ! -d "$jdk" ] || '
    'mount -t tmpfs none "$jdk"; done && exec "$@"'
)


def hostile_folder(scratch: Path) -> Path:
    """A folder with modules that would take the place of Python's own, as a project may have."""
    folder = scratch / "project"
    folder.mkdir(exist_ok=True)
    for name in ("dataclasses", "fcntl", "subprocess"):
        (folder / f"{name}.py").write_text("raise SystemExit('imported from the project')\n")
    return folder


class Client:
    """An MCP client that starts a program and speaks on its standard input and output."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self.began = time.monotonic()
        self._log = log
        self._sent = 0
        with open(log, "w") as errors:
            self._process = subprocess.Popen(
                ["unshare", "--net", "--mount", "sh", "-c", _ALONE, "sh", *command],
                env=environment,
                cwd=hostile_folder(log.parent),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Sends a request; returns its result."""
        self._sent += 1
        self._send({"id": self._sent, "method": method, "params": parameters})
        assert self._process.stdout
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == self._sent:
                result: dict[str, Any] = message["result"]
                return result
        raise ClusterError(f"the program ended: {self._log.read_text().strip()[-500:]}")

    def call(self, code: str) -> str:
        """Runs code over the table, as soon as the program is set up; returns the text."""
        arguments = {"dataset_name": "fruit", "python_code": code}
        while True:
            name = "execute_custom_analytics_code"
            result = self.ask("tools/call", {"name": name, "arguments": arguments})
            text: str = result["content"][0]["text"]
            if _NOT_YET not in text:
                return text

    def seconds(self) -> float:
        """Since the program was started."""
        return time.monotonic() - self.began

    def initialize(self) -> None:
        """The handshake."""
        client = {"name": "trial", "version": "1"}
        parameters = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
        self.ask("initialize", parameters)
        self._send({"method": "notifications/initialized"})

    def close(self) -> None:
        """Closes standard input, and waits for the program to end."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise ClusterError("the program did not end with its client") from None

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()


@contextlib.contextmanager
def _client(command: list[str], scratch: Path) -> Iterator[Client]:
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(scratch),
    }
    client = Client(command, environment, scratch / "stderr.log")
    try:
        yield client
    finally:
        client.close()


def try_wheel(wheel: Path, scratch: Path) -> None:
    """Installs the wheel into a new environment, from the index, and uses it."""
    # Spaces and umlauts must not matter.
    environment = scratch / "Ein Büro" / "venv"
    run([sys.executable, "-m", "venv", environment])
    pip: list[str | Path] = [environment / "bin" / "python", "-m", "pip", "install", "-q", "--no-compile"]
    began = time.monotonic()
    run([*pip, "--disable-pip-version-check", wheel])
    step(f"installed the wheel in {time.monotonic() - began:.1f} s")
    _use([str(environment / "bin" / "assay")], "wheel", scratch)
    _use([str(environment / "bin" / "python"), "-P", "-m", "assay"], "wheel, python -m", scratch)


def try_archive(archive: Path, scratch: Path) -> None:
    """Unpacks the archive, and uses it."""
    with tarfile.open(archive) as tar:
        tar.extractall(scratch / "unpacked", filter="data")
    step("unpacked the archive")
    command = [str(next((scratch / "unpacked").glob("*/assay")))]
    _use(command, "archive", scratch)
    _use(command, "archive, again", scratch)


def _use(command: list[str], name: str, scratch: Path) -> None:
    tables = scratch / "Täbles und mehr"
    tables.mkdir(exist_ok=True)
    (tables / "fruit.csv").write_text(_TABLE)
    with _client([*command, "mcp-stdio", "--data", str(tables)], scratch) as client:
        client.initialize()
        handshake = client.seconds()
        text = client.call(_CODE)
        answer = client.seconds()
    if text.strip() != _ANSWER:
        raise ClusterError(f"{name}: the answer is {text!r}, not {_ANSWER}")
    step(f"{name}: handshake after {handshake:.1f} s, first answer after {answer:.1f} s")


def prepare() -> None:
    """The namespaces of a trial need root, and two programs."""
    if os.geteuid() != 0:
        raise ClusterError("--try needs root: it uses the packages in namespaces without a network")
    ensure_packages({"ip": "iproute2", "unshare": "util-linux"})
