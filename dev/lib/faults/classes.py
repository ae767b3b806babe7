"""Classes that a fault requires, each like the class python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from e2e.commands import kubectl
from faults.site import read

_NOT_COPIED = ("defaultFor", "warmPool")


def like(of: Mapping[str, Any], name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Another class with these fields of its spec; those of an object are added to it.

    Args:
        of: a class; neither its warm pool nor its being a default is copied.
        name: of the new one.
    """
    spec = {key: value for key, value in of["spec"].items() if key not in _NOT_COPIED}
    for key, value in fields.items():
        spec[key] = {**spec.get(key, {}), **value} if isinstance(value, dict) else value
    kind = {key: of[key] for key in ("apiVersion", "kind")}
    return {**kind, "metadata": {"name": name}, "spec": spec}


def create(name: str, **fields: object) -> None:
    """Create a class like python."""
    wanted = like(read("runclass/python"), name, fields)
    kubectl("apply", "-f", "-", stdin=json.dumps(wanted))


def remove(*names: str) -> None:
    """Remove classes; the operator removes their idle Pods."""
    kubectl("delete", "--ignore-not-found", *(f"runclass/{name}" for name in names))


def pool(name: str) -> tuple[int, int]:
    """How many idle Pods of a class are ready, and how many are starting."""
    status = read(f"runclass/{name}").get("status", {}).get("warmPool", {})
    return status.get("ready", 0), status.get("starting", 0)
