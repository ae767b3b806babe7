"""Cleanup removes snapshots that are not in use, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay_runner.snapshot.cleanup import Swept, main, sweep

FIRST = "11111111-aaaa-4aaa-8aaa-111111111111"
SECOND = "22222222-bbbb-4bbb-8bbb-222222222222"
LONG_AGO = 1_000_000_000.0
BEFORE = 1_500_000_000.0
SINCE = 1_600_000_000.0


def age(path: Path, seconds: float) -> None:
    os.utime(path, (seconds, seconds), follow_symlinks=False)


def snapshot(volume: Path, uid: str, version: str, changed: float = LONG_AGO) -> Path:
    directory = volume / "snapshots" / uid / version
    directory.mkdir(parents=True)
    for name in ("source.csv", "description.json"):
        (directory / name).write_text("12345")
        age(directory / name, changed)
    for path in (directory, directory.parent):
        age(path, changed)
    return directory


def swept(volume: Path, *in_use: Path) -> Swept:
    kept = frozenset(str(path.relative_to(volume)) for path in in_use)
    return sweep(str(volume), kept, BEFORE)


def test_snapshots_that_are_not_in_use_are_removed_and_the_others_kept(tmp_path: Path) -> None:
    replaced = snapshot(tmp_path, FIRST, "1-0")
    current = snapshot(tmp_path, FIRST, "2-1")
    deleted = snapshot(tmp_path, SECOND, "1-0")

    assert swept(tmp_path, current) == Swept(removed=2, bytes=20, kept=1, failed=0)

    assert (current / "source.csv").read_text() == "12345"
    assert not replaced.exists()
    assert not deleted.parent.exists()


def test_a_second_sweep_finds_nothing_left_to_do(tmp_path: Path) -> None:
    current = snapshot(tmp_path, FIRST, "2-1")
    snapshot(tmp_path, FIRST, "1-0")
    swept(tmp_path, current)
    assert swept(tmp_path, current) == Swept(kept=1)


def test_a_snapshot_made_after_the_list_is_kept(tmp_path: Path) -> None:
    made_since = snapshot(tmp_path, FIRST, "1-0", SINCE)
    assert swept(tmp_path) == Swept(kept=1)
    assert made_since.exists()


def folder_of_files(snapshot: Path) -> Path:
    """Add two files in folders; returns the inner one."""
    folder = snapshot / "source" / "year=2024"
    folder.mkdir(parents=True)
    outside = snapshot.parents[2] / "outside"
    outside.write_text("x" * 1000)
    (folder / "link").symlink_to(outside)
    for path in (folder / "a.parquet", folder.parent / "b.parquet"):
        path.write_text("123")
        age(path, LONG_AGO)
    for path in (folder / "link", folder, folder.parent, snapshot):
        age(path, LONG_AGO)
    return folder


def test_files_in_folders_of_a_snapshot_count(tmp_path: Path) -> None:
    old = snapshot(tmp_path, FIRST, "1-0")
    folder = folder_of_files(old)
    link = (folder / "link").lstat().st_size
    assert swept(tmp_path) == Swept(removed=1, bytes=10 + 6 + link)
    assert (tmp_path / "outside").exists()


@pytest.mark.parametrize("changed", ["", "a.parquet"])
def test_a_snapshot_with_a_folder_modified_after_the_list_is_kept(
    tmp_path: Path, changed: str
) -> None:
    written = folder_of_files(snapshot(tmp_path, FIRST, "1-0")) / changed
    age(written, SINCE)
    assert swept(tmp_path) == Swept(kept=1)
    assert written.exists()


@pytest.mark.parametrize("changed", ["", "source.csv"])
def test_a_snapshot_modified_after_the_list_is_kept(tmp_path: Path, changed: str) -> None:
    written = snapshot(tmp_path, FIRST, "1-0")
    age(written / changed, SINCE)
    assert swept(tmp_path) == Swept(kept=1)
    assert (written / "source.csv").exists()


def test_an_empty_dataset_directory_is_removed_if_it_is_old_and_not_in_use(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "snapshots"
    used = folder / FIRST / "3-0"
    for uid, changed in ((FIRST, LONG_AGO), (SECOND, LONG_AGO)):
        (folder / uid).mkdir(parents=True)
        age(folder / uid, changed)
    fresh = folder / "33333333-cccc-4ccc-8ccc-333333333333"
    fresh.mkdir()
    age(fresh, SINCE)

    assert swept(tmp_path, used) == Swept()

    assert (folder / FIRST).exists()
    assert not (folder / SECOND).exists()
    assert fresh.exists()


def test_a_volume_without_snapshots_is_left_as_it_is(tmp_path: Path) -> None:
    assert swept(tmp_path) == Swept()
    assert list(tmp_path.iterdir()) == []


def test_a_directory_not_named_like_a_snapshot_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    strangers = [
        folder / FIRST / "..data",
        folder / FIRST / "1",
        folder / FIRST / "1-0-0",
        folder / FIRST / "-1-0",
        folder / FIRST / "1-0\n",
        folder / FIRST / "٣-0",
        folder / FIRST.upper() / "1-0",
        folder / (FIRST + "0") / "1-0",
        folder / "..." / "1-0",
        folder / "lost+found" / "1-0",
        tmp_path / FIRST / "1-0",
        folder / FIRST / "keep" / "1-0",
    ]
    for stranger in strangers:
        stranger.mkdir(parents=True)
        age(stranger, LONG_AGO)
    files = [folder / "1-0", folder / SECOND, folder / FIRST / "7-0"]
    for file in files:
        file.write_text("a file where a directory is expected")
        age(file, LONG_AGO)

    assert swept(tmp_path) == Swept()

    assert all(path.exists() for path in (*strangers, *files))


def test_no_symbolic_link_is_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    elsewhere = snapshot(outside, FIRST, "1-0")
    volume = tmp_path / "volume"
    links = [volume / "snapshots" / SECOND / "1-0", volume / "snapshots" / FIRST]
    links[0].parent.mkdir(parents=True)
    links[0].symlink_to(elsewhere)
    links[1].symlink_to(elsewhere.parent)
    for link in links:
        age(link, LONG_AGO)
    age(links[0].parent, LONG_AGO)

    assert swept(volume) == Swept()

    assert (elsewhere / "source.csv").exists()
    assert all(link.is_symlink() for link in links)


def test_links_inside_a_snapshot_are_removed_and_their_targets_kept(tmp_path: Path) -> None:
    outside = tmp_path / "precious"
    outside.mkdir()
    (outside / "file").write_text("precious")
    volume = tmp_path / "volume"
    old = snapshot(volume, FIRST, "1-0")
    (old / "inner").mkdir()
    for link in (old / "link", old / "inner" / "link"):
        link.symlink_to(outside)
        age(link, LONG_AGO)
    age(old / "inner", LONG_AGO)
    age(old, LONG_AGO)

    assert swept(volume).removed == 1

    assert not old.exists()
    assert (outside / "file").read_text() == "precious"


def test_a_volume_whose_folder_is_a_link_is_refused(tmp_path: Path) -> None:
    elsewhere = snapshot(tmp_path / "outside", FIRST, "1-0")
    volume = tmp_path / "volume"
    volume.mkdir()
    (volume / "snapshots").symlink_to(elsewhere.parent.parent)
    with pytest.raises(NotADirectoryError):
        swept(volume)
    assert elsewhere.exists()


def test_a_failed_removal_is_reported_and_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stuck = snapshot(tmp_path, FIRST, "1-0")
    removed = snapshot(tmp_path, SECOND, "1-0")
    unlink = os.unlink

    def refuse(name: str, *, dir_fd: int) -> None:
        if os.fstat(dir_fd).st_ino == stuck.stat().st_ino:
            raise PermissionError(13, "Permission denied")
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", refuse)

    assert main(["--made-before", str(BEFORE), "--keep"], str(tmp_path)) == 1

    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"removed": 1, "bytes": 10, "kept": 0, "failed": 1}
    assert f"snapshots/{FIRST}/1-0: " in printed.err
    assert stuck.exists()
    assert not removed.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--keep"],
        ["--made-before", str(BEFORE)],
        ["--made-before", "soon", "--keep"],
        ["--made-before", str(BEFORE), "--keep", f"snapshots/{FIRST}"],
        ["--made-before", str(BEFORE), "--keep", f"snapshots/{FIRST}/../1-0"],
        ["--made-before", str(BEFORE), "--keep", f"{FIRST}/1-0"],
    ],
)
def test_nothing_is_removed_if_the_arguments_are_invalid(
    tmp_path: Path, arguments: list[str]
) -> None:
    old = snapshot(tmp_path, FIRST, "1-0")
    with pytest.raises(SystemExit) as ended:
        main(arguments, str(tmp_path))
    assert ended.value.code == 2
    assert old.exists()


def test_it_runs_as_the_pod_runs_it(tmp_path: Path) -> None:
    current = snapshot(tmp_path, FIRST, "2-0")
    snapshot(tmp_path, FIRST, "1-0")
    source = str(Path(__file__).parents[1] / "src")
    order = ["--made-before", str(BEFORE), "--keep", str(current.relative_to(tmp_path))]
    ended = subprocess.run(
        [sys.executable, "-m", "assay_runner.cleanup", *order],
        env={"ASSAY_SNAPSHOTS_DIR": str(tmp_path), "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == {"removed": 1, "bytes": 10, "kept": 1, "failed": 0}
    assert [entry.name for entry in current.parent.iterdir()] == ["2-0"]
