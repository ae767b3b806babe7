"""What the launcher collects of what hostile code may leave, in a directory of its own."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay_runner.frames import FrameReader
from assay_runner.launcher import collection
from assay_runner.launcher.collection import MAX_ENTRIES, collect
from assay_runner.launcher.left_files import are_left

FOLDERS = ["artifacts"]


class Collected:
    """What the supervisor was handed: the files by path, and what was said."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.message: str | None = None

    def read(self, path: str) -> bytes:
        return os.pread(self.files[path], 1 << 20, 0)

    def close(self) -> None:
        for descriptor in self.files.values():
            os.close(descriptor)


def receive(link: socket.socket, collected: Collected) -> None:
    frames, waiting = FrameReader(16 * 1024), list[int]()
    while True:
        data, descriptors, _, _ = socket.recv_fds(link, 4096, 16)
        waiting += descriptors
        assert data, "the launcher hung up"
        for message in frames.feed(data):
            if message["type"] == "collected":
                assert not waiting
                collected.message = message["message"]
                return
            for path in message["paths"]:
                collected.files[path] = waiting.pop(0)


Collect = Callable[..., Collected]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "artifacts").mkdir()
    return tmp_path


@pytest.fixture
def collected(workspace: Path) -> Iterator[Collect]:
    """A function that collects what is in the workspace."""
    with contextlib.ExitStack() as stack:

        def run(**wanted: Any) -> Collected:
            descriptor = os.open(workspace, os.O_PATH | os.O_DIRECTORY)
            stack.callback(os.close, descriptor)
            message = {"folders": FOLDERS, "files": [], "maxCount": 100, "maxBytes": 2**26}
            ours, theirs = socket.socketpair()
            found = Collected()
            stack.callback(found.close)
            with ours, theirs:
                reader = threading.Thread(target=receive, args=(theirs, found))
                reader.start()
                collect(descriptor, message | wanted, ours)
                reader.join()
            return found

        yield run


def test_files_come_in_the_order_of_their_names_with_those_below(
    workspace: Path, collected: Collect
) -> None:
    for path in ("b.txt", "a/z.txt", "a/deep/er/x.txt", "größe.txt", "leer"):
        target = workspace / "artifacts" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path if path != "leer" else "")
    found = collected()
    names = ("a/deep/er/x.txt", "a/z.txt", "b.txt", "größe.txt", "leer")
    assert list(found.files) == [f"artifacts/{name}" for name in names]
    assert found.read("artifacts/größe.txt") == "größe.txt".encode()
    assert found.message is None


@pytest.mark.probe("artifact-no-file")
def test_what_is_not_a_regular_file_is_left_out_without_being_opened(
    workspace: Path, collected: Collect
) -> None:
    folder = workspace / "artifacts"
    (workspace / "secret").mkdir()
    (workspace / "secret" / "s.txt").write_text("secret")
    (folder / "link").symlink_to(workspace / "secret" / "s.txt")
    (folder / "folder-link").symlink_to(workspace / "secret")
    (folder / "broken").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "fifo")
    with contextlib.suppress(PermissionError):
        os.mknod(folder / "null", 0o600 | 0o020000, os.makedev(1, 3))
    server = socket.socket(socket.AF_UNIX)
    cwd = os.open(folder, os.O_RDONLY)
    server.bind(f"/proc/self/fd/{cwd}/socket")
    os.close(cwd)
    (folder / "right").write_text("r")
    found = collected()
    server.close()
    assert list(found.files) == ["artifacts/right"]
    assert found.message is not None
    count = len(list(folder.iterdir())) - 1
    assert found.message.startswith(f"Left out: {count} not a regular file (artifacts/broken, ")


@pytest.mark.probe("artifact-folder-link")
def test_a_folder_that_is_a_link_is_not_entered(workspace: Path, collected: Collect) -> None:
    (workspace / "artifacts").rmdir()
    (workspace / "elsewhere").mkdir()
    (workspace / "elsewhere" / "a").write_text("a")
    (workspace / "artifacts").symlink_to("elsewhere")
    found = collected(files=["artifacts/a"])
    assert found.files == {}
    assert found.message == "Left out: 2 missing or not readable (artifacts, artifacts/a)."


def test_a_file_in_the_place_of_a_folder_is_said(workspace: Path, collected: Collect) -> None:
    (workspace / "artifacts").rmdir()
    (workspace / "artifacts").write_text("x")
    assert collected().message == "Left out: 1 missing or not readable (artifacts)."


