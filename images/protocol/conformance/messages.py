"""Checks messages against the JSON Schemas of the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parent.parent / "schema"

REFUSALS = {
    "Malformed": 400,
    "BadSignature": 401,
    "UnknownKey": 401,
    "WrongPod": 403,
    "WrongNonce": 403,
    "Expired": 403,
    "NotFound": 404,
    "MethodNotAllowed": 405,
    "RunMismatch": 409,
    "BytesChanged": 409,
    "NotStaged": 409,
    "Refused": 409,
    "Started": 409,
    "NotStarted": 409,
    "CallNotOpen": 409,
    "UploadRefused": 409,
    "UploadMismatch": 409,
    "ArtifactLost": 409,
    "TooLarge": 413,
    "WrongKind": 422,
    "NotReady": 503,
    "UploadFailed": 503,
}
"""Each refusal's HTTP status."""


class Messages:
    """What may be said.

    Args:
        closed: refuse members of answers and events that the schemas do not name. A runner may have
            some of a later date, so only a runner of this version is held to it.
    """

    def __init__(self, *, closed: bool = False) -> None:
        schemas = {path.name: _load(path, closed=closed) for path in SCHEMAS.glob("*.json")}
        registry = Registry[Any]().with_resources(
            (schema["$id"], Resource.from_contents(schema)) for schema in schemas.values()
        )
        self._validators = {
            name.removesuffix(".json"): Draft202012Validator(schema, registry=registry)
            for name, schema in schemas.items()
        }

    def check(self, schema: str, message: object) -> None:
        """Fail, saying why, unless the message fits the schema of that name."""
        error = best_match(self._validators[schema].iter_errors(message))
        if error is not None:
            raise AssertionError(f"{error.json_path} of {schema}: {error.message[:1000]}")

    def fits(self, schema: str, message: object) -> bool:
        """Whether the message fits the schema of that name."""
        return bool(self._validators[schema].is_valid(message))

    def check_answer(self, operation: str, status: int, body: object) -> None:
        """Fail unless this may be the JSON answer to a request."""
        if status == 200:
            answer = "state" if operation in ("stage", "cancel", "refuse") else operation
            self.check(f"answer-{answer}", body)
        else:
            self.check("refusal", body)
            assert isinstance(body, dict)
            assert status == REFUSALS[body["error"]["code"]], (status, body)


def _load(path: Path, *, closed: bool) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(path.read_text())
    if closed:
        for part in parts(schema):
            if part.get("type") == "object" and "additionalProperties" not in part:
                part["unevaluatedProperties"] = False
    return schema


def parts(schema: object) -> Iterator[dict[str, Any]]:
    """Yield a schema and every schema within it."""
    if isinstance(schema, dict):
        yield schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for inner in schema:
            yield from parts(inner)
