"""Which JDK the build takes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from cluster.settings import REPOSITORY


def jdk(directory: Path, version: str) -> Path:
    (directory / "bin").mkdir(parents=True)
    (directory / "bin" / "javac").touch(mode=0o755)
    (directory / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return directory


def found(java_home: Path, home: Path) -> str:
    environment = {**os.environ, "JAVA_HOME": str(java_home), "HOME": str(home), "PATH": "/bin"}
    return subprocess.run(
        [REPOSITORY / "dev" / "jdk"], env=environment, capture_output=True, text=True, check=False
    ).stdout.strip()


def test_the_jdk_of_java_home_is_taken_where_it_is_the_right_one(tmp_path: Path) -> None:
    right = jdk(tmp_path / "right", "25.0.1")
    assert found(right, tmp_path) == str(right)


def test_a_jdk_of_another_version_is_passed_over(tmp_path: Path) -> None:
    jdk(tmp_path / "home" / ".jdks" / "right", "25.0.1")
    wrong = jdk(tmp_path / "wrong", "17.0.2")
    assert found(wrong, tmp_path / "home") not in (str(wrong), "")
