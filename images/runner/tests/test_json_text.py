"""The check of text that is said to be JSON."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from assay_runner import json_text


@pytest.mark.parametrize("character", ["x", '"', "\\"])
def test_a_long_string_is_checked_in_little_memory(character: str) -> None:
    text = json.dumps(character * 100_000)
    tracemalloc.start()
    try:
        json_text.check(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * 1024 * 1024
