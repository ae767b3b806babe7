"""What an API of a model would refuse in a request that was built from a reply of a tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# The APIs take these for PDF alone, or fetch them.
_FILES = ("file", "input_file", "document")
_URLS = ("url", "image_url", "file_url", "file_uri")


def refused(payload: Any) -> Iterator[str]:
    """The parts that are files, or addresses that the API cannot fetch."""
    if isinstance(payload, dict):
        if payload.get("type") in _FILES:
            yield f"a part of type {payload['type']}"
        for name in _URLS:
            url = payload.get(name)
            if isinstance(url, str) and not url.startswith("data:"):
                yield f"{name} {url[:100]}"
        payload = list(payload.values())
    if isinstance(payload, list):
        for part in payload:
            yield from refused(part)
