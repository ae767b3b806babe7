"""The reference of the library in the documentation, from its docstrings."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

_RUNNER = Path(__file__).parents[1]
DOCUMENTATION = _RUNNER.parents[1] / "docs" / "code-mode.md"
LIBRARY = _RUNNER / "library" / "src"
_BEGIN = "<!-- Generated from docstrings: see CONTRIBUTING.md -->\n"
_END = "<!-- End of the generated part -->\n"


def page(text: str) -> str:
    """Return the page with its reference as it has to be."""
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}{_reference()}\n{_END}{after}"


def _reference() -> str:
    sys.path.insert(0, str(LIBRARY))
    try:
        mcp = importlib.import_module("orchestrator.mcp")
    finally:
        sys.path.remove(str(LIBRARY))
    parts = []
    for module in (mcp.data, mcp.analytics, mcp.models, mcp.viz):
        for name in module.__all__:
            short = f"{module.__name__.rpartition('.')[2]}.{name}"
            parts.append(_part(short, getattr(module, name)))
    return "\n".join([*parts, _part("register_artifact", mcp.register_artifact)])


def _part(name: str, function: object) -> str:
    assert callable(function)
    signature = inspect.signature(function)
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    shown = signature.replace(parameters=plain, return_annotation=signature.empty)
    return f"\n### {name}\n\n```text\n{name}{shown}\n\n{inspect.getdoc(function)}\n```"


if __name__ == "__main__":
    DOCUMENTATION.write_text(page(DOCUMENTATION.read_text()))
