"""Each cell of tables with every trap is what the source has, or a note names the column."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pytest

from assay_runner.snapshot.reading import sources
from assay_runner.snapshot.reading.delimited import kinds as text_kinds
from assay_runner.snapshot.reading.delimited import types as text_types
from fidelity.making import table
from fidelity.reading import RefusedError, load, silent_changes
from fidelity.writing import WRITERS

WITHOUT_FRAME = ("csv", "tsv", "ndjson", "parquet")


def check(seed: int, directory: Path, **job: object) -> None:
    """Compare a table that one of the writers wrote, in all engines."""
    columns = table(seed)
    source = WRITERS[seed % len(WRITERS)](columns)
    if source.format not in WITHOUT_FRAME:
        job = {}
    try:
        loaded = load(source.data, source.format, directory, options=source.options, **job)
    except RefusedError:
        # A row whose only cell is empty is a blank line.
        if len(columns) > 1:
            raise
        return
    if loaded.description["rows"] != len(columns[0].cells):
        assert len(columns) == 1
        return
    assert silent_changes(columns, loaded, source.missing) == [], f"seed {seed}"


def check_many(seeds: Iterable[int], directory: Path) -> None:
    """Compare many tables, every third one without a frame."""
    for seed in seeds:
        check(seed, directory / str(seed), frame=None if seed % 3 else False)


@pytest.mark.parametrize("seed", range(50))
def test_no_cell_changes_without_a_note(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(50, 2000, 50))
def test_no_cell_of_two_thousand_tables_changes_without_a_note(first: int, tmp_path: Path) -> None:
    check_many(range(first, first + 50), tmp_path)


def with_patterns(**patterns: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Return a rule that takes other texts for a kind."""
    changed = [(kind, patterns.get(kind, pattern)) for kind, pattern in text_kinds._PATTERNS]
    return lambda patch: patch.setattr(text_kinds, "_PATTERNS", changed)


def without(name: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Return a rule that makes no notes of a kind."""
    return lambda patch: patch.setattr(text_types, name, lambda *_: ())


def as_doubles(patch: pytest.MonkeyPatch) -> None:
    """Have whole numbers with gaps as doubles, whatever they are."""
    patch.setattr(sources, "nullable_note", lambda _: None)


BROKEN_RULES = {
    "zeros in front": with_patterns(integer=r"^-?[0-9]+$"),
    "a plus in front": with_patterns(integer=r"^[-+]?(?:0|[1-9][0-9]*)$"),
    "articles": with_patterns(decimal=r"^-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?$"),
    "ids with a gap": as_doubles,
    "codes that are NA": without("_missing_texts"),
    "many digits": lambda patch: patch.setattr(text_types, "_rounded", lambda _: None),
    "no day": lambda patch: patch.setattr(text_kinds, "_is_date", lambda _: True),
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", BROKEN_RULES.values(), ids=BROKEN_RULES)
def test_a_rule_that_is_left_out_is_noticed(
    rule: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule(monkeypatch)
    noticed = (AssertionError, pa.ArrowInvalid, RefusedError)
    with pytest.raises(noticed):
        check_many(range(400), tmp_path)
