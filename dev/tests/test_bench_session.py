"""What becomes of the results of phases, also of those that fail."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from bench.report import session
from bench.report.result import Result
from bench.report.session import Session


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The phases that there is a picture of, instead of the picture."""
    phases: list[str] = []
    monkeypatch.setattr(session, "draw", lambda result, folder: phases.append(result.phase))
    return phases


@pytest.fixture
def measured(tmp_path: Path) -> Session:
    """A session whose phase `one` must have a figure of at most 2."""
    ranges = tmp_path / "ranges"
    ranges.mkdir()
    (ranges / "one.json").write_text(json.dumps({"figure": {"max": 2}}))
    return Session(tmp_path, ranges, {"cores": "2"})


def _stored(folder: Path) -> dict[str, float]:
    figures: dict[str, float] = json.loads((folder / "one.json").read_text())["figures"]
    return figures


def test_a_result_is_in_its_file_before_the_phase_cleans_up(
    measured: Session, tmp_path: Path
) -> None:
    seen: list[dict[str, float]] = []

    def phase() -> Iterator[Result]:
        yield Result("one", {}, {"figure": 1})
        seen.append(_stored(tmp_path))

    measured.measure("one", phase, lambda: None)
    assert seen == [{"figure": 1}]
    assert measured.wrong == []


def test_what_was_measured_before_a_failure_is_kept_and_compared(
    measured: Session, tmp_path: Path, drawn: list[str]
) -> None:
    def phase() -> Iterator[Result]:
        yield Result("one", {}, {"figure": 3})
        raise OSError

    measured.measure("one", phase, lambda: None)
    assert _stored(tmp_path) == {"figure": 3}
    assert measured.wrong == [
        "one failed with the exception above",
        "one: 'figure' is 3.00, above 2",
    ]
    assert drawn == ["one"]


def test_a_failure_ends_neither_the_reset_nor_the_other_phases(
    measured: Session, tmp_path: Path
) -> None:
    reset: list[str] = []

    def absent() -> Iterator[Result]:
        raise SystemExit("no knee")
        yield

    def no_reset() -> None:
        raise TimeoutError

    measured.measure("other", absent, lambda: reset.append("other"))
    measured.measure("one", lambda: iter([Result("one", {}, {"figure": 1})]), no_reset)
    assert reset == ["other"]
    assert _stored(tmp_path) == {"figure": 1}
    assert measured.wrong == [
        "other failed with the exception above",
        "one: the cleanup failed with the exception above",
    ]


def test_a_result_has_the_conditions_of_the_session_and_its_own(
    measured: Session, tmp_path: Path
) -> None:
    result = Result("one", {}, {"figure": 1}, conditions={"peer": "v1"})
    measured.measure("one", lambda: iter([result]), lambda: None)
    conditions = json.loads((tmp_path / "one.json").read_text())["conditions"]
    assert conditions == {"cores": "2", "peer": "v1"}


def test_nothing_replaces_what_was_measured_before(measured: Session, tmp_path: Path) -> None:
    measured.measure("one", lambda: iter([Result("one", {}, {"figure": 1})]), lambda: None)
    empty = Result("one", {}, {}, absent=["the peer"])
    measured.measure("one", lambda: iter([empty]), lambda: None)
    assert _stored(tmp_path) == {"figure": 1}


def test_a_picture_that_fails_is_named_and_the_figures_are_kept(
    measured: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(result: Result, folder: Path) -> None:
        raise OSError

    monkeypatch.setattr(session, "draw", fails)
    measured.measure("one", lambda: iter([Result("one", {}, {"figure": 1})]), lambda: None)
    assert _stored(tmp_path) == {"figure": 1}
    assert measured.wrong == ["one: the picture failed with the exception above"]
