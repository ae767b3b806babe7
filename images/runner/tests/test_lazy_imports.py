"""Modules that are imported only by code that uses them."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay_runner.worker.lazy_imports import LazyModule, when_imported

pytestmark = pytest.mark.slow

_NAME = "imported_late"


@pytest.fixture(autouse=True)
def _late_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / f"{_NAME}.py").write_text("value = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    finders = list(sys.meta_path)
    yield
    sys.modules.pop(_NAME, None)
    sys.meta_path[:] = finders


def test_a_lazy_module_is_imported_when_it_is_used() -> None:
    late = LazyModule(_NAME)
    assert isinstance(late, types.ModuleType)
    assert late.__name__ == _NAME
    assert _NAME not in sys.modules

    assert late.value == 3

    late.value = 4
    module = sys.modules[_NAME]
    assert module.value == 4
    assert dir(late) == dir(module)
    assert repr(late) == repr(module)
    del late.value
    with pytest.raises(AttributeError, match=f"module '{_NAME}' has no attribute 'value'"):
        print(late.value)


def test_an_action_waits_for_the_import() -> None:
    seen: list[int] = []
    when_imported(_NAME, lambda module: seen.append(module.value))
    assert seen == []

    module = importlib.import_module(_NAME)
    assert seen == [3]
    assert module.__file__ is not None

    importlib.reload(module)
    assert seen == [3]


def test_an_action_is_done_at_once_for_a_module_that_is_imported() -> None:
    importlib.import_module(_NAME)
    seen: list[int] = []
    when_imported(_NAME, lambda module: seen.append(module.value))
    assert seen == [3]


def test_an_action_for_a_module_that_does_not_exist_changes_no_error() -> None:
    when_imported("not_installed_anywhere", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match="No module named 'not_installed_anywhere'"):
        importlib.import_module("not_installed_anywhere")
