"""The text of a Polars query, which may be indented, or a chain of calls without brackets."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings

_CONTINUES = re.compile(r"\s*\.\s*[A-Za-z_]")
_WORD = re.compile(r"\w+")


def runnable(code: str) -> str:
    """Return the text as a script, with the same number at each line.

    A text that is no script in any form is returned without its indentation, so that the error is
    about what the caller wrote.
    """
    dedented = textwrap.dedent(code)
    for text in (dedented, f"({dedented.rstrip()}\n)", _joined(dedented)):
        if _is_script(text):
            return text
    return dedented


def words(code: str) -> set[str]:
    """Return everything in the code that may be the name of a variable."""
    return set(_WORD.findall(code))


def _is_script(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            # They are printed when the code is compiled to be run.
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _joined(text: str) -> str:
    """Continue each line that the next one, which begins with a dot, belongs to."""
    lines = text.split("\n")
    for number, line in enumerate(lines[1:]):
        if _CONTINUES.match(line) and lines[number].strip() and "#" not in lines[number]:
            lines[number] = lines[number].rstrip() + " \\"
    return "\n".join(lines)
