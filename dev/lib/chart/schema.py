"""The JSON schema of the values, of draft 7: the one that each Helm knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from chart.comments import Schema, Value, Values
from chart.errors import ValuesError

_DRAFT = "http://json-schema.org/draft-07/schema#"
_REF = "$ref"
_DEFS = "$defs"
# In a definition: the name of the CRD whose spec it is, which it adds to.
_SPEC_OF = "spec of"
# Of what an array or a mapping contains.
_BELOW = ("items", "additionalProperties")
_TYPES = {bool: "boolean", int: "integer", str: "string"}


def schema_of(values: Values, crds: Path) -> Schema:
    """The whole schema.

    Args:
        values: with their comments.
        crds: the folder of the CRDs that definitions name.
    """
    definitions = {
        name: _closed(_defined(definition, crds))
        for name, definition in sorted(values.definitions.items())
    }
    root = _typed("", values.root, values.definitions)
    unused = set(definitions) - _references([root, definitions])
    if unused:
        raise ValuesError(f"@define {min(unused)} is not used")
    missing = _references([root, definitions]) - set(definitions)
    if missing:
        raise ValuesError(f"{_REF}: {min(missing)} is not defined")
    return {"$schema": _DRAFT, "title": "Values of the assay chart", **root, _DEFS: definitions}


def resolved(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """A schema with what its reference, if it has one, refers to."""
    reference = schema.get(_REF)
    if reference is None:
        return schema
    rest = {name: value for name, value in schema.items() if name != _REF}
    return resolved(definitions[reference.removeprefix(f"#/{_DEFS}/")], definitions) | rest


def _typed(path: str, value: Value, definitions: Mapping[str, Schema]) -> Schema:
    """The schema of a value: its default's type, and what its comment adds."""
    added = value.comment.schema
    name = path.rpartition(".")[2]
    if not added and name in definitions:
        added = {_REF: name}
    described = {"description": value.comment.text} if value.comment.text else {}
    if _REF in added:
        return described | _closed(added)
    inferred: Schema
    if isinstance(value.default, Mapping):
        inferred = {"type": "object", "properties": _properties(path, value, definitions)}
    elif isinstance(value.default, list):
        inferred = {"type": "array"}
        if value.fields:
            item = {"type": "object", "properties": _properties(f"{path}[]", value, definitions)}
            inferred["items"] = item
    else:
        inferred = {"type": _TYPES[type(value.default)]}
    if value.default in ({}, []) and not added:
        raise ValuesError(f"{path}: nothing says what it may contain")
    return described | _closed(merged(inferred, added))


def _properties(path: str, value: Value, definitions: Mapping[str, Schema]) -> Schema:
    prefix = f"{path}." if path else ""
    return {name: _typed(prefix + name, field, definitions) for name, field in value.fields.items()}


def merged(schema: Schema, added: Schema) -> Schema:
    """A schema with another's keywords, and in its properties those of the other's."""
    if _REF in added or "enum" in added:
        # What stands beside a reference has no effect, and a list of values says their type.
        return {key: schema[key] for key in ("description",) if key in schema} | added
    both = {
        key: merged(schema[key], value)
        for key, value in added.items()
        if isinstance(value, dict) and isinstance(schema.get(key), dict)
    }
    return {**schema, **added, **both}


def _defined(definition: Schema, crds: Path) -> Schema:
    if _SPEC_OF not in definition:
        return definition
    crd = yaml.safe_load((crds / f"{definition[_SPEC_OF]}.yaml").read_text())
    (version,) = crd["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    added = {key: value for key, value in definition.items() if key != _SPEC_OF}
    return merged(_plain(spec), added)


def _plain(node: Any) -> Any:
    """A schema of Kubernetes without its extensions, and with whole numbers."""
    if isinstance(node, Mapping):
        return {
            # What YAML 1.1 reads as a string, too: 1.0E9.
            key: int(float(value)) if key in ("minimum", "maximum") else _plain(value)
            for key, value in node.items()
            if not key.startswith("x-kubernetes-")
        }
    return [_plain(item) for item in node] if isinstance(node, list) else node


def _closed(schema: Schema) -> Schema:
    """A schema with full references, whose objects accept no properties but theirs.

    Not what is below "if" and "then", which would otherwise refuse all that they do not name.
    """
    closed = dict(schema)
    for key in ("properties", "patternProperties"):
        if key in closed:
            closed[key] = _each_closed(closed[key])
    closed |= _each_closed({key: closed[key] for key in _BELOW if key in closed})
    if _REF in closed and not closed[_REF].startswith("#"):
        closed[_REF] = f"#/{_DEFS}/{closed[_REF]}"
    if "properties" in closed:
        closed = {"type": "object", "additionalProperties": False, **closed}
    return closed


def _each_closed(schemas: Schema) -> Schema:
    # A schema may be true or false.
    return {
        name: _closed(schema) if isinstance(schema, dict) else schema
        for name, schema in schemas.items()
    }


def _references(node: Any) -> set[str]:
    if isinstance(node, Mapping):
        own = {node[_REF].removeprefix(f"#/{_DEFS}/")} if isinstance(node.get(_REF), str) else set()
        return own.union(*map(_references, node.values()))
    if isinstance(node, list):
        return set().union(*map(_references, node))
    return set()
