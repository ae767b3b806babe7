"""Programs that run in Pods: their texts are sent, with values for their PARAMETERS."""

from __future__ import annotations

import json
from pathlib import Path

_PLACEHOLDER = 'json.loads("{}")'


def program(name: str, parameters: object) -> str:
    """The text of a program of this package, which prints its result as JSON."""
    text = (Path(__file__).parent / f"{name}.py").read_text()
    before, placeholder, after = text.partition(_PLACEHOLDER)
    if not placeholder:
        raise ValueError(f"{name}.py has no parameters")
    return f"{before}json.loads({json.dumps(parameters)!r}){after}"
