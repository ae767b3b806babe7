"""The programs of peers, installed from pinned packages into the cache; none of them is copied."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.economy.tasks import FOLDER
from cluster.settings import cache_root
from e2e.settings import CLIENTS

_PINS = FOLDER / "peers"
_OF_PYTHON = "requirements.txt"
_OF_NODE = "context-mode"
_SECONDS = 900


class PeerMissingError(Exception):
    """A peer could not be installed; the message says why."""


@dataclass(frozen=True)
class PythonPeers:
    """A virtual environment with the peers of PyPI."""

    home: Path

    def program(self, name: str) -> Path:
        """One of its commands."""
        return self.home / "bin" / name


def python_peers() -> PythonPeers:
    """Install them unless the cache has them for exactly these pins."""
    pins = _PINS / _OF_PYTHON
    home = _home(pins)
    if not (home / "complete").exists():
        _begin(home)
        _run([sys.executable, "-m", "venv", home])
        pip: list[str | Path] = [home / "bin" / "pip", "install", "--quiet"]
        pip += ["--disable-pip-version-check", "--require-hashes", "--only-binary", ":all:"]
        _run([*pip, "-r", pins])
        (home / "complete").touch()
    return PythonPeers(home)


def context_mode() -> Path:
    """The program context-mode, which Node.js runs."""
    pins = _PINS / _OF_NODE
    home = _home(pins / "package-lock.json")
    if not (home / "complete").exists():
        _begin(home)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(pins / name, home / name)
        _run(["npm", "ci", "--loglevel=error"], home)
        (home / "complete").touch()
    return home / "node_modules" / "context-mode" / "server.bundle.mjs"


def versions() -> dict[str, str]:
    """Those that the pins name, by package."""
    pairs = [line.split(" ")[0].split("==") for line in _lines() if "==" in line]
    found = dict(pairs)
    for folder in (_PINS / _OF_NODE, CLIENTS / "stdio"):
        found |= json.loads((folder / "package.json").read_text())["dependencies"]
    return found


def _lines() -> Sequence[str]:
    return (_PINS / _OF_PYTHON).read_text().splitlines()


def _home(pins: Path) -> Path:
    digest = hashlib.sha256(sys.version.encode() + pins.read_bytes()).hexdigest()[:16]
    return cache_root() / "economy" / digest


def _begin(home: Path) -> None:
    """From scratch after an attempt that was interrupted."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)


def _run(command: Sequence[str | Path], folder: Path | None = None) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerMissingError(f"{command[0]}: {error}") from error
    if done.returncode:
        said = done.stdout.decode(errors="replace").strip()[-300:]
        raise PeerMissingError(f"{Path(command[0]).name} ended with {done.returncode}: {said}")
