"""The sources of the scripts, which both run as they are."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "sources"


def source(name: str) -> str:
    """The text of one of them."""
    return (_FOLDER / f"{name}.js").read_text(encoding="utf-8")
