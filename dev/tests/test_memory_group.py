"""Where local mode's containers may have a cgroup, tested in a simulated tree."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "local/src/main/python"))

from assay_container import memory_group

_LIMIT = 64 * 1024 * 1024
_NO_PROCESS = 2**30


class Machine:
    """A cgroup2 mount, and what `/proc` says of a process in it."""

    def __init__(self, directory: Path) -> None:
        self._mount = directory / "cgroup"
        self._process = directory / "process"
        self._process.mkdir()
        self.group("")
        self.mounted()

    def group(self, path: str, controllers: str = "") -> Path:
        group = self._mount / path
        group.mkdir(parents=True)
        (group / "cgroup.subtree_control").write_text(f"{controllers}\n")
        (group / "cgroup.procs").touch()
        return group

    def mounted(self, root: str = "/") -> None:
        (self._process / "mountinfo").write_text(
            "21 1 0:20 / /proc rw,relatime - proc proc rw\n"
            f"30 1 0:26 {root} {self._mount} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
        )

    def process_in(self, path: str) -> None:
        (self._process / "cgroup").write_text(f"4:memory:/elsewhere\n0::/{path}\n")

    def create(self) -> memory_group.MemoryGroup | None:
        return memory_group.create(_LIMIT, str(self._process))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _made(parent: Path) -> list[str]:
    return sorted(path.name for path in parent.iterdir() if path.is_dir())


def test_the_group_is_next_to_that_of_whoever_makes_it(machine: Machine) -> None:
    machine.group("user.slice", "cpu memory pids")
    slice_ = machine.group("user.slice/app.slice", "memory pids")
    own = machine.group("user.slice/app.slice/terminal.scope")
    machine.process_in("user.slice/app.slice/terminal.scope")

    assert machine.create() is not None

    group = slice_ / f"assay-{os.getpid()}"
    assert (group / "memory.max").read_text() == str(_LIMIT)
    assert (group / "memory.swap.max").read_text() == "0"
    assert (group / "memory.oom.group").read_text() == "1"
    assert _made(own) == []


def test_a_group_that_hands_no_memory_down_is_passed_over(machine: Machine) -> None:
    outer = machine.group("user.slice", "memory")
    inner = machine.group("user.slice/app.slice", "pids")
    machine.process_in("user.slice/app.slice")

    assert machine.create() is not None
    assert _made(outer) == ["app.slice", f"assay-{os.getpid()}"]
    assert _made(inner) == []


def test_the_outermost_group_counts_too(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "cgroup/cgroup.subtree_control").write_text("memory\n")
    machine.process_in("")

    assert machine.create() is not None
    assert _made(tmp_path / "cgroup") == [f"assay-{os.getpid()}"]


def test_a_part_of_the_tree_that_is_mounted_alone_is_searched(machine: Machine) -> None:
    slice_ = machine.group("app.slice", "memory")
    machine.mounted(root="/docker/7f")
    machine.process_in("docker/7f/app.slice/terminal.scope")

    assert machine.create() is not None
    assert _made(slice_) == [f"assay-{os.getpid()}"]


@pytest.mark.parametrize("where", ["../other", "docker/7fab", "elsewhere"])
def test_a_process_outside_of_what_is_mounted_gets_no_group(machine: Machine, where: str) -> None:
    machine.group("ab", "memory")
    machine.mounted(root="/docker/7f")
    machine.process_in(where)

    assert machine.create() is None


def test_without_the_memory_controller_there_is_no_group(machine: Machine) -> None:
    machine.group("user.slice", "cpu pids")
    machine.process_in("user.slice")

    assert machine.create() is None


def test_without_cgroup_v2_there_is_no_group(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "process/cgroup").write_text("4:memory:/\n")

    assert machine.create() is None


@pytest.mark.parametrize("refused", ["", "cgroup.procs"])
def test_a_group_of_somebody_else_is_passed_over(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    outer = machine.group("root.slice", "memory")
    machine.process_in("root.slice")
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != outer / refused)

    assert machine.create() is None
    assert _made(outer) == []


def test_empty_groups_of_processes_that_are_gone_are_removed(machine: Machine) -> None:
    slice_ = machine.group("app.slice", "memory")
    machine.process_in("app.slice")
    for name in (f"assay-{_NO_PROCESS}", f"assay-{os.getpid()}", "assay-1", "other"):
        (slice_ / name).mkdir()

    assert machine.create() is not None
    assert _made(slice_) == ["assay-1", f"assay-{os.getpid()}", "other"]


def test_only_what_the_kernel_killed_has_run_out(tmp_path: Path) -> None:
    group = memory_group.MemoryGroup(str(tmp_path))
    events = tmp_path / "memory.events"

    events.write_text("low 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n")
    assert not group.ran_out()

    events.write_text("low 0\nmax 9\noom 1\noom_kill 3\noom_group_kill 1\n")
    assert group.ran_out()


def test_a_group_that_is_left_is_removed(tmp_path: Path) -> None:
    directory = tmp_path / "group"
    directory.mkdir()

    memory_group.MemoryGroup(str(directory)).remove()

    assert not directory.exists()
