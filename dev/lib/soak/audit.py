"""What the API server's audit log says of Assay's own accounts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from e2e import settings

# A right that is missing, an object that is invalid, a policy that refuses.
_NEVER = (400, 403, 405, 422)


class AuditLog:
    """The lines that are written after this."""

    def __init__(self, file: Path = settings.AUDIT_LOG) -> None:
        self._file = file
        self._began = file.stat().st_size if file.exists() else 0

    def problems(self) -> list[str]:
        """What must not be, a line each."""
        return problems(self._events())

    def _events(self) -> Iterator[Mapping[str, Any]]:
        # It may have been put aside meanwhile, with what was there at the beginning.
        rotated = sorted(self._file.parent.glob(f"{self._file.stem}-*{self._file.suffix}"))
        for file in (*rotated[-1:], self._file):
            with file.open() as lines:
                if file.stat().st_size >= self._began and not rotated:
                    lines.seek(self._began)
                for line in lines:
                    if line.endswith("\n"):
                        yield json.loads(line)


def problems(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """What must not be: a refused request, or a run that was created twice."""
    refused: Counter[str] = Counter()
    created: Counter[str] = Counter()
    for event in events:
        of = event.get("objectRef", {})
        kind = "/".join(filter(None, (of.get("resource"), of.get("subresource"))))
        code = event.get("responseStatus", {}).get("code", 0)
        if code in _NEVER:
            account = event["user"]["username"].rpartition(":")[2]
            refused[f"refused with {code}: {event['verb']} of {kind} by {account}"] += 1
        elif (event["verb"], kind, code) == ("create", "analyticsruns", 201):
            created[f"{of.get('namespace')}/{of.get('name')}"] += 1
    twice = [f"created {times} times: {name}" for name, times in created.items() if times > 1]
    return [*(f"{what}, {times} times" for what, times in refused.items()), *twice]