@pytest.mark.parametrize(
    "name",
    [b"line\nfeed", b"\x1b[31mred", b"\xff\xfe", b"\xc2\x9b1m", "\u202ecod.exe".encode(), rb"a\b"],
)
@pytest.mark.probe("artifact-name")
def test_a_name_that_could_mislead_is_left_out_and_shown_without_its_effect(
    workspace: Path, collected: Collect, name: bytes
) -> None:
    Path(os.fsdecode(bytes(workspace / "artifacts") + b"/" + name)).write_text("x")
    (workspace / "artifacts" / "plain").write_text("x")
    found = collected()
    assert list(found.files) == ["artifacts/plain"]
    assert found.message is not None
    assert found.message.startswith("Left out: 1 with a path that is")
    assert all(letter.isprintable() for letter in found.message)


@pytest.mark.probe("artifact-long-path")
def test_a_path_over_256_bytes_is_left_out(workspace: Path, collected: Collect) -> None:
    folder = workspace / "artifacts" / ("d" * 200)
    folder.mkdir()
    (folder / ("f" * 45)).write_text("fits")
    (folder / ("f" * 46)).write_text("too long")
    (folder / ("f" * 255)).write_text("too long")
    found = collected()
    assert [len(path) for path in found.files] == [256]
    assert "2 with a path that is over 256 bytes" in str(found.message)


@pytest.mark.probe("artifact-sparse")
def test_a_sparse_terabyte_is_over_the_limit_and_costs_nothing(
    workspace: Path, collected: Collect
) -> None:
    with (workspace / "artifacts" / "sparse").open("wb") as file:
        file.truncate(2**40)
    with (workspace / "artifacts" / "zeros").open("wb") as file:
        file.truncate(2**20)
    found = collected()
    assert found.read("artifacts/zeros") == bytes(2**20)
    assert found.message == (
        "Left out: 1 over the 64 MiB that the files of a run may have together (artifacts/sparse)."
    )


def test_the_limits_are_of_all_files_together(workspace: Path, collected: Collect) -> None:
    for n in range(5):
        (workspace / "artifacts" / str(n)).write_bytes(bytes(40 if n != 2 else 90))
    found = collected(maxBytes=100)
    assert list(found.files) == ["artifacts/0", "artifacts/1"]
    assert "3 over the 100 bytes" in str(found.message)
    found = collected(maxCount=3)
    assert list(found.files) == [f"artifacts/{n}" for n in range(3)]
    assert found.message == (
        "Left out: 2 over the 3 files that a run may leave (artifacts/3, artifacts/4)."
    )
    assert collected(maxCount=0, maxBytes=0).files == {}


@pytest.mark.slow
@pytest.mark.probe("artifact-deep")
def test_a_tree_10000_deep_is_entered_to_its_sixteenth_folder(
    workspace: Path, collected: Collect
) -> None:
    folder = os.open(workspace / "artifacts", os.O_RDONLY)
    for depth in range(10_000):
        with open(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=folder), "w") as file:
            file.write(str(depth))
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    found = collected()
    assert len(found.files) == collection.MAX_DEPTH
    assert found.read("artifacts/" + "d/" * 15 + "f") == b"15"
    assert "1 too deep (artifacts/d/d/" in str(found.message)
    remove_deep(workspace / "artifacts")


def remove_deep(folder: Path) -> None:
    """Python's own removal would run out of descriptors or stack."""
    parent = folder.parent
    while (folder / "d").is_dir():
        (folder / "f").unlink()
        os.rename(folder / "d", parent / "next")
        folder.rmdir()
        os.rename(parent / "next", folder)


