"""The package is built, and works where the runner is not."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
SOURCES = PROJECT / "src"


def test_the_wheel_has_all_modules_and_works_without_the_runner(workspace: Path) -> None:
    pytest.importorskip("setuptools", reason="builds the package")
    build = (
        "import os, sys, setuptools.build_meta as backend\n"
        "os.chdir(sys.argv[1])\n"
        "print(backend.build_wheel(sys.argv[2]))"
    )
    # In a copy: a build leaves files in the folder of the sources.
    copy = workspace / "project"
    copy.mkdir()
    for file in [PROJECT / "pyproject.toml", *SOURCES.rglob("*.py"), *SOURCES.rglob("py.typed")]:
        target = copy / file.relative_to(PROJECT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    subprocess.run([sys.executable, "-c", build, copy, workspace], check=True, capture_output=True)
    (wheel,) = workspace.glob("assay_orchestrator-*.whl")
    expected = {
        file.relative_to(SOURCES).as_posix()
        for pattern in ("*.py", "py.typed")
        for file in SOURCES.rglob(pattern)
    }
    with zipfile.ZipFile(wheel) as archive:
        assert expected <= set(archive.namelist())
    use = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import orchestrator.mcp, pandas\n"
        "frame = pandas.DataFrame({'a': [1]})\n"
        "print(orchestrator.mcp.data.validate_schema(frame, ['a'])['valid'])\n"
        "assert not any(name.startswith('assay') for name in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", use, wheel], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
