"""Unit tests of small parts of the processes."""

from __future__ import annotations

import contextlib
import gc
import os
from pathlib import Path

import pytest

from assay_runner.frames import FrameError, FrameReader, encode
from assay_runner.imports import gc_paused
from assay_runner.launcher.container_memory import is_memory_short, oom_kills
from assay_runner.supervisor.ending import Outcome, Stop, decide
from assay_runner.supervisor.snapshot_digest import digest_source
from assay_runner.supervisor.worker_messages import CodeError, Exit, WorkerResult
from assay_runner.text import cut_middle


def test_frames_survive_being_cut_anywhere() -> None:
    data = encode({"a": "é"}) + encode({})
    reader = FrameReader(100)
    messages = [message for byte in data for message in reader.feed(bytes([byte]))]
    assert messages == [{"a": "é"}, {}]


def test_a_good_frame_counts_although_a_broken_one_follows() -> None:
    messages = FrameReader(100).feed(encode({"a": 1}) + b"\xff\xff\xff\xff")
    assert next(messages) == {"a": 1}
    with pytest.raises(FrameError):
        next(messages)


def test_a_frame_over_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(FrameError):
        list(FrameReader(10).feed(b"\x00\x00\x00\x0b"))


@pytest.mark.parametrize("body", [b"[" * 50_000, b"\xff", b"NaN", b"1"])
def test_a_frame_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(FrameError):
        list(FrameReader(100_000).feed(len(body).to_bytes(4, "big") + body))


def test_text_is_cut_in_the_middle_to_a_number_of_bytes() -> None:
    assert cut_middle("short", 64) == "short"
    for text in ("x" * 1000, "é" * 100_000, "😀" * 500):
        cut = cut_middle(text, 100)
        assert len(cut.encode()) <= 100
        assert (cut[0], cut[-1]) == (text[0], text[-1])
        assert "left out" in cut
    assert cut_middle("\ud800", 64) == "\\ud800"


def test_memory_kills_are_read_from_either_version_of_cgroups(tmp_path: Path) -> None:
    assert oom_kills(str(tmp_path)) is None
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.oom_control").write_text("under_oom 0\noom_kill 2\n")
    assert oom_kills(str(tmp_path)) == 2
    (tmp_path / "memory.events").write_text("oom 9\noom_kill 3\noom_group_kill 1\n")
    assert oom_kills(str(tmp_path)) == 3


def test_whether_memory_is_short_is_read_from_either_version_of_cgroups(tmp_path: Path) -> None:
    assert not is_memory_short(str(tmp_path))
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text(f"{100 * 2**20}\n")
    (tmp_path / "memory" / "memory.usage_in_bytes").write_text(f"{69 * 2**20}\n")
    assert is_memory_short(str(tmp_path))
    (tmp_path / "memory.current").write_text(f"{67 * 2**20}\n")
    (tmp_path / "memory.max").write_text(f"{100 * 2**20}\n")
    assert not is_memory_short(str(tmp_path))
    (tmp_path / "memory.max").write_text("max\n")
    assert is_memory_short(str(tmp_path)), "version 1 has a limit"


def exited(*, code: int | None = None, signal: int | None = None, oom: bool = False) -> Exit:
    return Exit(code=code, signal=signal, oom_killed=oom, cpu_ms=1, peak_memory_bytes=1)


GOOD = WorkerResult(None, None)
BAD = WorkerResult(CodeError("KeyError", "'x'"), None)
LOST = WorkerResult(CodeError("BrokenProcessPool", "A process was terminated abruptly"), None)


@pytest.mark.parametrize(
    ("started", "stop", "result", "exit_report", "outcome"),
    [
        (True, None, GOOD, exited(code=0), Outcome.SUCCEEDED),
        (True, None, GOOD, exited(signal=9), Outcome.SUCCEEDED),
        (True, None, GOOD, exited(code=5), Outcome.CODE_ERROR),
        (True, None, BAD, exited(code=1), Outcome.CODE_ERROR),
        (True, None, BAD, None, Outcome.CODE_ERROR),
        (True, None, None, exited(code=0), Outcome.SUCCEEDED),
        (True, None, None, exited(signal=9), Outcome.CODE_ERROR),
        (True, None, None, exited(signal=9, oom=True), Outcome.MEMORY_EXCEEDED),
        (True, None, None, exited(code=1, oom=True), Outcome.CODE_ERROR),
        (True, None, BAD, exited(code=1, oom=True), Outcome.CODE_ERROR),
        (True, None, LOST, exited(code=1, oom=True), Outcome.MEMORY_EXCEEDED),
        (True, None, LOST, exited(code=1), Outcome.CODE_ERROR),
        (True, None, GOOD, exited(code=0, oom=True), Outcome.SUCCEEDED),
        (True, None, None, None, Outcome.WORKER_LOST),
        (True, Stop.DEADLINE, None, exited(signal=9, oom=True), Outcome.DEADLINE_EXCEEDED),
        (True, Stop.START_DEADLINE, None, exited(code=143), Outcome.DEADLINE_EXCEEDED),
        (True, Stop.CANCELLED, None, None, Outcome.CANCELLED),
        (False, None, None, exited(code=1), Outcome.START_FAILED),
        (False, None, None, exited(signal=9, oom=True), Outcome.START_FAILED),
        (False, None, BAD, exited(code=1), Outcome.START_FAILED),
        (False, None, None, None, Outcome.START_FAILED),
        (False, Stop.START_DEADLINE, None, exited(code=143), Outcome.START_FAILED),
        (False, Stop.CANCELLED, None, exited(code=143), Outcome.CANCELLED),
    ],
)
def test_the_outcome_follows_from_what_is_known(
    started: bool,
    stop: Stop | None,
    result: WorkerResult | None,
    exit_report: Exit | None,
    outcome: Outcome,
) -> None:
    ending = decide(started=started, stop=stop, result=result, exit_report=exit_report)
    assert ending.outcome is outcome
    if outcome is not Outcome.MEMORY_EXCEEDED:
        assert (ending.error is not None) == (outcome in (Outcome.CODE_ERROR, Outcome.START_FAILED))


def test_code_that_failed_without_a_child_killed_for_memory_keeps_its_error() -> None:
    ending = decide(started=True, stop=None, result=LOST, exit_report=exited(code=1, oom=True))
    assert ending == (Outcome.MEMORY_EXCEEDED, LOST.error)


def test_a_digest_follows_no_link_and_waits_for_no_pipe(tmp_path: Path) -> None:
    (tmp_path / "source.csv").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "source.json")
    for source_format in ("csv", "json", "parquet"):
        with pytest.raises(OSError):  # noqa: PT011 - refused in one of several ways
            digest_source(str(tmp_path), source_format)


def test_the_garbage_collector_is_back_after_imports_even_where_one_fails() -> None:
    with contextlib.suppress(ImportError), gc_paused():
        collecting = gc.isenabled()
        raise ImportError
    assert (collecting, gc.isenabled()) == (False, True)
