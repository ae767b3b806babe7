"""values.yaml with its comments: what a YAML parser reads, and what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from chart.errors import ValuesError

Schema: TypeAlias = dict[str, Any]

# What follows "#" in a comment: a word for the generator, an indented line, or prose.
_ANNOTATION = re.compile(r"@(schema|define|root)\b ?(.*)")
_INDENTED = re.compile(r" {3,}\S")


@dataclass(frozen=True)
class Comment:
    """A block of lines of comment.

    Attributes:
        text: its prose in one line, without examples.
        schema: what it adds to the type of its value.
    """

    text: str = ""
    schema: Schema = field(default_factory=dict)


@dataclass(frozen=True)
class _Annotation:
    """What a comment says to the generator; only a definition has a name."""

    word: str
    name: str
    schema: Schema


@dataclass(frozen=True)
class Value:
    """A value of the chart.

    Attributes:
        default: the value itself.
        fields: those of a mapping, or of the first item of a list of mappings.
    """

    default: Any
    comment: Comment
    fields: Mapping[str, Value]


@dataclass(frozen=True)
class Values:
    """All values, in the order of the file."""

    root: Value
    definitions: Mapping[str, Schema]


def read_values(text: str) -> Values:
    """Parses values.yaml."""
    lines = text.splitlines()
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(node, yaml.MappingNode):
        raise ValuesError("values.yaml contains no mapping")
    at_top = _annotations([line[1:] if line.startswith("#") else "" for line in lines])
    root = Comment("", next((each.schema for each in at_top if each.word == "root"), {}))
    definitions = {each.name: each.schema for each in at_top if each.word == "define"}
    return Values(Value(yaml.safe_load(text), root, _fields(node, lines)), definitions)


def _fields(node: yaml.Node, lines: Sequence[str]) -> dict[str, Value]:
    if isinstance(node, yaml.SequenceNode) and node.value and not node.flow_style:
        node = node.value[0]
    if not isinstance(node, yaml.MappingNode):
        return {}
    fields = {}
    for key, value in node.value:
        # In a flow mapping, the line of a key has a comment of another value above it.
        comment = Comment() if node.flow_style else _comment_above(lines, key.start_mark.line)
        default = yaml.safe_load(yaml.serialize(value))
        fields[str(key.value)] = Value(default, comment, _fields(value, lines))
    return fields


def _comment_above(lines: Sequence[str], number: int) -> Comment:
    """The comment at the same indentation, without a line between."""
    indent = _indent(lines[number])
    block: list[str] = []
    while number > 0 and re.match(rf" {{{indent}}}#", lines[number - 1]):
        number -= 1
        block.insert(0, lines[number][indent + 1 :])
    prose = [line.strip() for line in _prose(block)]
    schema = next((each.schema for each in _annotations(block) if each.word == "schema"), {})
    return Comment(" ".join(prose), schema)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _prose(block: Sequence[str]) -> list[str]:
    return [
        line for line in block if not _INDENTED.match(line) and not _ANNOTATION.match(line.strip())
    ]


def _annotations(block: Sequence[str]) -> list[_Annotation]:
    """The annotations, with what they say on their line or on the indented ones below."""
    found: list[tuple[str, list[str]]] = []
    continued = False
    for line in block:
        annotation = _ANNOTATION.match(line.strip())
        if continued and _INDENTED.match(line):
            found[-1][1].append(line)
        elif annotation and not _INDENTED.match(line):
            found.append((annotation[1], [annotation[2]]))
            continued = True
        else:
            continued = False
    return [_parsed(word, text) for word, text in found]


def _parsed(word: str, text: Sequence[str]) -> _Annotation:
    name, first = "", text[0]
    if word == "define":
        name, _, first = first.partition(" ")
    where = f"@{word} {name}".rstrip()
    try:
        schema = yaml.safe_load("\n".join([first, *text[1:]]))
    except yaml.YAMLError as error:
        raise ValuesError(f"{where}: {error}") from error
    if not isinstance(schema, dict):
        raise ValuesError(f"{where} contains no mapping")
    _require_values(where, schema)
    return _Annotation(word, name, schema)


def _require_values(where: str, schema: Schema) -> None:
    """A comma in a text without quotes ends it in a flow mapping, and the rest is a keyword."""
    for keyword, value in schema.items():
        if value is None:
            raise ValuesError(f"{where}: {keyword} has no value; put texts with commas in quotes")
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                _require_values(where, each)
