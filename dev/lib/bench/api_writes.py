"""Writes at the API server, from its metrics."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

_SERIES = re.compile(r"apiserver_request_duration_seconds_(count|sum)\{([^}]*)\} (\S+)")
_LABEL = re.compile(r'([a-z_]+)="([^"]*)"')
_VERBS = ("POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION")
# Those that are no writes, and those that happen whether or not there are runs.
_OTHERS = (
    "leases",
    "nodes",
    "subjectaccessreviews",
    "localsubjectaccessreviews",
    "selfsubjectaccessreviews",
    "tokenreviews",
)


@dataclass(frozen=True)
class Writes:
    """Of one kind: how many, and the seconds that the API server took for all of them."""

    count: float = 0.0
    seconds: float = 0.0

    @property
    def mean_ms(self) -> float:
        return self.seconds * 1000 / self.count


def api_writes(metrics: str) -> Mapping[str, Writes]:
    """Writes since the API server's start, by verb and resource, such as `PATCH pods/status`.

    Those that were refused count as well.
    """
    sums: dict[str, dict[str, float]] = defaultdict(lambda: {"count": 0.0, "sum": 0.0})
    for series in _SERIES.finditer(metrics):
        labels = dict(_LABEL.findall(series[2]))
        resource = labels.get("resource", "")
        if labels.get("verb") in _VERBS and resource not in _OTHERS:
            path = "/".join(filter(None, (resource, labels.get("subresource", ""))))
            sums[f"{labels['verb']} {path}"][series[1]] += float(series[3])
    return {kind: Writes(one["count"], one["sum"]) for kind, one in sums.items()}


def writes_per_run(
    before: Mapping[str, Writes], after: Mapping[str, Writes], runs: int
) -> dict[str, Writes]:
    """Of each kind that there were any of, the most frequent first."""
    made = {
        kind: Writes(
            (one.count - before.get(kind, Writes()).count) / runs,
            (one.seconds - before.get(kind, Writes()).seconds) / runs,
        )
        for kind, one in after.items()
    }
    return {
        kind: one
        for kind, one in sorted(made.items(), key=lambda item: -item[1].count)
        if one.count > 0
    }
