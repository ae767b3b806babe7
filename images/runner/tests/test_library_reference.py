"""The documentation of code mode has the docstrings of the library."""

from __future__ import annotations

from library_reference import DOCUMENTATION, page


def test_the_reference_is_that_of_the_docstrings() -> None:
    # To generate it again, run library_reference.py.
    text = DOCUMENTATION.read_text()
    assert page(text) == text
