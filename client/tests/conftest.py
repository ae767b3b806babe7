"""What the tests have in common."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fake_assay import FakeAssay, serving


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test reads or writes the files of who runs it."""
    for name in ("ASSAY_ENDPOINT", "ASSAY_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def fake() -> Iterator[FakeAssay]:
    with serving() as started:
        yield started