@pytest.mark.slow
@pytest.mark.probe("artifact-many")
def test_of_100000_entries_10000_are_looked_at(workspace: Path, collected: Collect) -> None:
    folder = os.open(workspace / "artifacts", os.O_RDONLY)
    for n in range(100_000):
        os.close(os.open(str(n), os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    found = collected()
    assert len(found.files) == 100
    assert found.message is not None
    assert found.message.startswith("Left out: 9900 over the 100 files that a run may leave")
    assert found.message.endswith("Collecting was stopped: there are more than 10000 entries.")


@pytest.mark.probe("artifact-hard-link")
def test_a_second_name_of_a_file_is_a_second_artifact(workspace: Path, collected: Collect) -> None:
    (workspace / "artifacts" / "a").write_text("x")
    os.link(workspace / "artifacts" / "a", workspace / "artifacts" / "b")
    assert list(collected().files) == ["artifacts/a", "artifacts/b"]


@pytest.mark.probe("artifact-closed")
def test_a_file_without_permissions_is_left_out(workspace: Path) -> None:
    (workspace / "artifacts" / "none").write_text("x")
    (workspace / "artifacts" / "none").chmod(0)
    (workspace / "artifacts" / "closed").mkdir(mode=0)
    (workspace / "artifacts" / "right").write_text("x")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            workspace.parent.chmod(0o755)
            if os.geteuid() == 0:
                drop_privileges(workspace)
            found, pair = Collected(), socket.socketpair()
            thread = threading.Thread(target=receive, args=(pair[1], found))
            thread.start()
            descriptor = os.open(".", os.O_PATH)
            message = {"folders": FOLDERS, "files": [], "maxCount": 9, "maxBytes": 99}
            collect(descriptor, message, pair[0])
            thread.join()
            os.write(writer, json.dumps([list(found.files), found.message]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as said:
        files, message = json.loads(said.read())
    os.waitpid(child, 0)
    assert files == ["artifacts/right"]
    assert message == ("Left out: 2 missing or not readable (artifacts/closed, artifacts/none).")


def drop_privileges(workspace: Path) -> None:
    for path in (workspace, workspace / "artifacts", *(workspace / "artifacts").iterdir()):
        os.chown(path, 65533, 65533)
    os.chdir(workspace)
    os.setgroups([])
    os.setgid(65533)
    os.setuid(65533)


@pytest.mark.probe("artifact-mount")
def test_a_file_on_another_volume_is_left_out(
    workspace: Path, collected: Collect, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "artifacts" / "mounted").mkdir()
    (workspace / "artifacts" / "mounted" / "a").write_text("x")
    (workspace / "artifacts" / "own").write_text("x")
    plain = os.lstat

    def lstat(name: str, dir_fd: int | None = None) -> os.stat_result:
        state = plain(name, dir_fd=dir_fd)
        if name == "mounted":
            fields = list(state)
            fields[2] += 1
            return os.stat_result(fields)
        return state

    monkeypatch.setattr(os, "lstat", lstat)
    found = collected()
    assert list(found.files) == ["artifacts/own"]
    assert found.message == "Left out: 1 on another volume (artifacts/mounted)."


def test_single_files_are_collected_wherever_they_are_and_once(
    workspace: Path, collected: Collect
) -> None:
    (workspace / "artifacts" / "a").write_text("a")
    (workspace / "top").write_text("t")
    (workspace / "below").mkdir()
    (workspace / "below" / "b").write_text("b")
    found = collected(files=["top", "artifacts/a", "below/b", "missing", "below"])
    assert list(found.files) == ["artifacts/a", "top", "below/b"]
    assert found.message == (
        "Left out: 1 missing or not readable (missing); 1 not a regular file (below)."
    )


def test_files_of_the_user_come_before_those_of_code_mode(
    workspace: Path, collected: Collect
) -> None:
    for path in (".work/logs/a.err", "registered", "reports/r.html"):
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(path)
    (workspace / ".work" / "registered").write_text("registered\n")
    folders = [".work", "reports"]
    found = collected(folders=folders)
    assert list(found.files)[:2] == ["reports/r.html", "registered"]
    assert ".work/logs/a.err" in found.files
    assert list(collected(folders=folders, maxCount=2).files) == ["reports/r.html", "registered"]


@pytest.mark.probe("artifact-registered")
def test_registered_files_are_checked_as_all_others(workspace: Path, collected: Collect) -> None:
    (workspace / ".work").mkdir()
    (workspace / "top").write_text("t")
    (workspace / "link").symlink_to("/etc/passwd")
    lines = b"top\n../../etc/passwd\n/etc/passwd\n\xff\n\nlink\ntop\nno\0\n"
    (workspace / ".work" / "registered").write_bytes(lines)
    found = collected()
    assert list(found.files) == ["top"]
    assert found.message is not None
    assert "4 with a path" in found.message
    assert "1 not a regular file (link)" in found.message


@pytest.mark.probe("artifact-register")
def test_of_a_list_of_registered_files_64_kib_are_read(workspace: Path, collected: Collect) -> None:
    (workspace / ".work").mkdir()
    with (workspace / ".work" / "registered").open("wb") as file:
        file.write(b"x\n" * 100)
        file.truncate(2**40)
    assert collected().files == {}
    (workspace / ".work" / "registered").unlink()
    os.mkfifo(workspace / ".work" / "registered")
    assert collected().message is None


def test_collecting_stops_when_its_time_is_over(
    workspace: Path, collected: Collect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(5):
        (workspace / "artifacts" / str(n)).write_text("x")
    times = iter([0.0, 1.0, 2.0, *[collection.MAX_SECONDS] * 10])
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    found = collected()
    assert list(found.files) == ["artifacts/0", "artifacts/1"]
    assert found.message == "Collecting was stopped: it took longer than 10 s."


def test_files_that_the_kernel_does_not_let_pass_are_said(
    workspace: Path, collected: Collect, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "artifacts" / "a").write_text("x")

    def refuse(*_: object) -> int:
        raise OSError(109, "Too many references: cannot splice")

    monkeypatch.setattr(socket, "send_fds", refuse)
    assert collected().message == (
        "Collecting was stopped: files could not be handed over:"
        " Too many references: cannot splice."
    )


def test_more_files_than_are_handed_over_at_once_keep_their_descriptors(
    workspace: Path, collected: Collect
) -> None:
    for n in range(100):
        (workspace / "artifacts" / f"{'ä' * 100}{n:03}").write_text(str(n))
    found = collected()
    assert [found.read(path) for path in found.files] == [str(n).encode() for n in range(100)]


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_no_descriptor_is_left_open(workspace: Path, collected: Collect) -> None:
    folder = workspace / "artifacts" / "a" / "b"
    folder.mkdir(parents=True)
    for n in range(20):
        (folder / str(n)).write_text("x")
    (folder / "link").symlink_to("0")
    before = open_descriptors()
    found = collected(files=["no/where", "artifacts/a/b/link"])
    found.close()
    found.files.clear()
    assert open_descriptors() == before + 1  # that of the workspace


def test_files_anywhere_are_collected_but_none_that_the_job_brought_and_no_cache(
    workspace: Path, collected: Collect
) -> None:
    for path in (
        "report.xlsx",
        "out/deep/a.csv",
        "artifacts/.hidden",
        "helpers.py",
        ".cache/fontlist.json",
        ".secret",
        "__pycache__/helpers.pyc",
        "data/processed/p.csv",
        "data/raw/r.csv",
        "Report.xlsx",
        "main.py",
    ):
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("x")
    (workspace / "sales.csv").symlink_to("/etc/passwd")
    (workspace / "proc").symlink_to("/proc")
    os.mkfifo(workspace / "fifo")
    found = collected(folders=["artifacts", "data/processed"], anywhere=True, given=["helpers.py"])
    assert list(found.files) == [
        "artifacts/.hidden",
        "data/processed/p.csv",
        "Report.xlsx",
        "data/raw/r.csv",
        "out/deep/a.csv",
        "report.xlsx",
    ]
    assert found.message == "Left out: 1 not a regular file (fifo)."


def test_a_working_directory_of_very_many_files_is_looked_at_up_to_the_limit(
    workspace: Path, collected: Collect
) -> None:
    for number in range(MAX_ENTRIES + 10):
        (workspace / f"{number}.txt").touch()
    found = collected(anywhere=True)
    assert len(found.files) == 100
    assert found.message is not None
    assert found.message.endswith(
        f"Collecting was stopped: there are more than {MAX_ENTRIES} entries."
    )


@pytest.mark.parametrize(
    ("left", "is_left"),
    [
        (None, False),
        ("a.txt", True),
        ("artifacts/a", True),
        (".hidden", False),
        ("given.py", False),
    ],
)
def test_a_workspace_where_nothing_was_left_is_not_collected(
    workspace: Path, left: str | None, is_left: bool
) -> None:
    (workspace / "df.csv").symlink_to("/nowhere")
    if left is not None:
        (workspace / left).touch()
    # Written after all that the job brings.
    (workspace / "main.py").touch()
    descriptor = os.open(workspace, os.O_PATH | os.O_DIRECTORY)
    wanted = {"folders": ["artifacts"], "files": [], "anywhere": True, "given": ["given.py"]}
    try:
        assert are_left(descriptor, wanted) == is_left
    finally:
        os.close(descriptor)


def test_a_file_of_the_job_that_code_has_changed_is_collected(
    workspace: Path, collected: Collect
) -> None:
    (workspace / "same.csv").write_text("a")
    (workspace / "changed.csv").write_text("a")
    (workspace / "main.py").write_text("code")
    began = os.stat(workspace / "main.py").st_ctime_ns
    while os.stat(workspace / "changed.csv").st_ctime_ns <= began:
        (workspace / "changed.csv").write_text("b")
    found = collected(anywhere=True, given=["same.csv", "changed.csv"])
    assert list(found.files) == ["changed.csv"]


def test_a_folder_that_cannot_be_entered_is_named(workspace: Path) -> None:
    (workspace / "artifacts").chmod(0o604)
    workspace.chmod(0o755)
    descriptor = os.open(workspace, os.O_PATH | os.O_DIRECTORY)
    child = os.fork()
    if child == 0:
        # Root may enter any folder.
        status = 2
        with contextlib.suppress(BaseException):
            os.setuid(65534)
            status = 0 if are_left(descriptor, {"folders": ["artifacts"], "files": []}) else 1
        os._exit(status)
    os.close(descriptor)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
