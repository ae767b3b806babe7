"""Reads the YAML files of the benchmark, and names what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml


class FileError(Exception):
    """A file cannot be used; the message names the file, the field and what it has to be."""


def read(file: Path) -> Any:
    """The document of a file; FileError where it is not YAML."""
    try:
        return yaml.safe_load(file.read_text())
    except yaml.YAMLError as error:
        raise FileError(f"{file.name} is not YAML: {error}") from error


def fields(where: str, value: object, known: Iterable[str], required: Iterable[str]) -> Any:
    """An object with no other fields than these; FileError otherwise."""
    if not isinstance(value, dict):
        raise FileError(f"{where} has to be an object, not {value!r:.100}")
    unknown = sorted(set(map(str, value)) - set(known))
    missing = sorted(set(required) - set(value))
    if unknown:
        raise FileError(f"{where}: unknown field {unknown[0]!r}; there are {', '.join(known)}")
    if missing:
        raise FileError(f"{where}: {missing[0]!r} is missing")
    return value
