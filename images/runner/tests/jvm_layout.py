"""The directory of the JVM workers, as the image has it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).parents[3]
_LAYOUT = _REPOSITORY / "images" / "jvm-runner" / "target" / "dist"


def _java_home() -> Path | None:
    found = subprocess.run(  # noqa: S603 - a program of this repository
        [_REPOSITORY / "dev" / "jdk"], capture_output=True, text=True, check=False
    )
    return Path(found.stdout.strip()) if found.returncode == 0 else None


JAVA = _java_home()


def needs(jar: str) -> list[pytest.MarkDecorator]:
    """Return the marks of tests that start a worker from a jar of the layout."""
    return [
        pytest.mark.executed,
        pytest.mark.skipif(JAVA is None, reason="no JDK 25: see dev/jdk"),
        pytest.mark.skipif(
            not (_LAYOUT / jar).is_file(),
            reason="the JVM workers are not built: ./mvnw -pl images/jvm-runner package",
        ),
    ]


def make(directory: Path) -> Path:
    """Make the directory, with the JDK as its runtime."""
    assert JAVA is not None
    (directory / "jre").symlink_to(JAVA)
    for file in _LAYOUT.iterdir():
        if file.name.startswith("start"):
            shutil.copy(file, directory / file.name)
        elif file.name != "jre":
            (directory / file.name).symlink_to(file)
    return directory
