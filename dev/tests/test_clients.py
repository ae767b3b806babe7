"""What installs outside clients."""

from pathlib import Path

import pytest

from e2e import clients


def test_a_folder_is_filled_once_and_never_seen_half(tmp_path: Path) -> None:
    home = tmp_path / "cache" / "digest"

    def interrupted(folder: Path) -> None:
        (folder / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        clients._fresh(home, interrupted)
    assert list(home.parent.iterdir()) == []

    clients._fresh(home, lambda folder: (folder / "whole").touch())
    clients._fresh(home, interrupted)
    assert sorted(path.name for path in home.iterdir()) == ["complete", "whole"]


def test_of_two_that_fill_a_folder_at_once_the_second_takes_the_first(tmp_path: Path) -> None:
    home = tmp_path / "digest"

    def slow(folder: Path) -> None:
        clients._fresh(home, lambda other: (other / "first").touch())
        (folder / "second").touch()

    clients._fresh(home, slow)
    assert (home / "first").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["digest"]
