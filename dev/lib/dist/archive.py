"""The archive with everything inside, for machines without a package index."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from cluster.commands import run
from cluster.progress import step
from cluster.settings import REPOSITORY

_START = """#!/bin/sh
# Starts Assay with the libraries beside this file.
set -eu
home=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
if ! command -v python{python} > /dev/null; then
  echo "assay: this archive needs Python {python} on PATH: install it, or use the archive for another" >&2
  exit 5
fi
export ASSAY_COMMAND="$home/assay"
# -I: the folder that it is started in may have modules of somebody else.
exec python{python} -I -c 'import sys; sys.path.insert(0, sys.argv.pop(1)); from assay.__main__ import main; main()' "$home/site" "$@"
"""


def write_archive(wheel: Path, name: str, scratch: Path, directory: Path) -> Path:
    """Installs the wheel and its libraries into a folder, and packs that folder."""
    home = scratch / name
    site = home / "site"
    requirements = REPOSITORY / "images" / "runner" / "requirements.txt"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    install += ["--no-compile", "--target", str(site)]
    locked = ["--require-hashes", "--only-binary", ":all:", "-r", str(requirements)]
    run([*install, "--no-deps", *locked])
    # By name: pip records the path of a wheel that it is given.
    wheels = ["--no-index", "--find-links", str(wheel.parent)]
    run([*install, "--no-deps", *wheels, "==".join(wheel.name.split("-")[:2])])
    shutil.rmtree(site / "bin", ignore_errors=True)
    _forget_scripts(site)
    _compile(site)
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    start = home / "assay"
    start.write_text(_START.format(python=python))
    start.chmod(0o755)
    shutil.copyfile(REPOSITORY / "LICENSE", home / "LICENSE")
    target = directory / f"{name}.tar.gz"
    pack(home, target)
    step(f"wrote {target.name}")
    return target


def _forget_scripts(site: Path) -> None:
    """Scripts name the Python that has installed them, and so do their digests."""
    for record in site.glob("*.dist-info/RECORD"):
        lines = record.read_text().splitlines(keepends=True)
        record.write_text("".join(line for line in lines if not line.startswith("../../bin/")))


def _compile(site: Path) -> None:
    """Compiles to files that do not depend on the times of their sources."""
    command = [sys.executable, "-m", "compileall", "-q", "-j", "0", "-x", "/tests/"]
    command += ["--invalidation-mode", "unchecked-hash", "-s", str(site), str(site)]
    subprocess.run(command, check=False, env={**os.environ, "PYTHONHASHSEED": "0"})


def pack(home: Path, target: Path) -> None:
    """Packs a folder under its own name: the same bytes for the same files."""
    with (
        open(target, "wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed,
    ):
        write_tar([home, *sorted(home.rglob("*"))], home.parent, packed)


def write_tar(paths: Iterable[Path], base: Path, target: IO[bytes] | gzip.GzipFile) -> None:
    """Writes files and folders by their names below a base, without times and owners."""
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in paths:
            entry = tar.gettarinfo(path, arcname=str(path.relative_to(base)))
            entry.mtime = 0
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            if entry.isreg():
                with open(path, "rb") as content:
                    tar.addfile(entry, content)
            else:
                tar.addfile(entry)
