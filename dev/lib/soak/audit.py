"""What the API server's audit log says of Assay's own accounts."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from e2e import settings

# A right that is missing, an object that is invalid, a policy that refuses.
_NEVER = (400, 403, 405, 422)


class AuditLog:
    """The lines that are written from now on."""

    def __init__(self, file: Path = settings.AUDIT_LOG) -> None:
        self._file = file
        self._began = datetime.datetime.now(datetime.UTC)

    def problems(self) -> list[str]:
        """What must not be, a line each."""
        # A full file is put aside, and one such file is kept.
        aside = sorted(self._file.parent.glob(f"{self._file.stem}-*{self._file.suffix}"))
        events = [event for file in (*aside, self._file) for event in _events(file)]
        times = [datetime.datetime.fromisoformat(event["stageTimestamp"]) for event in events]
        missing = len(aside) > 0 and min(times) > self._began
        mine = [event for event, at in zip(events, times, strict=True) if at >= self._began]
        return problems(mine) + (["the audit log does not reach back"] if missing else [])


def _events(file: Path) -> Iterator[Mapping[str, Any]]:
    with file.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield json.loads(line)


def problems(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """What must not be: a refused request, or a run that was created twice."""
    refused: Counter[str] = Counter()
    created: Counter[str] = Counter()
    for event in events:
        of = event.get("objectRef", {})
        kind = "/".join(filter(None, (of.get("resource"), of.get("subresource"))))
        code = event.get("responseStatus", {}).get("code", 0)
        # Of two operators that want a lease at once, one is refused.
        if code in _NEVER and kind != "leases":
            account = event["user"]["username"].rpartition(":")[2]
            refused[f"refused with {code}: {event['verb']} of {kind} by {account}"] += 1
        elif (event["verb"], kind, code) == ("create", "analyticsruns", 201):
            created[f"{of.get('namespace')}/{of.get('name')}"] += 1
    twice = [f"created {times} times: {name}" for name, times in created.items() if times > 1]
    return [*(f"{what}, {times} times" for what, times in refused.items()), *twice]
