"""The package is small, starts fast, and uses what Python has on all systems."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fake_assay import FakeAssay

PROJECT = Path(__file__).parents[1]
SOURCES = PROJECT / "src"
MODULES = sorted(SOURCES.rglob("*.py"))
MEGABYTE = 1 << 20

#: Not on all of Linux, macOS and Windows.
NOT_PORTABLE = {"fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "msvcrt", "winreg"}
NOT_EVERYWHERE = {
    *("fork", "forkpty", "getuid", "geteuid", "getgid", "setsid", "killpg", "mkfifo", "uname"),
    *(
        "chown",
        "statvfs",
        "O_NOFOLLOW",
        "O_DIRECTORY",
        "AF_UNIX",
        "SIGKILL",
        "SIGHUP",
        "pidfd_open",
    ),
}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_a_module_uses_only_what_all_systems_have(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    imported = {
        name.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    } | {
        (node.module or "").partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert imported <= {"assay_client", "pandas", *sys.stdlib_module_names}
    assert not imported & NOT_PORTABLE
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not used & NOT_EVERYWHERE


def test_a_start_does_not_import_what_only_some_commands_need() -> None:
    shown = (
        "import sys; before = set(sys.modules); import assay_client._commands;"
        " print(' '.join(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(SOURCES)!r}); {shown}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"pandas", "numpy", "asyncio", "tempfile"}


def build(target: Path, tmp_path: Path) -> Path:
    """The wheel, built in another folder, at another time and by another umask."""
    copy = tmp_path / "project"
    shutil.copytree(
        PROJECT, copy, ignore=shutil.ignore_patterns("__pycache__", "dist", "*.egg-info")
    )
    for file in copy.rglob("*"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
        if file.is_file() and file.suffix:
            file.chmod(0o600)
    code = (
        "import os, sys, setuptools.build_meta as backend\n"
        "os.chdir(sys.argv[1])\n"
        "backend.build_wheel(sys.argv[2])"
    )
    target.mkdir()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(
        [sys.executable, "-c", code, copy, target], check=True, capture_output=True, env=environment
    )
    (wheel,) = target.glob("assay_client-*.whl")
    return wheel


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    pytest.importorskip("setuptools", minversion="77", reason="builds the package")
    return build(tmp_path / "wheel", tmp_path)


def test_the_wheel_has_all_modules_and_is_small(wheel: Path) -> None:
    expected = {file.relative_to(SOURCES).as_posix() for file in MODULES}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (file,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(file).decode()
    assert expected | {"assay_client/py.typed"} <= names
    assert wheel.stat().st_size < MEGABYTE / 10
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert all("extra ==" in line for line in required)


def test_the_wheel_works_by_itself(wheel: Path, fake: FakeAssay, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay_client", "datasets", "ls"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(wheel), "ASSAY_ENDPOINT": fake.url},
        check=False,
    )
    assert (done.stdout, done.stderr) == ("No datasets.\n", "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="client/wheel is a script of bash")
def test_two_builds_are_the_same_to_the_byte(tmp_path: Path) -> None:
    wheels = []
    for umask, folder in ((0o022, "one"), (0o077, "two")):
        done = subprocess.run(
            [PROJECT / "wheel", tmp_path / folder],
            check=True,
            capture_output=True,
            text=True,
            umask=umask,
        )
        wheels.append(Path(done.stdout.strip()).read_bytes())
    assert wheels[0] == wheels[1]
