"""The table of values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chart.comments import Schema, Value, Values
from chart.errors import ValuesError
from chart.schema import resolved

_HEAD = """# Values of the chart

[Install](../../docs/install.md) explains how to choose them. This page is generated from
`values.yaml`, whose comments have examples, by `dev/chart`; `values.schema.json` refuses other
names and values.
"""
_TABLE = "| value | default | |\n|---|---|---|\n"
# Of what any key of a mapping may have.
_ANY_KEY = ".NAME"


@dataclass(frozen=True)
class _Row:
    path: str
    default: str
    text: str

    def markdown(self) -> str:
        cells = (f"`{self.path}`", f"`{self.default}`" if self.default else "", _linked(self.text))
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _linked(text: str) -> str:
    return re.sub(r"\bdocs/[a-z-]+\.md\b", r"[\g<0>](../../\g<0>)", text)


def readme(values: Values, schema: Schema) -> str:
    """The page, with a section for each value at the top."""
    page = _HEAD
    for name, value in values.root.fields.items():
        page += f"\n## {name}\n\n"
        if value.comment.text:
            page += f"{_linked(value.comment.text)}\n\n"
        page += _TABLE
        for row in _rows(name, schema["properties"][name], value, schema["$defs"]):
            page += row.markdown() if row.path != name else ""
    return page


def _rows(
    path: str, schema: Schema, value: Value | None, definitions: Mapping[str, Schema]
) -> Iterator[_Row]:
    """One for each value without fields below it, and for others that have a description.

    Raises:
        ValuesError: if a value has neither.
    """
    schema = resolved(schema, definitions)
    fields = dict(_fields(path, schema, definitions))
    text = schema.get("description", "")
    if text or not fields:
        if not text:
            raise ValuesError(f"{path} has no description")
        default = "" if value is None or fields else json.dumps(value.default)
        yield _Row(path, default, text)
    for below, field in fields.items():
        known = None if value is None else value.fields.get(below.rpartition(".")[2])
        yield from _rows(below, field, known, definitions)


def _fields(
    path: str, schema: Schema, definitions: Mapping[str, Schema]
) -> Iterator[tuple[str, Schema]]:
    """The paths and schemas of what a value contains, as far as names are known."""
    for name, field in schema.get("properties", {}).items():
        yield f"{path}.{name}", field
    for key, suffix in (("items", "[]"), ("additionalProperties", _ANY_KEY)):
        if isinstance(schema.get(key), Mapping):
            yield from _fields(path + suffix, resolved(schema[key], definitions), definitions)
