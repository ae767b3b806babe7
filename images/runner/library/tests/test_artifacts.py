"""Files that are registered explicitly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.mcp import register_artifact


def test_registered_paths_are_relative_to_where_the_run_began(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / ".work").mkdir()
    (workspace / "a").mkdir()
    (workspace / "a/b c.txt").touch()
    (workspace / "d").touch()
    assert register_artifact(workspace / "d") == "d"
    monkeypatch.chdir("a")
    assert register_artifact("b c.txt") == "a/b c.txt"
    assert (workspace / ".work/registered").read_text() == "d\na/b c.txt\n"


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"'none\.txt'"):
        register_artifact("none.txt")


@pytest.mark.parametrize("kind", ["directory", "link", "pipe", "outside", "newline", "long"])
def test_only_a_regular_file_of_the_working_directory_is_registered(
    kind: str, workspace: Path
) -> None:
    path = workspace / "x"
    match kind:
        case "directory":
            path.mkdir()
        case "link":
            path.symlink_to("/etc/hostname")
        case "pipe":
            os.mkfifo(path)
        case "outside":
            (workspace / "up").symlink_to("/etc")
            path = workspace / "up" / "hostname"
        case "newline":
            path = workspace / "a\nb"
            path.touch()
        case "long":
            path = workspace / ("d" * 200) / ("f" * 100)
            path.parent.mkdir()
            path.touch()
    with pytest.raises(ValueError, match=r"not a regular file|not below|path over"):
        register_artifact(path)
    assert not (workspace / ".work").exists()
